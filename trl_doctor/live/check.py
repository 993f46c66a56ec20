"""`trl_doctor.check(trainer)`: the rules asked about a trainer that has just been built."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.discover import chosen, discover
from trl_doctor.checkup.first_row import of_segments
from trl_doctor.checkup.gather import gathered
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.report import TargetReport
from trl_doctor.checkup.verdict import verdict
from trl_doctor.core.finding import SEVERITIES, Severity
from trl_doctor.facts.rule import Rule
from trl_doctor.facts.run import OWN_KEYS
from trl_doctor.files.target import LIVE, Target
from trl_doctor.live.naming import Names
from trl_doctor.live.objects import Live, names, of_trainer, written
from trl_doctor.live.oracle import LiveOracle
from trl_doctor.live.report import LiveReport
from trl_doctor.machine.environment import environment

LOGGER = logging.getLogger("trl_doctor")
NOT_ASKED = "a live trainer is only read: `trl-doctor rehearse` takes steps"


class Findings(Exception):
    """The doctor found something; `report` has all of it, and the message is the report's text."""

    def __init__(self, report: LiveReport) -> None:
        super().__init__("\n" + report.as_text(quiet=True))
        self.report = report


def check(
    trainer: Any,
    *,
    fail_on: Severity | None = "error",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> LiveReport:
    """Examine a trainer before it trains: tokenizer, model, arguments, labels, as they are now.

    No step is taken and nothing is changed. Every process of a run may call it: all find the
    same. The report has the first row as the trainer reads it: `print` it, or let a notebook show
    it. `select` and `ignore` are patterns of rules. Raises `Findings` if something of the severity
    `fail_on` or worse is found; with None it only reports. Raises `RuntimeError` if no rules are
    installed.
    """
    if fail_on is not None and fail_on not in SEVERITIES:
        raise ValueError(f"fail_on is {', '.join(SEVERITIES)} or None, not {fail_on!r}")
    if not hasattr(trainer, "model") or not hasattr(trainer, "args"):
        raise TypeError(f"check takes a trainer, not {type(trainer).__name__}")
    return judged(of_trainer(trainer), fail_on, select, ignore)


def judged(
    live: Live, fail_on: Severity | None, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> LiveReport:
    """Examine what a trainer holds. Raises `Findings` as `check` does."""
    with tempfile.TemporaryDirectory(prefix="trl-doctor-live-") as folder:
        checkup = _checkup(live, Path(folder).resolve(), select, ignore)
        report = _with_row(gathered(checkup, verdict(checkup, fail_on or "error")), live)
    if fail_on is not None and report.verdict.word == "failed":
        raise Findings(report)
    return report


def _with_row(report: TargetReport, live: Live) -> LiveReport:
    """The report with the first row of a trainer that learns from its rows."""
    row = of_segments(live.name, live.first_row)
    rows = (row,) if row else ()
    return LiveReport(**{**structs.asdict(report), "first_rows": rows})


def _checkup(live: Live, into: Path, select: Sequence[str], ignore: Sequence[str]) -> Checkup:
    file, beside = written(live, into)
    world = environment(None)
    target = Target(live.name or type(live.arguments).__name__, "run", file, LIVE)
    options = Options(offline=True)
    run = replace(
        open_run(target, world, options),
        by_class=True,
        beside=OWN_KEYS | beside,
        trainer_from="created by the program",
    )
    rules = chosen(installed(), tuple(select), tuple(ignore))
    checkup = examine(run, world, rules, LiveOracle(NOT_ASKED, live.looks))
    return Names(into, names(live)).placed(checkup)


def installed() -> tuple[Rule, ...]:
    """All rules; what could not be loaded is logged. Raises `RuntimeError` if there are none."""
    rules = discover()
    if not rules.rules:
        raise RuntimeError("; ".join(rules.problems))
    for problem in rules.problems:
        LOGGER.warning(problem)
    return rules.rules
