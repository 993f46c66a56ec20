"""Generation does not stop where the model ends its turn.

A small random model of this architecture was made to generate only the token that ends a turn of
the chat template. With the run's own settings the trainer let it generate until the limit. The real
model will do the same: every completion is clipped, and most of what is generated, scored and
trained on comes after the answer.

Remedy: make the token that ends a turn the tokenizer's eos_token, and list it in
generation_config.json.

Versions: every release of trl; GRPO and RLOO read generation_config.json from 1.14.2 on.

Seen: reproduced: GRPO with trl 0.15.2, 0.24.0 and 1.16.0.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.forward import trainer_named
from trl_doctor.facts.measured.termination import Termination, termination
from trl_doctor.facts.model.files import GENERATION
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.facts.special_tokens import turn_ends
from trl_doctor.probes.answers.termination import Generation, TerminationAnswer, TrainerGeneration

from .._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)
from .._recorded.libraries import IMPORTS
from .._recorded.runs import recorded


def check(facts: Facts) -> Iterator[Finding]:
    if turn_ends.data_kind(facts) == "text":
        raise NotConcerned("only conversations are examined: the rows are plain text")
    tested = facts[termination]
    if tested.trainer.stopped:
        return
    token = turn_ends.shown_ids(facts, (tested.turn_end,))
    yield Finding(
        Place(facts.folder.file(GENERATION)) if facts.folder.has(GENERATION) else facts.run.place(),
        f"{trainer_named(facts)} does not stop a model that generates only {token}: it wrote "
        f"{len(tested.trainer.tokens)} of at most {tested.limit} tokens",
        _evidence(facts, tested),
        follows=turn_ends.CAUSES,
    )


def _evidence(facts: Facts, tested: Termination) -> tuple[str, ...]:
    files = f"after {len(tested.files.tokens)}" if tested.files.stopped else "never"
    return (
        f"the trainer generates until {turn_ends.shown_ids(facts, tested.trainer.eos)}",
        f"it counts a completion as ended at {turn_ends.shown_ids(facts, tested.trainer.counted)}",
        f"the model's own files stop at {turn_ends.shown_ids(facts, tested.files.eos)}: {files}",
        f"tested with a small random {tested.architecture}",
    )


def _answer(eos: list[int], counted: list[int], files: list[int]) -> Answers:
    """The probes' answers, in which `termination` describes a model that generates token 6."""
    by_trainer = TrainerGeneration(*_generation(eos), counted=tuple(counted))
    answer = replace(WELL, files=Generation(*_generation(files)), trainer=by_trainer)
    return {**IMPORTS, "termination": answer}


def _generation(eos: list[int]) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    stopped = 6 in eos
    return tuple(eos), (6,) if stopped else (6,) * 12, stopped


WELL = recorded("grpo", "termination", TerminationAnswer)
OTHER = tokenizer_files(eos_token="<|endoftext|>")
NEVER = candidate(RUN, OTHER, config_files({"eos_token_id": 4}, eos_token_id=4))
LISTED = candidate(RUN, OTHER, config_files({"eos_token_id": 4}, eos_token_id=[4, 6]))
HEALTHY = candidate(RUN, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            NEVER,
            versions={"trl": "1.16.0"},
            answers=_answer([4], [4], [4]),
            says="does not stop a model that generates only <|im_end|> (6): "
            "it wrote 12 of at most 12 tokens",
        ),
        Bad(
            LISTED,
            versions={"trl": "0.24.0"},
            answers=_answer([4], [4], [4, 6]),
            says="GRPOTrainer of trl 0.24.0 does not stop a model",
        ),
        Good(
            LISTED,
            versions={"trl": "1.16.0"},
            answers=_answer([4, 6], [4, 6], [4, 6]),
        ),
        Good(HEALTHY, answers=_answer([6], [6], [6, 4])),
        Good(
            candidate({**RUN, "dataset_format": "text"}, OTHER, CONFIG),
            answers=_answer([4], [4], [4]),
        ),
    ),
)
