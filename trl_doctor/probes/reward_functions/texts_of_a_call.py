"""What a function says of texts that are tried in one call, unless it compares these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from . import opened_tags
from .calls import Sheet
from .ended import ends
from .line_ends import asks_for_line_end
from .rows import Case
from .several_lines import misses_lines
from .targets import least


class Tried(Protocol):
    """The completions, the column of right answers, and the tag that prompts end with."""

    @property
    def cases(self) -> Sequence[Case]: ...
    @property
    def gold(self) -> str | None: ...
    @property
    def opened(self) -> str: ...


def of_texts(
    function: Callable[..., Any], sheet: Sheet, trial: Tried, seconds: float
) -> dict[str, Any]:
    """Fields of a `RewardTrial`: forms that it misses, and lengths that it looks for."""
    opened = trial.opened and opened_tags.asks_for(function, sheet, trial.opened, trial.gold)
    return {
        "asks_for": trial.opened if opened else "",
        "misses_lines": misses_lines(function, sheet, trial.cases, trial.gold),
        **ends(function, sheet, trial.cases),
        "misses_bare_ends": asks_for_line_end(function, sheet, trial.cases, trial.gold),
        **least(function, sheet, seconds, trial.cases),
    }
