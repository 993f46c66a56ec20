"""This release of TRL has a known bug without an error.

The run trains on wrong numbers: nothing in the log shows it, and the loss looks normal.

Remedy: install a release in which the bug is fixed, or change the argument that triggers it.

Versions: each bug has its own range of releases. A bug is reported only if the run's arguments show
that its condition holds.

Seen: the issues and pull requests that the finding names; the ranges were read from the releases'
sources, not run.
"""

from ast import literal_eval
from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.library.advisories import advisories
from trl_doctor.facts.rule import Bad, Good, Rule

from ._recorded.candidate import RUN_VLLM

ELSEWHERE = frozenset({"TRLD-2528"})
"""Bugs that another rule examines more closely: ppo-never-stops-at-eos."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    if facts.run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    if isinstance(trainer, Unavailable):
        raise trainer
    if trl is None:
        raise Unavailable("the version of trl is not known: use --with trl==VERSION or --python")
    arguments, defaults = facts.run.arguments, _defaults(facts)
    open_: Unavailable | None = None
    for bug in advisories():
        found = bug.affects(trl, trainer.name)
        try:
            if (
                found is None
                or bug.id in ELSEWHERE
                or not bug.complete
                or not bug.fits(arguments, defaults)
            ):
                continue
        except Unavailable as reason:
            open_ = reason
            continue
        key = next((key for key in bug.when if key in facts.run.arguments), None)
        fixed = f"install trl {found.fixed} or newer" if found.fixed else "no release has a fix yet"
        yield Finding(
            facts.run.place(*([key] if key else [])),
            f"trl {trl}: {bug.summary[0].lower()}{bug.summary[1:]}",
            evidence=(f"applies because {bug.condition}", *bug.references[:1]),
            remedy=fixed,
        )
    if open_ is not None:
        raise open_


def _defaults(facts: Facts) -> Mapping[str, Json]:
    """This release's defaults of arguments that the run does not set, if they are literals."""
    trainer, plain = facts.run.trainer, dict[str, Json]()
    for name, field in (
        ()
        if isinstance(trainer, Unavailable)
        else accepted(facts.environment, trainer).fields.items()
    ):
        try:
            plain[name] = literal_eval(field.default or "None")
        except (ValueError, SyntaxError):
            continue
    return plain


SLEEPING: dict[str, Json] = {
    **RUN_VLLM,
    "vllm_mode": "colocate",
    "vllm_enable_sleep_mode": True,
}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SLEEPING},
            versions={"trl": "1.8.0"},
            says="trl 1.8.0: with sleep mode the engine keeps generating from old weights",
        ),
        Good({"run.json": SLEEPING}, versions={"trl": "1.16.0"}),
        Good({"run.json": SLEEPING}, skipped="the version of trl is not known"),
        Good({"run.json": RUN_VLLM}, versions={"trl": "1.8.0"}),
    ),
)
