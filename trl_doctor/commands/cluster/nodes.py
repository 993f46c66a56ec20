"""One target examined on every node of the cluster, and the nodes compared (`--every-node`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.checkup.report import TargetReport
from trl_doctor.checkup.request import Request
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.commands.cluster import tasks
from trl_doctor.commands.cluster.targets import examined_there, limit
from trl_doctor.commands.examining import Examined, lost
from trl_doctor.core.sizes import GIB, shown
from trl_doctor.core.unavailable import Unavailable

ALIKE = 1e-2
"""How much the losses of one step may differ, as a share: processors round differently."""


class Survey(Struct, frozen=True):
    """The answer of one node: its examined target, its GPUs, what others hold of their memory."""

    examined: tuple[Examined, ...]
    gpus: tuple[str, ...] = ()
    taken: tuple[int, ...] = ()
    steps: Mapping[str, float] = field(default_factory=dict)


def examined_everywhere(request: Request, targets: Sequence[str]) -> Iterator[Examined]:
    """The report of each node about each target; a node unlike the others fails."""
    try:
        ray = tasks.connected()
    except tasks.NoCluster as reason:
        yield from (lost(target, str(reason)) for target in targets)
        return
    nodes = tasks.nodes(ray)
    for target in targets:
        arguments = (request, target, str(Path.cwd()))
        begun = [tasks.begun(ray, surveyed, arguments, node) for node in nodes]
        answers = list(tasks.ended(ray, begun, limit(request)))
        surveys = [surveys for surveys, why in answers if not why]
        for node, (survey, why) in zip(nodes, answers, strict=True):
            name = f"{target} on {node.name}"
            if why:
                yield lost(name, why)
                continue
            unlike, note = tuple(differences(survey, surveys)), _compared(survey, len(surveys) - 1)
            yield from (_judged(each, name, unlike, note) for each in survey.examined)


def surveyed(request: Request, stated_target: str, folder: str) -> Survey:
    """On a node: examine the target there, and look at the GPUs."""
    targets = tuple(examined_there(request, stated_target, folder))
    return Survey(targets, *_gpus(), _steps([target.report for target in targets]))


def differences(survey: Survey, all_: Sequence[Survey]) -> Iterator[str]:
    """What no more than half of the nodes share with this one, and what is wrong with its GPUs."""
    node_facts = [_facts(each) for each in all_]
    for fact in dict.fromkeys(name for facts in node_facts for name in facts):
        value = _facts(survey).get(fact, NONE)
        counts = Counter(facts.get(fact, NONE) for facts in node_facts)
        if counts[value] * 2 <= len(node_facts):
            yield f"the nodes differ: {fact} {value} here, {_elsewhere(counts, value)}"
    for number, memory in enumerate(survey.taken):
        if memory > GIB:
            yield f"another program holds {shown(memory)} of GPU {number} of this node"
    yield from _other_steps(survey, all_)


NONE = "none"
"""The word for a node without such a package or GPU."""


def _elsewhere(counts: Counter[str], value: str) -> str:
    """`1.16.0 on 2 nodes, none on 1`, without what this node has."""
    others = [(other, n) for other, n in counts.most_common() if other != value]
    return ", ".join(f"{value} on {n} node{'s' if n > 1 else ''}" for value, n in others)


def _other_steps(survey: Survey, all_: Sequence[Survey]) -> Iterator[str]:
    """How the tiny step differs from that of most nodes."""
    for name in dict.fromkeys(name for each in all_ for name in each.steps):
        losses = [each.steps[name] for each in all_ if name in each.steps]
        mine = survey.steps.get(name)
        if mine is None:
            yield f"no step was taken here, but on {len(losses)} of {len(all_)} nodes"
            continue
        unlike = [each for each in losses if not isclose(mine, each, rel_tol=ALIKE, abs_tol=1e-6)]
        if unlike and len(unlike) * 2 >= len(losses):
            numbers = ", ".join(f"{each:g}" for each in sorted(unlike)[:4])
            yield f"the nodes differ: one step gives a {name} of {mine:g} here, elsewhere {numbers}"


def _compared(survey: Survey, others: int) -> str:
    """With how many nodes this one was compared, and in what."""
    if not others:
        return "no other node answered: there was nothing to compare"
    losses = [f"the {name} of one step ({loss:.4g})" for name, loss in survey.steps.items()]
    step = ", ".join(losses) or "no step was taken"
    return f"compared with {others} other node{'s' if others > 1 else ''}: versions, GPUs, {step}"


def _facts(survey: Survey) -> dict[str, str]:
    """The versions and GPUs of a node, in words that can be compared."""
    reports = [each.report for each in survey.examined]
    versions = {name: text for each in reports for name, text in each.versions.items()}
    return {**versions, "GPUs": ", ".join(survey.gpus) or NONE}


def _gpus() -> tuple[tuple[str, ...], tuple[int, ...]]:
    from trl_doctor.machine.gpu import gpus

    try:
        listed = gpus()
    except Unavailable:
        return (), ()
    names = tuple(f"{gpu.name} (driver {gpu.driver})" for gpu in listed)
    return names, tuple(gpu.others or 0 for gpu in listed)


def _steps(reports: Sequence[TargetReport]) -> dict[str, float]:
    """The loss of each step that was taken."""
    seconds: dict[str, float] = {}
    for report in reports:
        for run in report.probe_runs:
            loss = (run.measured or {}).get("loss") if run.probe == "step" else None
            if isinstance(loss, int | float):
                seconds["loss"] = float(loss)
    return seconds


def _judged(examined: Examined, name: str, unlike: tuple[str, ...], note: str) -> Examined:
    """The report under the node's name; it fails where the node is unlike the others."""
    report, verdict = examined.report, examined.report.verdict
    if unlike:
        verdict = Verdict("failed", (*unlike, *verdict.lacking), verdict.crashed)
    return replace(
        examined, report=replace(report, given=name, verdict=verdict, notes=(note, *report.notes))
    )
