"""Keys of YAML and JSON files of the script's own that are named as arguments, and never read."""

from __future__ import annotations

import ast
import copy
import dataclasses
import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ...members import word
from ...named_objects import nodes_of
from .. import patching
from ..record import Mistake
from ..where import is_own, own_files

FEWEST, MOST, DEEPEST, LONGEST = 3, 16, 4, 200
"""Keys of a section that reach the config, at least; files, depths and keys that are looked at."""

SIGNS = frozenset({"learning_rate", "num_train_epochs", "max_steps", "output_dir",
                   "per_device_train_batch_size", "gradient_accumulation_steps",
                   "lr_scheduler_type", "warmup_steps", "warmup_ratio"})  # fmt: skip
"""Keys by which a section is known to be of arguments."""

LEFT = frozenset({"report_to", "run_name", "logging_dir", "output_dir", "hub_model_id", "hub_token",
                  "local_rank", "deepspeed"})  # fmt: skip
"""Arguments that change nothing in what is trained, or that a launcher gives."""

PROGRAM, LARGEST = re.compile(r"\.(?:py|ipynb|sh|bash)$|^Makefile$"), 2**18
LOADS = re.compile(r"\b(?:safe_load|full_load|json\.load|OmegaConf\.load|yq|jq)\b")
"""Programs, the bytes of the largest that is read, and what loads a YAML or JSON file."""

BY_ATTRIBUTE = frozenset({"SimpleNamespace", "Namespace", "DictConfig", "OmegaConf", "Munch",
                          "Box", "EasyDict", "edict", "AttrDict"})  # fmt: skip
"""Names of what reads a mapping's keys as attributes, beside the mapping itself."""

LISTED = re.compile(r"[\w.]+(?:\s*[,;|]\s*[\w.]+)*")
"""A text that is a key, or several."""


class Section(NamedTuple):
    """A mapping of a file, as it was loaded."""

    file: str
    path: str
    """Where it is; "" for a text that was loaded."""

    values: dict[str, Any]


class Words(NamedTuple):
    """What the script's own code names: as texts, as names and arguments, and as attributes."""

    texts: set[str]
    names: set[str]
    attributes: set[str]


_sections: list[Section] = []
loaded: list[Section] = []
"""The parts that have arguments of a trainer, and the whole files."""


def act(module: ModuleType) -> None:
    """Patches of what loads such files."""
    patching.each(module, ("load", "loads", "safe_load", "full_load", "unsafe_load"), _load)


def _load(original: Any, source: Any, *args: Any, **more: Any) -> Any:
    values = original(source, *args, **more)
    caller = sys._getframe(2).f_code.co_filename  # the doctor reads such files, too
    if isinstance(values, dict) and is_own(caller) and len(_sections) < MOST:
        path = str(getattr(source, "name", "") or "")
        name = Path(path or "a file").name
        if parts := [Section(name, path, copy.deepcopy(part)) for part in _parts(values)]:
            _sections.extend(parts)
        if len(loaded) < MOST and _is_short(values):
            loaded.append(Section(name, path, _settings(values)))
    return values


def _settings(values: dict[Any, Any], depth: int = 0) -> dict[str, Any]:
    """A copy of the plain values, without lists."""
    return {
        str(key): _settings(value, depth + 1) if isinstance(value, dict) else value
        for key, value in values.items()
        if isinstance(value, (str, int, float, type(None)))
        or (isinstance(value, dict) and depth <= DEEPEST and len(value) <= LONGEST)
    }


def _is_short(values: dict[Any, Any]) -> bool:
    """Whether these are settings, not rows."""
    return len(values) <= LONGEST and all(isinstance(key, str) for key in values)


