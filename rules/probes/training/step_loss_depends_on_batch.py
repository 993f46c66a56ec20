"""The loss of a row depends on the rows beside it.

After the real step on a small model, two rows of different length were given to the trainer's own
loss: each alone, and both in one batch, in float32 and without dropout. The loss of the batch is
not the mean of the two: padding, truncation or attention lets one row change the other. The run
trains on texts that are not in the data, and no error is raised.

A tokenizer that pads on the left does it, too, in SFT of old releases: the padding before a row has
to predict the first token of the row.

Remedy: let the tokenizer pad on the right (`tokenizer.padding_side = "right"`) if it pads on the
left; else install another release of trl or transformers. Or train with
`per_device_train_batch_size: 1` and more `gradient_accumulation_steps`: then each batch has only
one row.

Versions: any; the rule uses the installed release. SFT, DPO and reward trainers are judged if their
loss is a mean over rows or tokens. Not judged are classes with a `compute_loss` of their own, DPO's
`aot` and `sft` losses and `rpo_alpha`, experts with a loss for their router, and rows that have
another loss each time, as those of a collator that draws noise.

Seen: SFT of trl 0.15.2 with a tokenizer that pads on the left differs by 0.04 %, and by nothing if
it pads on the right. SFT of trl 0.19.1 with `padding_free` and sdpa differs by 0.16 %, DPO of trl
0.12.2 with pairs whose answers lose their last token (TRLD-2332) by 2 %. Healthy runs of Llama,
GPT-2, OPT, BLOOM, Mamba, Gemma 2 and Gemma 3 with trl 0.12.2, 0.24.0 and 1.16.0 differ by less than
0.0001 %.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.row_losses import two_rows
from trl_doctor.facts.measured.step import step
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.step import RowLosses

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import LEARNED, SFT, TRL, answers

MOST = 1e-4
"""The largest share of the loss by which healthy runs may differ; they differ by 5e-7."""

BATCH = "per_device_train_batch_size"


def check(facts: Facts) -> Iterator[Finding]:
    losses = two_rows(facts)
    if facts.run.number(BATCH) == 1:
        raise NotConcerned("a batch has one row")
    if any(losses.targets) != all(losses.targets):
        raise Unavailable("one of the two rows has no token to learn")
    if not all(map(isfinite, (*losses.alone, losses.together))):
        raise Unavailable("a loss is not finite")
    expected = _mean(losses.alone, losses.targets)
    differs = abs(losses.together - expected) / max(abs(expected), 1e-3)
    if differs <= MOST:
        return
    first, last = losses.alone
    yield Finding(
        facts.run.place(BATCH),
        f"the loss of {trainer(facts)} for two rows in one batch is {losses.together:.4f}, and "
        f"their mean is {expected:.4f}: a row changes the one beside it",
        evidence=(
            f"alone the rows have {first:.4f} and {last:.4f}, in float32 and without dropout",
            *repeated(facts[step]),
        ),
        follows=("padding-free-mixes-rows", "trl-release-has-silent-bug"),
    )


def _mean(alone: tuple[float, float], targets: tuple[int, int]) -> float:
    """The mean over tokens where these are counted, else over rows."""
    few, many = targets if all(targets) else (1, 1)
    return (alone[0] * few + alone[1] * many) / (few + many)


EQUAL = RowLosses((6.1, 5.1), (6.0, 5.0), (10, 30), 5.25)
MIXED = replace(EQUAL, together=5.26)
ONE = candidate({**RUN, "trainer": "sft", BATCH: 1}, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=MIXED)),
            says="for two rows in one batch is 5.2600, and their mean is 5.2500: a row changes",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=replace(EQUAL, targets=(0, 0)))),
            says="is 5.2500, and their mean is 5.5000",
        ),
        Good(SFT, versions=TRL, answers=answers(replace(LEARNED, row_losses=EQUAL))),
        Good(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=replace(MIXED, targets=(0, 30)))),
            skipped="one of the two rows has no token to learn",
        ),
        Good(ONE, versions=TRL, answers=answers(replace(LEARNED, row_losses=MIXED))),
        Good(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=replace(MIXED, together=float("nan")))),
            skipped="a loss is not finite",
        ),
        Good(
            SFT,
            versions=TRL,
            answers=answers(LEARNED),
            skipped="all rows have the same length",
        ),
        Good(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=replace(EQUAL, why="KeyError: 'x'"))),
            skipped="KeyError: 'x'",
        ),
    ),
)
