"""Findings that are ignored: by comments, by the settings, by a baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.outcome import Ignored, Outcome
from trl_doctor.checkup.places import Places
from trl_doctor.core.finding import Finding, Place, Severity, Spot
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.rule import Rule
from trl_doctor.files.regular import text_of
from trl_doctor.machine.settings_table import Ignore

UNKNOWN = Rule(
    """An ignore names a rule that does not exist.

The ignore has no effect, and the finding that it was meant for may be reported.

Remedy: correct the name; `trl-doctor rules` lists them.
""",
    "error",
    lambda _: (),
    (),
    "ignore-unknown-rule",
)
UNUSED = Rule(
    """An ignore matches no finding.

The finding that it was written for no longer occurs. If the ignore stays, it will hide the same
problem when it comes back.

Remedy: remove the ignore.
""",
    "warning",
    lambda _: (),
    (),
    "ignore-unused",
)
STALE = Rule(
    """The baseline lists findings that no longer occur.

If they stay in the baseline, it will hide the same problems when they come back.

Remedy: update it: `--baseline FILE --update-baseline`.
""",
    "error",
    lambda _: (),
    (),
    "baseline-stale",
)
OWN = (UNKNOWN, UNUSED, STALE)


class Silence(Struct, frozen=True):
    """What is not reported: the ignores of the settings, and a baseline: fingerprints by target,
    each with its rule.

    `severity` is the severity of a rule's findings by the settings. `known` are the names of all
    rules.
    """

    known: tuple[str, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    baseline: Mapping[str, Mapping[str, str]] | None = None


class _Ignore(Struct):
    """An ignore: which rules, at which line (None: anywhere), why, and whether it was used.

    `script` is the script that has it, None for one of a run file or the settings.
    """

    pattern: str
    reason: str
    place: Place
    where: str = ""
    line: int | None = None
    script: Path | None = None
    used: bool = False


def quieted(checkup: Checkup, silence: Silence, script: Path | None = None) -> Checkup:
    """The checkup without ignored findings, and with findings about wrong ignores.

    `script` is what a rehearsal has run, whose target is another file.
    """
    ignores = list(_ignores(checkup, silence, script or checkup.run.target.path))
    places = Places(checkup.run)
    prints = fingerprints(checkup, places)
    listed = (silence.baseline or {}).get(checkup.run.target.given, {})
    outcomes = tuple(
        _quieted(outcome, silence, ignores, places, prints, listed) for outcome in checkup.outcomes
    )
    stale_rules = [rule for print_, rule in listed.items() if print_ not in prints.values()]
    findings = [*_wrong(checkup, ignores, silence), *_stale(checkup, stale_rules)]
    return replace(checkup, outcomes=(*outcomes, *findings))


def fingerprints(checkup: Checkup, places: Places) -> dict[int, str]:
    """The fingerprint of each finding, by its identity."""
    counts = Counter[str]()
    return {
        id(reported.finding): places.fingerprint(
            reported.outcome.rule.name, reported.finding.place, counts
        )
        for reported in checkup.reported
    }


def _ignores(checkup: Checkup, silence: Silence, path: Path) -> Iterator[_Ignore]:
    run = checkup.run
    if not isinstance(run.file, Unavailable) and run.file and run.file.format == "yaml":
        from trl_doctor.files.comments import comments

        for comment in comments(run.file.data.decode()):
            line = None if comment.alone else comment.line
            place = run.file.line_place(comment.line)
            for pattern in comment.ignored:
                yield _Ignore(pattern, comment.reason, place, line=line)
    for script in _scripts(checkup, path):
        yield from _of_script(script)
    for setting in silence.ignores:
        if _concerns(setting, path):
            yield _Ignore(setting.rule, setting.reason, Place(path), "the settings: ")


def _scripts(checkup: Checkup, path: Path) -> list[Path]:
    """The run's script, and those in which something was found."""
    found = [finding.place.file for item in checkup.outcomes for finding in item.findings]
    files = dict.fromkeys(file.absolute() for file in (path, *found))
    return [file for file in files if file.suffix == ".py"]


