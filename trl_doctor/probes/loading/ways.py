"""What would make transformers encode text as a folder's tokenizer.json says: found by trying."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..answers.load import OtherClass
from . import encoding
from .small_files import small_files

CLASSES = ("PreTrainedTokenizerFast", "TokenizersBackend")
"""Classes that take tokenizer.json as it is; transformers 4 has only the first."""


def tried(folder: Path, loaded: Any, raw: Any, texts: list[str]) -> list[OtherClass]:
    """The result of each way: how many samples still differ, and whether all else is the same.

    A way is another tokenizer_class, or "" for calling the first of the classes by its name.
    """
    ways = []
    for name in (*CLASSES, ""):
        try:
            tokenizer = _renamed(folder, name) if name else _direct(folder)
            count = len(encoding.differences(tokenizer, raw, texts))
        except Exception:  # this way is none
            continue
        ways.append(OtherClass(name, count, same=_rest(tokenizer) == _rest(loaded)))
    return ways


def _renamed(folder: Path, name: str) -> Any:
    """The tokenizer of the same folder, had its tokenizer_config.json another tokenizer_class."""
    copy = Path(f"as-{name}").absolute()
    copy.mkdir()
    for file in small_files(folder, trusted=False):
        if file.name != "tokenizer_config.json":
            link = copy / file.relative_to(folder)
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(file.resolve())
    config = folder / "tokenizer_config.json"
    stated = json.loads(config.read_text("utf-8")) if config.is_file() else {}
    changed = json.dumps({**stated, "tokenizer_class": name})
    (copy / "tokenizer_config.json").write_text(changed, "utf-8")
    return encoding.load(copy, trusted=False)


def _direct(folder: Path) -> Any:
    import transformers

    return getattr(transformers, CLASSES[0]).from_pretrained(str(folder))


def _rest(tokenizer: Any) -> list[Any]:
    """All of a tokenizer but how it cuts text: special tokens, what it adds, its template."""
    special = set(tokenizer.all_special_ids)
    ends = [id for id in tokenizer("a")["input_ids"] if id in special]
    template = getattr(tokenizer, "chat_template", None)
    return [len(tokenizer), encoding.special_tokens(tokenizer), sorted(special), ends, template]
