"""How long the completions of a run may be, and by what tokens that is counted."""

from __future__ import annotations

import dataclasses
import linecache
import re
from typing import Any

from ....processing import tokenizer_of
from ....reward_functions.cut_solutions import Limit
from ...kinds import package_of
from ...models.made import is_made
from ...where import own_files
from .. import configs

KEY = "max_completion_length"
SET_LATER = re.compile(rf"\.{KEY}\s*=[^=]")


def limit_of(trainer: Any) -> Limit | None:
    """The limit of the script; None where it, or the run's own tokenizer, is not known."""
    own = getattr(trainer.args, configs.OWN, None)
    tokenizer = tokenizer_of(trainer)
    if own is None or is_made(tokenizer):
        return None
    kind = type(trainer.args)
    given = KEY in own or package_of(kind) != "trl"
    usual = {field.name: field.default for field in dataclasses.fields(kind)}.get(KEY)
    tokens = own.get(KEY, usual)
    said = ("".join(linecache.getlines(file)) for file in own_files())
    if not isinstance(tokens, int) or any(map(SET_LATER.search, said)):
        return None
    return Limit(tokens, given)


def goes_on(trainer: Any) -> bool:
    """Whether a completion ends only with the tokenizer's own end, or at the limit."""
    own = configs.own_of(trainer.args)
    config, tokenizer = getattr(trainer, "generation_config", None), tokenizer_of(trainer)
    if "stop" in str(own.get("generation_kwargs")) or getattr(config, "stop_strings", None):
        return False
    ends = getattr(config, "eos_token_id", None)
    ids = [*ends] if isinstance(ends, (list, tuple)) else [ends]
    return all(
        _is_mark(tokenizer, one) for one in (*ids, tokenizer.eos_token_id) if one is not None
    )


def _is_mark(tokenizer: Any, token: int) -> bool:
    """Whether it is a special token, and no white space that a script has made one."""
    whole, plain = (tokenizer.decode([token], skip_special_tokens=skip) for skip in (False, True))
    return bool(whole.strip()) and not plain
