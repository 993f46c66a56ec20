"""Why a rehearsal did not finish."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.rehearsing.code_line import CodeLine

Whose: TypeAlias = Literal["script", "candidate", "installation", "machine"]
"""The script's; the model's, tokenizer's or arguments'; the libraries'; or what is lacking here."""


class Failure(Struct, frozen=True):
    """What ended a rehearsal. `message` is a clause; `remedy` is the smallest change that would
    help; `seen` is what the error's own objects say."""

    whose: Whose
    message: str
    remedy: str = ""
    at: CodeLine | None = None
    kind: str = ""
    seen: tuple[str, ...] = ()
