"""The trl command fails before its first training step.

TRL's own script was run on this run file, with a small random model in place of the real one: it
parsed the arguments, loaded the data set and its splits, found the reward functions, and created
the trainer and its optimizer. It raised an error, and the job will raise it on every node.

Remedy: correct what the error names. If another script than TRL's own reads the file, ignore this
rule.

Versions: any release whose command the run uses; the rule uses the installed release.

Seen: reproduced with trl 1.16.0, 0.24.0 and 0.14.0, and `trl sft --config` failed in the same way:
KeyError: 'training' of `dataset_train_split: training`, KeyError: 'test' of `eval_strategy: steps`
if the data have no test split, "BuilderConfig 'main' not found" of `dataset_config: main`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.question import Raised
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import unknown_arguments
from trl_doctor.facts.measured.config import config
from trl_doctor.facts.measured.data import data, is_error_of_rows
from trl_doctor.facts.measured.error_place import named_in
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.start import own_start_failure
from trl_doctor.facts.measured.step_failure import calls, repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.start import StartAnswer

from .._recorded.candidate import RUN
from .._recorded.step import FILES, TRL, answers, raised, well

FIRST = ("data-not-found", "data-lacks-columns", "reward-not-found",
         "argument-names-no-file", "reward-not-importable", "reward-raises",
         "reward-count-wrong", "eval-batch-not-divisible-by-generations",
         "batch-not-divisible-by-generations", "package-not-installed", "model-does-not-load",
         "checkpoint-shapes-differ", "evaluation-without-data")  # fmt: skip
"""Rules that explain the cause better than the error, if they found something."""


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.target.kind != "run":
        raise NotConcerned("the target is not a run file of the trl command")
    if script := unknown_arguments(facts).script:
        raise Unavailable(f"the run file is for another script than TRL's own: it has {script}")
    answer = own_start_failure(facts)
    if answer is None or answer.raised is None:
        return
    error = f"{answer.raised.type}: {answer.raised.message}"
    translation = known(error)
    lacks = _split_that_lacks(facts, answer.raised)
    yield Finding(
        facts.run.place(lacks[0]) if lacks else named_in(facts, error),
        f"`trl {_name(facts)}` fails before its first step: {answer.raised.line}",
        evidence=(
            *((f"cause: {translation.cause}",) if translation else ()),
            *((f"cause: {lacks[1]}",) if lacks else ()),
            f"{trainer(facts)}",
            *calls(answer),
            *repeated(answer),
        ),
        remedy=translation.remedy if translation else "",
        error=error,
        follows=tuple(_errors_before(facts, error)),
    )


def _split_that_lacks(facts: Facts, raised: Raised) -> tuple[str, str] | None:
    """The argument that asks for a split which the data do not have, and that in words."""
    arguments, reads_split = (
        facts.run.arguments,
        any("dataset[" in frame[3] for frame in raised.frames),
    )
    for key, usual, asks in SPLITS:
        split = str(arguments.get(key) or usual)
        if reads_split and raised.type == "KeyError" and raised.message == repr(split):
            split_key = key if key in arguments else asks
            mixture = arguments.get("datasets") is not None
            ends = ": a mixture (datasets) has only the split train" if mixture else ""
            return split_key, f"{split_key} needs a split {split}, which the data do not have{ends}"
    return None


SPLITS = (
    ("dataset_test_split", "test", "eval_strategy"),
    ("dataset_train_split", "train", "dataset_name"),
)
"""The argument that names a split, its usual name, and the argument that asks for it."""


def _name(facts: Facts) -> str:
    trainer = facts.run.trainer
    return "command" if isinstance(trainer, Unavailable) else trainer.name


def _errors_before(facts: Facts, error: str) -> Iterator[str]:
    """The rules that report the same error of the arguments, or the cause of a KeyError."""
    answered = facts.get(config)
    refused = answered.value.raised if answered and answered.value else None
    if refused is not None and refused.message[:60] in error:
        yield "argument-refused-by-trl"
    rows = facts.get(data)
    if rows and rows.value and is_error_of_rows(rows.value, error):
        yield from ("data-row-refused", "data-not-loaded")
    if "num_samples" in error:
        yield from ("step-rows-lost", "run-takes-no-step")
    if "dataloader does not have a length" in error:
        yield "run-takes-no-step"
    if "because of the following error" in error:
        yield "reward-not-importable"
    if error.startswith(("KeyError", "Import", "Module", "Attribute")):
        yield from FIRST


SPLIT: dict[str, Json] = {**RUN, "dataset_train_split": "training"}
NO_SPLIT = raised(
    "KeyError",
    "'training'",
    ("site-packages/trl/scripts/sft.py", 150, "main", "train_dataset=dataset["),
)
STARTS = StartAnswer(True, {})
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {**FILES, "run.json": SPLIT},
            versions=TRL,
            answers={**answers(well()), "start": NO_SPLIT},
            says="fails before its first step: KeyError: 'training'",
        ),
        Good(FILES, versions=TRL, answers={**answers(well()), "start": STARTS}),
    ),
)
