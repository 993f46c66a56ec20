"""What the probes of a run import, and whether the imports succeed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.offered import trainer_home

if TYPE_CHECKING:
    from trl_doctor.probes.answers.libraries import LibrariesAnswer

BASE = ("torch", "transformers:AutoModelForCausalLM", "transformers:AutoTokenizer")
"""What nearly every probe imports."""


class ImportFailure(Struct, frozen=True):
    """An import that fails: its error, the error that caused it, and the package at fault.

    `package` is the package at fault, if it is known; `missing` is a module that is not
    installed; both can be empty.
    """

    name: str
    error: str
    cause: str
    missing: str
    package: str


def imports(facts: Facts) -> tuple[str, ...]:
    """What the probes of this run import, together: `module` or `module:attribute`."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        return BASE
    module = home(facts, trainer)
    return (*BASE, "datasets", f"{module}:{trainer.config}", f"{module}:{trainer.trainer}")


def home(facts: Facts, trainer: Trainer) -> str:
    """The module that offers the trainer: `trl`, or `trl.experimental.ppo`."""
    module = trainer_home(facts.environment, trainer.trainer)
    if module is None:
        raise Unavailable(f"trl {facts.environment.version('trl')} has no {trainer.trainer}")
    experimental = module.split(".")[:3]
    return ".".join(experimental) if experimental[1:2] == ["experimental"] else "trl"


def libraries(facts: Facts) -> Answer[LibrariesAnswer]:
    """The answer of the probe that imports everything once."""
    names = imports(facts)
    _ = facts.probes.conditions  # raises where nothing can be asked
    from trl_doctor.probes.answers.libraries import LibrariesAnswer

    request: dict[str, Json] = {"imports": list(names)}
    return facts.probes.ask(Question("libraries", "importing", request, LibrariesAnswer, names))


def failed_imports(facts: Facts) -> tuple[ImportFailure, ...]:
    """The imports that fail, in the order in which they were tried."""
    by_name = facts[libraries].measured().failed
    return tuple(
        ImportFailure(name, failure.error, failure.cause, failure.missing, failure.package)
        for name, failure in by_name.items()
    )


def imported(facts: Facts) -> bool:
    """True; raises `Unavailable` if the libraries do not import."""
    for failure in facts[failed_imports]:
        raise Unavailable(
            f"{failure.name.replace(':', '.')} does not import there: {failure.cause:.200}"
        )
    return True
