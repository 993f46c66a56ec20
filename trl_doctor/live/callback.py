"""A callback of the trainer: examines at the beginning, and watches the first logs."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from trl_doctor.core.finding import Severity

LOGGER = logging.getLogger("trl_doctor")
ROW = 3
"""Logs in a row that must look wrong before anything is reported."""

GAP = 0.1
"""The average difference of log-probabilities between engine and trainer that is reported."""


class DoctorCallback:
    """Examines the trainer at `on_train_begin`, and reports problems that the first `logs` logs
    show.

    It raises `Findings` at the beginning if something of the severity `fail_on` or worse is
    found; with None it only reports. What the logs show it says once, with the logger
    `trl_doctor`: losses that are not finite, gradients of zero, rewards without spread,
    completions that never end, an engine whose log-probabilities are not the trainer's.
    `told` are the sentences that were said.
    """

    def __init__(self, fail_on: Severity | None = "error", logs: int = 20) -> None:
        self.fail_on, self.logs = fail_on, logs
        self.told: list[str] = []
        self._seen = 0
        self._rows: dict[str, int] = {}

    def on_train_begin(
        self, args: Any, state: Any, control: Any, *, model: Any = None, **more: Any
    ) -> None:
        """Examine what is about to be trained. Raises `Findings`."""
        from trl_doctor.live.check import judged
        from trl_doctor.live.objects import Live

        tokenizer = more.get("processing_class", more.get("tokenizer"))
        inner = getattr(model, "module", model)
        live = Live(args, getattr(inner, "policy", inner), tokenizer,
                    processes=int(getattr(args, "world_size", 1)))  # fmt: skip
        for entry in judged(live, self.fail_on).roots:
            self._say(f"{entry.severity}: {entry.message} ({entry.rule})")

    def on_log(
        self, args: Any, state: Any, control: Any, *, logs: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:  # fmt: skip
        """Look at what the trainer logs."""
        if not logs or self._seen >= self.logs or not getattr(state, "is_world_process_zero", True):
            return
        self._seen += 1
        for name, (wrong, says) in SIGNS.items():
            value = logs.get(name)
            bad = isinstance(value, int | float) and wrong(float(value))
            self._rows[name] = self._rows.get(name, 0) + 1 if bad else 0
            if bad and (self._rows[name] == ROW or (name == "loss" and self._rows[name] == 1)):
                self._say(says.format(value=value))

    def __getattr__(self, name: str) -> Callable[..., None]:
        """All other events of a trainer pass by."""
        if not name.startswith("on_"):
            raise AttributeError(name)
        return _nothing

    def _say(self, sentence: str) -> None:
        if sentence not in self.told:
            self.told.append(sentence)
            LOGGER.warning("trl-doctor: %s", sentence)


def _nothing(*args: Any, **more: Any) -> None:
    """An event that the doctor does not watch."""


SIGNS: dict[str, tuple[Callable[[float], bool], str]] = {
    "loss": (
        lambda value: not math.isfinite(value),
        "the loss is {value}: the weights are no longer usable",
    ),
    "grad_norm": (
        lambda value: value == 0 or not math.isfinite(value),
        "grad_norm is {value} in three logs: nothing is learned",
    ),
    "completions/clipped_ratio": (
        lambda value: value >= 0.99,
        "all completions run to the length limit: generation does not stop at the end of turns, or "
        "max_completion_length is too short",
    ),
    "frac_reward_zero_std": (
        lambda value: value >= 1,
        "all completions of a prompt get the same reward in three logs: there is no advantage",
    ),
    "sampling/sampling_logp_difference/mean": (
        lambda value: abs(value) > GAP,
        "vLLM's log-probabilities differ from the trainer's by {value:.3f} on average",
    ),
}
"""What a log shows that is wrong, by the name of the number."""
