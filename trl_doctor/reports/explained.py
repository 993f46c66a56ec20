"""What reports show of a finding and of several trainers.

Of a finding: why it matters, once for each rule, what to do, its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from trl_doctor.checkup.report import Entry, Report, ShownPlace, TargetReport
from trl_doctor.checkup.stage_shown import StageShown
from trl_doctor.checkup.stages import short
from trl_doctor.core.finding import Severity
from trl_doctor.core.plain import plain
from trl_doctor.core.trainer import NOT_KNOWN


def explained(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each finding with the first paragraph of its rule's reason; empty if it was given before."""
    before: set[str] = set()
    for entry in entries:
        yield entry, "" if entry.rule in before else entry.why.partition("\n\n")[0]
        before.add(entry.rule)


def needs_remedy(entry: Entry) -> bool:
    """Whether the remedy adds something: there is no fix, or the fix is only a guess."""
    if entry.fix is None:
        return True
    return entry.own_remedy and not entry.fix.safe and entry.remedy != entry.fix.message


def remedy_beside_fix(entry: Entry) -> str:
    """The remedy without what the line of the fix has said."""
    said = f"{entry.fix.message}: " if entry.fix else ""
    return entry.remedy.removeprefix(said) if said else entry.remedy


def shows_line(at: ShownPlace) -> bool:
    """Whether the line is worth showing: a key of a file, or any line of a script or a launch file.

    The first line of a file of keys stands for the file.
    """
    keys = at.file.endswith((".json", ".yaml", ".yml"))
    if at.within is None:
        return False
    return bool(at.pointer) or not at.text or not keys or at.within[0] > 1


READ_IN_PART = "as far as it was read"


def read_in_part(target: TargetReport) -> bool:
    """Whether it passed, and only running its script would show the rest."""
    return target.verdict.word == "passed" and target.read_in_part


def next_steps(report: Report) -> list[str]:
    """What would examine more: of several targets only of those that were examined in part."""
    several = len(report.targets) > 1
    return [
        *dict.fromkeys(
            target.next_step
            for target in report.targets
            if target.next_step and (not several or target.read_in_part or target.verdict.lacking)
        )
    ]


def in_one_line(target: TargetReport) -> str:
    """The verdict with the number of findings; what of a script was not read has not passed."""
    parts = (target.verdict.word, READ_IN_PART if read_in_part(target) else "")
    return ", ".join(filter(None, (*parts, in_words(target.counts()))))


def totals(report: Report) -> list[str]:
    """How many targets passed, failed, stayed incomplete: "1 failed", "2 passed, as far as …"."""
    words = [f"{number} {word}" for word, number in report.words().items() if number]
    number = sum(map(read_in_part, report.targets))
    if not number:
        return words
    part = "" if number == report.words()["passed"] else f"{number} of them "
    return [f"{words[0]}, {part}{READ_IN_PART}", *words[1:]]


def total_line(report: Report, empty: str) -> str:
    """The totals in one line, with the checks that did not run for want of the real libraries."""
    unused = max(report.targets, key=lambda target: len(target.deeper()), default=None)
    words = plain(unused.deeper_in_words()) if unused else ""
    if words and len(report.targets) > 1:
        words = f"up to {words}"
    return "; ".join(filter(None, (", ".join(totals(report)) or empty, words)))


def in_words(counts: Mapping[Severity, int]) -> str:
    """`2 errors, 1 note`; empty if nothing was found."""
    return ", ".join(f"{n} {name}{'' if n == 1 else 's'}" for name, n in counts.items() if n)


def stage_lines(target: TargetReport) -> Iterator[str]:
    """A line for each trainer of a script, or for those of one line with the same outcome."""
    numbered = enumerate(target.stages, 1)
    for (name, outcome), group in groupby(numbered, lambda pair: _name_and_outcome(pair[1])):
        which = short([number for number, _ in group])
        yield f"{which} of {len(target.stages)}: {name}: {outcome}"


def _name_and_outcome(stage: StageShown) -> tuple[str, str]:
    return stage.name, ", ".join(filter(None, (stage.verdict, in_words(stage.counts))))


LINE_AT_END = re.compile(r" \(((?:cell \d+, )?line \d+)\)$")
"""Where a source is written: `SFTTrainer (line 3)`."""


def trainer_of(target: TargetReport) -> str:
    """The trainer and the place where it was read: `trainer sft (SFTTrainer, line 3)`."""
    if not target.trainer:
        known = not target.trainer_from.startswith(NOT_KNOWN)
        return target.trainer_from if known else NOT_KNOWN  # the verdict says what would tell it
    source = LINE_AT_END.sub(r", \1", target.trainer_from)
    return f"trainer{'s' if ', ' in target.trainer else ''} {target.trainer} ({source})"