def _of_script(script: Path) -> Iterator[_Ignore]:
    """The ignores in its comments; none where it cannot be read."""
    from trl_doctor.files.comments import comments

    try:
        text = text_of(script)
    except (OSError, ValueError):
        return
    for comment in comments(text):
        line = None if comment.alone else comment.line
        place = Place(script, spot=Spot(comment.line, 1))
        for pattern in comment.ignored:
            yield _Ignore(pattern, comment.reason, place, line=line, script=script)


def _concerns(setting: Ignore, path: Path) -> bool:
    try:
        return fnmatchcase(path.absolute().relative_to(setting.folder).as_posix(), setting.path)
    except ValueError:
        return setting.path == "*"


def _quieted(
    outcome: Outcome,
    silence: Silence,
    ignores: list[_Ignore],
    places: Places,
    prints: Mapping[int, str],
    listed: Mapping[str, str],
) -> Outcome:
    reported: list[Finding] = []
    ignored: list[Ignored] = []
    for finding in outcome.findings:
        reason = _reason(outcome, finding, ignores, places)
        if prints[id(finding)] in listed:
            reason = reason or "it is in the baseline"
        if reason:
            ignored.append(Ignored(finding, reason))
        elif severity := silence.severity.get(outcome.rule.name):
            reported.append(replace(finding, severity=severity))
        else:
            reported.append(finding)
    if not outcome.findings:
        return outcome
    state = outcome.state if reported or not ignored else "ignored"
    return replace(outcome, state=state, findings=tuple(reported), ignored=tuple(ignored))


def _reason(outcome: Outcome, finding: Finding, ignores: list[_Ignore], places: Places) -> str:
    reason = ""
    for ignore in ignores:
        if not fnmatchcase(outcome.rule.name, ignore.pattern):
            continue
        if ignore.line is None or ignore.line in _lines(finding, places, ignore.script):
            ignore.used = True
            reason = reason or ignore.reason
    return reason


def _lines(finding: Finding, places: Places, script: Path | None) -> set[int | None]:
    """The lines of the run file, or of a script, at which a finding can be ignored: its own, or
    that of its model's name."""
    target = places.run.target.path
    if script is not None:
        own = finding.place if finding.place.file.absolute() == script else None
        return {places.spot(own).line} if own else set()
    if finding.place.file == target:
        return {places.spot(finding.place).line}
    keys = (
        places.spot(model.place).line
        for model in places.run.models.values()
        if not isinstance(model.folder, Unavailable)
        and model.folder.path in (finding.place.file, *finding.place.file.parents)
    )
    return set(keys)


def _wrong(checkup: Checkup, ignores: list[_Ignore], silence: Silence) -> Iterator[Outcome]:
    ran_rules = [
        outcome.rule.name for outcome in checkup.outcomes_in("clear", "found", "not concerned")
    ]
    unknown, unused = [], []
    for ignore in ignores:
        if not any(fnmatchcase(name, ignore.pattern) for name in silence.known):
            from trl_doctor.core.similar import similar

            near = similar(ignore.pattern, silence.known, 1)
            hint = f"; did you mean {near[0]}?" if near else "; see `trl-doctor rules`"
            message = f"{ignore.where}no rule is called {ignore.pattern}{hint}"
            unknown.append(Finding(ignore.place, message))
        elif ignore.script:
            continue  # what `check` does not find may be found by a rehearsal, or the other way
        elif not ignore.used and any(fnmatchcase(name, ignore.pattern) for name in ran_rules):
            message = f"{ignore.where}{ignore.pattern} is ignored, but there is no such finding"
            unused.append(Finding(ignore.place, message))
    if unknown:
        yield Outcome(UNKNOWN, "found", tuple(unknown))
    if unused:
        yield Outcome(UNUSED, "found", tuple(unused))


def _stale(checkup: Checkup, rules: list[str]) -> Iterator[Outcome]:
    if rules:
        number = f"{len(rules)} finding{'s' * (len(rules) > 1)} of the baseline"
        message = (
            f"{number} no longer occur{'' if len(rules) > 1 else 's'}: {', '.join(sorted(rules))}"
        )
        yield Outcome(STALE, "found", (Finding(Place(checkup.run.target.path), message),))
