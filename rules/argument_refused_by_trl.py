"""The trainer's config class refuses the run's arguments.

The values were given to the real config class of the installed trl, as the job's script does first
of all. It raised, and so will the job, on every node.

Remedy: say a value that the message names, or take the key out.

Versions: any; the installed one is asked.

Seen: ran with trl 1.16.0 and transformers 5.23.0, and trl's own command died of each: "stepz is not
a valid IntervalStrategy", "cosin is not a valid SchedulerType", "wandbb is not supported".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.config import config
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.facts.unknown_arguments import no_other_program
from trl_doctor.probes.answers.config import ConfigAnswer
from trl_doctor.probes.answers.error import Error

from .recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .recorded.libraries import IMPORTS
from .recorded.runs import recorded


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.target.kind == "model":
        raise NotConcerned("a model folder has no arguments")
    no_other_program(facts)
    found = facts[config].measured()
    raised = found.raised
    if raised is None or raised.contained:
        return
    first = " ".join(raised.message.split())
    refuses = (
        "the trainer cannot report as the run says"
        if found.reports
        else f"{found.config} of trl {facts.environment.version('trl')} refuses the arguments"
    )
    yield Finding(
        _place(facts, first, found.reports),
        f"{refuses}: {raised.type}: {first:.300}",
        follows=(
            "argument-of-wrong-type",
            "batch-not-divisible-by-generations",
            "package-not-installed",
            "gpu-without-bf16",
        ),
    )


def _place(facts: Facts, said: str, reports: bool) -> Place:
    """The argument whose value the error repeats, or whose name; else the file."""
    if reports:
        return facts.run.place("report_to")
    given = facts.run.arguments
    by_value = [name for name, one in given.items() if isinstance(one, str) and one in said]
    by_name = [name for name in given if name in said]
    return facts.run.place(*(by_value or by_name)[:1])


def _raised(message: str, reports: bool = False) -> Answers:
    error = Error("ValueError", message)
    return {**IMPORTS, "config": ConfigAnswer("GRPOConfig", error, reports)}


WELL: Answers = {**IMPORTS, "config": recorded("grpo", "config", ConfigAnswer)}
STEPZ = "stepz is not a valid IntervalStrategy, please select one of ['no', 'steps', 'epoch']"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**RUN, "eval_strategy": "stepz"}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised(STEPZ),
            says="GRPOConfig of trl 1.16.0 refuses the arguments: ValueError: stepz is not a",
        ),
        Bad(
            candidate({**RUN, "report_to": "wandbb"}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised("wandbb is not supported, only ...", reports=True),
            says="wandbb is not supported",
        ),
        Good(candidate(RUN, TOKENIZER, CONFIG), versions={"trl": "1.16.0"}, answers=WELL),
    ),
)
