"""The trainer drops rows of the data set, or cuts their ends.

The trainer's own preparation processed the run's first rows with the run's real max_length. Some
rows have no target, were dropped, or lost their ends, and there is no warning.

Remedy: raise max_length, or leave longer rows out. For DPO, `truncation_mode: keep_end` cuts
prompts instead of answers in the releases that have it. If the rows come with a mask that is all
zeros, correct what makes it: a tokenizer needs `{% generation %}` in its chat template for one.

Versions: any. RewardTrainer drops rows that are longer than max_length in every release.

Seen: SFT on prompts longer than max_length: trl 0.19.1 and 0.24.0 keep rows without targets, and
the loss is NaN; trl 1.16.0 drops them, and if none is left the sampler raises an error. With trl
0.24.0 also rows with masks of zeros, which the script makes itself (liquid-finetune#37) or by
ids of another tokenizer (happy-llm#50). trl#6671:
with `packing` 1.16.0 keeps rows that are all prompt; the loss is 0, and 5.8 with a longer limit.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import training_rows
from trl_doctor.facts.measured.live import live
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.rows import TEMPLATE, Labels

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import SFT, TRL, answered, trained

MODE, KEEPS_END = "truncation_mode", "keep_end"
MANY = 0.5
"""From this share of rows on the finding is a warning, if rows only lose their ends."""


LONGER = "raise max_completion_length to the longest answer"

LABELS = "labels"
EMPTY = "have no targets: nothing is learned from them"
BY_COLUMN = "correct what makes the column {}: it leaves out each token of these rows"
BY_TEMPLATE = (
    "in the chat template write {% generation %} before an answer and {% endgeneration %} behind "
    "it: without them the mask that the tokenizer makes is all zeros"
)
UNFOUND = ", the collator's response_template is not in them"
REMEDIES = {
    "assistant_masks": BY_TEMPLATE,
    LABELS: "correct what makes the column labels: it is -100 for each token of these rows. Code "
    "that looks for the answer by token ids which are written as numbers does not find it with "
    "another tokenizer: make the ids with the run's own",
    TEMPLATE: "write response_template as the rows have it: in YAML '\\n' in single quotes is no "
    "line break; where its tokens differ inside a text, pass the collator their ids",
}
LIMITED = ("data-longer-than-positions", "argument-length-leaves-no-answer")
"""Rules about limits that rows do not fit into."""


def check(facts: Facts) -> Iterator[Finding]:
    rows_of_run = facts[training_rows]
    labels = rows_of_run.labels
    if rows_of_run.generated:
        raise Unavailable("the run's rows are not on this machine")
    if labels.packed:
        yield from _packed(facts, labels)
        return
    live_trainer = facts.get(live) is not None
    if live_trainer and not labels.rows:
        yield Finding(facts.run.place(), f"no row is left in the train_dataset of {trainer(facts)}")
        return
    yield from _whole(facts, labels)
    if live_trainer and not labels.empty:
        raise Unavailable("a built trainer does not say how many rows it was given")


def _whole(facts: Facts, labels: Labels) -> Iterator[Finding]:
    """Rows that are dropped, teach nothing, or are cut."""
    before, rows = labels.rows_given, labels.rows
    cases: tuple[tuple[int, str], ...] = (
        (before - rows, "are dropped"),
        (labels.empty, EMPTY),
    )
    limit = f"max_length is {labels.max_length}"
    if labels.emptied_by and not labels.full:
        yield _emptied(facts, labels)
        cases = cases[:1]
    for count, problem in cases:
        if count > 0:
            severity: Severity | None = None if count == before else "warning"
            yield Finding(
                facts.run.place("max_length"), _message(facts, count, before, problem),
                (limit,), severity=severity, follows=LIMITED,
            )  # fmt: skip
    cut = labels.full - labels.empty - len(labels.longer)
    if cut >= MANY * before:
        end = "beginnings" if facts.run.arguments.get(MODE) == KEEPS_END else "ends"
        problem = f"are as long as max_length ({labels.max_length}): their {end} are cut off"
        yield Finding(
            facts.run.place("max_length"), _message(facts, cut, before, problem),
            severity="warning", follows=LIMITED,
        )  # fmt: skip
    if labels.cut >= MANY * before:
        problem = (
            f"have answers of max_completion_length ({labels.most}) tokens: the rest is cut off"
        )
        yield Finding(
            facts.run.place("max_completion_length"), _message(facts, labels.cut, before, problem),
            severity=None if labels.cut == before else "warning", remedy=LONGER,
        )  # fmt: skip


def _emptied(facts: Facts, labels: Labels) -> Finding:
    """Rows that come with a mask, or with labels, that leave out all of their tokens."""
    column = labels.emptied_by
    without = "is -100 for" if column == LABELS else "leaves out"
    return Finding(
        facts.run.place(),
        _message(facts, labels.empty, labels.rows_given, EMPTY)
        + (UNFOUND if column == TEMPLATE else f", their column {column} {without} each token"),
        severity=None if labels.empty == labels.rows_given else "warning",
        remedy=REMEDIES.get(column) or BY_COLUMN.format(column),
    )


def _packed(facts: Facts, labels: Labels) -> Iterator[Finding]:
    """Packed rows are cut and joined on purpose; but those without a target teach nothing."""
    if labels.empty >= MANY * labels.rows > 0:
        yield Finding(
            facts.run.place("max_length"),
            f"{labels.empty} of {labels.rows} packed rows of {trainer(facts)} have no targets: "
            "nothing is learned from them",
            (f"max_length is {labels.max_length}",),
            severity=None if labels.empty == labels.rows else "warning",
            follows=LIMITED,
        )


def _message(facts: Facts, count: int, before: int, problem: str) -> str:
    return f"{count} of the first {before} rows of {trainer(facts)} {problem}"


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            answers=trained(cut=2, most=32),
            says="have answers of max_completion_length (32) tokens: the rest is cut off",
        ),
        Bad(
            SFT,
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            answers=trained(targets=(0, 0), empty=2, turn_end=0, emptied_by="assistant_masks"),
            says="nothing is learned from them, their column assistant_masks leaves out each token",
        ),
        Bad(
            SFT,
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            answers=trained(targets=(0, 0), empty=2, turn_end=0, emptied_by=TEMPLATE),
            says="nothing is learned from them, the collator's response_template is not in them",
        ),
        Bad(
            SFT,
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            answers=trained(targets=(0, 0), empty=2, full=2, turn_end=0),
            says="2 of the first 2 rows of SFTTrainer of trl 0.24.0 have no targets",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained({"gradients": None}, rows_given=4, rows=0, targets=(), turn_end=0),
            says="4 of the first 4 rows of SFTTrainer of trl 1.16.0 are dropped",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(rows_given=64, rows=60),
            says="4 of the first 64 rows",
            severity="warning",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(full=1),
            says="1 of the first 2 rows of SFTTrainer of trl 1.16.0 are as long as max_length",
            severity="warning",
        ),
        Bad(
            candidate({**RUN, "trainer": "sft", MODE: KEEPS_END}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=trained(full=2),
            says="their beginnings are cut off",
            severity="warning",
        ),
        Good(SFT, versions=TRL, answers=trained(full=2, longer=(40, 41))),
        Good(SFT, versions=TRL, answers=trained()),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(packed=True, rows=4, targets=(0, 2, 0, 0), empty=3),
            says="3 of 4 packed rows of SFTTrainer of trl 1.16.0 have no targets",
            severity="warning",
        ),
        Good(SFT, versions=TRL, answers=trained(packed=True, rows=1)),
        Good(
            SFT,
            versions=TRL,
            answers=trained({"rows_from": "made"}, full=2),
            skipped="the run's rows are not on this machine",
        ),
        Good(SFT, versions=TRL, answers=answered()),
    ),
)
