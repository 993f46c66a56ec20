"""OnlineDPO's max_length has no room for a prompt.

The trainer joins prompt and completion, and cuts the beginning of the prompt if both are longer
than `max_length`. If `max_new_tokens` is as large, a completion that reaches its limit leaves no
token of the prompt. Older releases then fail ("The size of tensor a (0) must match"), in the first
step whose completions are long enough; newer ones train answers without their question.

Remedy: set `max_length` to `max_new_tokens` and what the longest prompt takes.

Versions: OnlineDPO with `max_length`, from trl 0.13 on. It fails before 0.24.

Seen: trl#4193. Reproduced with trl 0.15.2 and 0.19.1: the step fails if both are 24, and trains
with `max_length: 256`. 0.24.0 and 1.16.0 train on without the prompt.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of

WHOLE, ANSWER, TRAINS_ON = "max_length", "max_new_tokens", Version("0.24.0")


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, accepted) = facts.run, known_to_trl(facts)
    trl = trl_of(facts)
    if trainer.name != "online_dpo" or WHOLE not in accepted.fields or trl is None:
        raise NotConcerned("only OnlineDPO cuts prompts to make room for completions")
    whole, answer = (
        _number(accepted.fields[key].default, run.number(key)) for key in (WHOLE, ANSWER)
    )
    if whole is None or answer is None or whole > answer:
        return
    key = WHOLE if run.arguments.get(WHOLE) is not None else ANSWER
    effect = "the step fails" if trl < TRAINS_ON else "it is trained without its question"
    yield Finding(
        run.place(key),
        f"{WHOLE} is {whole} and {ANSWER} is {answer}: a completion that reaches its limit leaves "
        f"no token of the prompt, and {effect}",
        severity=None if trl < TRAINS_ON else "warning",
    )


def _number(default: str | None, stated: float | None) -> int | None:
    if stated is not None:
        return int(stated)
    return int(default) if default and default.isdigit() else None


def _files(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "online_dpo", "model_name_or_path": "m", **arguments}}


OLD, NEW = {"trl": "0.19.1"}, {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"size of tensor a \(0\) must match",
    examples=(
        Bad(_files(max_length=24, max_new_tokens=24), versions=OLD, says="and the step fails"),
        Bad(
            _files(max_new_tokens=1024),
            versions=NEW,
            severity="warning",
            says="it is trained without its question",
        ),
        Good(_files(max_length=256, max_new_tokens=24), versions=OLD),
        Good(_files(), versions=OLD),
        Good({"run.json": {"trainer": "sft", "max_length": 8}}, versions=OLD),
    ),
)
