"""How TRL's own script of this release builds a trainer: read from the script, which is not run."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SCRIPTS = ("scripts/{}.py", "commands/scripts/{}.py")


@dataclass(frozen=True)
class Habits:
    """What a script hands to its trainer.

    `by_path`: the model's path, not a loaded model. `tokenizer`: it loads and passes one, and
    `pad` says when it makes the eos its pad token. `reference`: it passes a reference model.
    `options`: dtype and attention implementation reach the model, and `replaces`: in place of the
    run's `model_init_kwargs`. `by_images`: a model that sees images is loaded by a class of its
    own. `found`: there is a script.
    """

    by_path: bool = False
    tokenizer: bool = True
    pad: Literal["never", "where missing", "always"] = "never"
    reference: bool = False
    options: bool = True
    replaces: bool = False
    by_images: bool = False
    found: bool = False


def habits(trainer: str) -> Habits:
    """The habits of the installed release; those of TRL's examples if it has no script."""
    text = _script(trainer)
    if text is None:
        return Habits(reference=trainer in ("ppo", "dpo", "kto"))
    pads = "tokenizer.pad_token = tokenizer.eos_token" in text
    asks = re.search(r"if tokenizer\.pad_token is None:\s+tokenizer\.pad_token =", text)
    return Habits(
        by_path=bool(re.search(r"Trainer\(\s*(model=)?model_args\.model_name_or_path", text))
        or bool(re.search(r"Trainer\(\s*(model=)?model_config\.model_name_or_path", text)),
        tokenizer="processing_class=tokenizer" in text,
        pad="where missing" if asks else "always" if pads else "never",
        reference="ref_model" in text,
        options="model_init_kwargs" in text or "model_kwargs" in text,
        replaces="training_args.model_init_kwargs = model_kwargs" in text,
        by_images="AutoModelForImageTextToText" in text,
        found=True,
    )


def _script(trainer: str) -> str | None:
    home = importlib.util.find_spec("trl")
    if home is None or not home.origin:
        return None
    for name in SCRIPTS:
        file = Path(home.origin).parent / name.format(trainer)
        if trainer != "ppo" and file.is_file():
            return file.read_text("utf-8")
    return None