def _parts(loaded: dict[Any, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    """The mappings inside that have arguments of a trainer."""
    if not SIGNS.isdisjoint(loaded):
        yield {key: value for key, value in loaded.items() if isinstance(key, str)}
    for value in loaded.values():
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _parts(value, depth + 1)


def unread(config: Any, given: Mapping[str, Any] | None) -> Iterator[Mistake]:
    """Keys that the script does not give to its config, though it gives others of the section.

    Its code names the others, and these nowhere.
    """
    if not given or not dataclasses.is_dataclass(config) or not _sections:
        return
    defaults = {field.name: field.default for field in dataclasses.fields(config)}
    words, used = words_of(own_files()), {*map(word, given.values())}
    read = words.texts | words.attributes
    most = Counter[str]()
    sections = [(section, _passed(section, given)) for section in _sections]
    for section, passed in sections:
        most[section.file] = max(most[section.file], len(passed))
    for section, passed in sections:
        file, path, values = section
        renamed = [key for key in values if key in words.texts and word(values[key]) in used]
        named = {*read.intersection(passed), *renamed}
        if not passed or len(named) < FEWEST or len(passed) < most[file]:
            continue  # the values may be the same by chance, or those of a section beside it
        _sections.remove(section)
        by_text = words.texts.issuperset(passed) and words.names.isdisjoint(BY_ATTRIBUTE)
        said = words.texts | words.names | (set() if by_text else words.attributes)
        lost = {
            key: f"{key} ({short(values[key])}, not {short(defaults[key])})"
            for key in values
            if key in defaults and key not in given and key not in said and key not in LEFT
            and differs(values[key], defaults[key], getattr(config, key, None))
        }  # fmt: skip
        others = read_by_others(path) if lost else set[str]()
        if told := [text for key, text in lost.items() if key not in others]:
            yield Mistake("key of file unread", [", ".join(told[:4]), file])


def _passed(section: Section, given: Mapping[str, Any]) -> list[str]:
    """The keys of a section whose values the config has got."""
    return [key for key, value in section.values.items()
            if key in given and same(value, given[key])]  # fmt: skip


def read_by_others(path: str) -> set[str]:
    """The words of other programs beside the script, or beside the file, that load such files."""
    return {found for text in others(path) for found in re.findall(r"\w+", text)}


def others(path: str) -> Iterator[str]:
    """The code of these programs."""
    main = getattr(sys.modules.get("__main__"), "__file__", None) or path
    own = {*own_files()}
    for folder in {Path(path).absolute().parent, Path(main).absolute().parent} if path else ():
        files = itertools.chain(folder.glob("*"), folder.glob("*/*"))
        programs = [file for file in files if PROGRAM.search(file.name)]
        for text in map(_text, [file for file in programs if str(file) not in own][:MOST]):
            if Path(path).name in text or LOADS.search(text):
                yield text


def _text(file: Path) -> str:
    """The text of a file; "" if it is long, or cannot be read."""
    try:
        return file.read_text("utf-8", "replace") if file.stat().st_size < LARGEST else ""
    except OSError:
        return ""


def differs(value: Any, default: Any, used: Any) -> bool:
    """Whether a value is neither an argument's default nor the one in use."""
    scalar = isinstance(value, (bool, int, float, str))
    known = default is not dataclasses.MISSING
    return scalar and known and not same(value, default) and not same(value, used)


def same(left: Any, right: Any) -> bool:
    """Whether two values mean the same: a text may be a number, or a member's name."""
    texts = [word(value) for value in (left, right)]
    try:
        return float(texts[0]) == float(texts[1])
    except ValueError:
        return texts[0].lower() == texts[1].lower()


def short(value: Any) -> str:
    """A value for a sentence."""
    return word(value)[:40]


def words_of(files: Iterable[str]) -> Words:
    """What the code of files names."""
    words = Words(set(), set(), set())
    for file in files:
        for node in nodes_of(file):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if LISTED.fullmatch(node.value):
                    words.texts.update(re.findall(r"\w+", node.value))
            elif isinstance(node, ast.Attribute):
                words.attributes.add(node.attr)
            elif isinstance(node, (ast.keyword, ast.arg)):
                words.names.add(node.arg or "")
            elif isinstance(node, ast.Name):
                words.names.add(node.id)
    return words
