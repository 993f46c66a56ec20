"""The trainer cannot prepare a row of the data set.

The installed `datasets` loaded the run's rows, and the trainer prepared them with the run's
tokenizer, template and arguments, on a healthy model. One row raises an error: the job fails when
it reaches this row, at the start or hours later. Rows with images are put into batches, those with
the largest images first, and if `max_length` cuts one, its loss is computed: a large image has more
tokens than a small one, and no model accepts an image without some of its tokens.

Remedy: correct the row, or leave it out. The usual cause is `null` where the trainer reads text.
For an image that is cut, set `max_length: null`.

Versions: any; the rule uses the installed release. Rows are prepared for at most a fifth of
`--timeout`; the report names their number. Of rows with images the first 64 are tried, in SFT, DPO
and KTO of the releases that do not tokenize them before they train.

Seen: trl 1.16.0 and 0.24.0, row 81 of 100 with `text: null`, `trl sft`: "'NoneType' object has no
attribute 'endswith'"; with `prompt: null`, `trl grpo`, in the step that draws it: "text input must
be of type `str`"; without the row both runs succeed. SFT and DPO of trl 1.16.0 on Qwen 2.5 VL, one
image of 1200 pixels among seven of 112, `max_length` of 1024 as usual: they fail in the step with
it, "Mismatch in `image` token count" and "`max_length` (1024) is too short"; with `max_length=None`
they train.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import data
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.step_failure import calls_of
from trl_doctor.facts.rows.own import data_key
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.data import DataAnswer, RowFault
from trl_doctor.probes.answers.error import Error

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .._recorded.libraries import IMPORTS
from .._recorded.step import TRL

WHOLE = "cause: max_length cuts the tokens of its images; without max_length the row is accepted"
LONGER = "set `max_length: null`, or more than this row takes, or make the image smaller"


def check(facts: Facts) -> Iterator[Finding]:
    key = data_key(facts)
    answer = facts[data].measured()
    fault = answer.fault
    if fault is None:
        _nothing_is_open(answer)
        return
    if fault.error.contained or fault.error.memory or fault.error.disk:
        raise Unavailable(f"preparing the rows: {fault.error.line}")
    which = "the first row and the last" if fault.every and fault.row == 1 else f"row {fault.row}"
    nulls = (
        f"{name} is null in {count} rows, first in row {first}"
        for name, (count, first) in answer.nulls.items()
    )
    error = f"{fault.error.type}: {fault.error.message}"
    translation = known(error)
    causes = (f"cause: {translation.cause}",) if translation else ()
    if fault.cut:
        causes = (WHOLE,)
    yield Finding(
        facts.run.place(key),
        f"{trainer(facts)} cannot prepare {which} of {answer.source}: {fault.error.line}",
        (*causes, *nulls, *calls_of(fault.error.frames)),
        remedy=LONGER if fault.cut else translation.remedy if translation else "",
        error=error,
        follows=(
            "data-lacks-columns",
            "data-rows-unreadable",
            "data-cell-of-wrong-type",
            "chat-template-missing",
        ),
    )


def _nothing_is_open(answer: DataAnswer) -> None:
    """Raises `Unavailable` if some rows were not prepared."""
    if answer.not_loaded:
        raise Unavailable(f"the rows cannot be loaded: {answer.not_loaded.line}")
    if not answer.prepared:
        raise Unavailable(answer.not_prepared or "no row was prepared")
    if answer.prepared != answer.rows:
        whole = f"{answer.rows:,}" if answer.rows is not None else "more"
        raise Unavailable(
            f"{answer.prepared:,} of {whole} rows are correct, the others were not tested"
        )


RUNS: dict[str, Json] = {**RUN, "dataset_name": "rows"}
FILES = candidate(RUNS, TOKENIZER, CONFIG, {})
NULL = Error("AttributeError", "'NoneType' object has no attribute 'endswith'")
FAULT = RowFault(81, NULL, every=False)
CUT = RowFault(6, Error("ValueError", "Mismatch in `image` token count"), every=False, cut=True)
WELL = DataAnswer("rows", "train", rows=100, prepared=100)


def _answers(answer: DataAnswer) -> Answers:
    return {**IMPORTS, "data": answer}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=_answers(replace(WELL, nulls={"text": (1, 81)}, fault=FAULT)),
            says="cannot prepare row 81 of rows: AttributeError: 'NoneType'",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=_answers(replace(WELL, fault=CUT)),
            says="cannot prepare row 6 of rows: ValueError: Mismatch in `image` token count",
        ),
        Good(FILES, versions=TRL, answers=_answers(WELL)),
        Good(
            FILES,
            versions=TRL,
            answers=_answers(replace(WELL, prepared=64)),
            skipped="64 of 100 rows are correct",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=_answers(replace(WELL, prepared=0)),
            skipped="no row was prepared",
        ),
    ),
)
