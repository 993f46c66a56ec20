"""An argument has a value of the wrong type.

TRL's command line refuses a string if a number or a truth value is needed. It accepts a list or an
object, and the run fails later, far from the argument.

Remedy: write a value of the type that the message names.

Versions: every release.

Seen: reproduced with `trl grpo --config` of trl 0.24.0 and 1.16.0: `learning_rate: fast` "invalid
float value: 'fast'", `use_vllm: maybe` "Truthy value expected", `num_generations: [8]` "TypeError:
unsupported operand type(s) for %: 'int' and 'list'"; of 1.16.0 `reward_funcs: accuracy_reward`
"Could not load reward function 'a'". `learning_rate: 5e-6`, which YAML reads as a string, is fine;
inside `lr_scheduler_kwargs` it stays a string: "unsupported operand type(s) for /: 'str' and
'float'".
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.unavailable import Reasons
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library.classes import Field
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.rule import Bad, Good, Rule

WORDS = frozenset({"yes", "true", "t", "y", "1", "no", "false", "f", "n", "0"})
"""The strings that TRL's parser accepts as truth values."""
INTEGERS = frozenset({"int", "int | None", "Optional[int]"})
TRUTHS = frozenset({"bool", "bool | None", "Optional[bool]"})
LISTS = frozenset({"reward_funcs"})
"""Lists of strings; a single string is read letter by letter."""
EITHER = frozenset({"include_num_input_tokens_seen"})
"""Truth values that may also be a string."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    _, accepted = known_to_trl(facts)
    reasons = Reasons()
    for key in run.arguments:
        field = accepted.fields.get(key)
        if field is None or key in run.beside:
            continue
        with reasons.collected():
            value = run.arguments[key]
            converts = not run.by_class or run.parser
            if not converts and isinstance(value, str) and _fits(value, "a number"):
                continue  # argument-text-not-converted reports it
            if (expected := _expected_type(field)) and not _fits(value, expected):
                yield Finding(
                    run.place(key),
                    f"{key} is {value!r:.60}, but must be {expected}",
                    (f"source: {accepted.source}", f"{key} is {field.default} by default"),
                    _fix(run.place(key), value) if key in LISTS else None,
                    remedy=f"write {expected}",
                )
    if isinstance(run.arguments, Partly) and run.arguments.rest is not None:
        reasons.texts.append(f"not all arguments are known: {run.arguments.rest}")
    reasons.raise_any()


def _fix(place: Place, value: Json) -> Fix:
    return Fix(f"write [{value}]", (Put(place.file, place.pointer, [value]),))


def _expected_type(field: Field) -> str:
    """The type that a field's default shows; "" if it shows none."""
    if field.name in LISTS:
        return "a list"
    try:
        default = ast.literal_eval(field.default or "None")
    except (ValueError, SyntaxError):
        return ""
    if isinstance(default, bool) or field.annotation in TRUTHS:
        return "" if field.name in EITHER else "true or false"
    if field.annotation in INTEGERS:
        return "a whole number"
    return "a number" if isinstance(default, int | float) else ""


def _fits(value: Json, expected: str) -> bool:
    if isinstance(value, list | dict):
        return expected in ("true or false", "a list")  # the first counts as true
    if expected == "a list":
        return not isinstance(value, str)
    if not isinstance(value, str) or is_placeholder(value):
        return True
    if expected == "true or false":
        return value.strip().lower() in WORDS
    try:
        int(value) if expected == "a whole number" else float(value)
    except ValueError:
        return False
    return True


RUN: dict[str, Json] = {"trainer": "grpo", "output_dir": "out"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="not supported between|unsupported operand|must be real|cannot be interpreted|convert",
    examples=(
        Bad(
            {"run.json": {**RUN, "learning_rate": "fast"}}, says="learning_rate is 'fast', but must"
        ),
        Bad({"run.json": {**RUN, "use_vllm": "maybe"}}, says="must be true or false"),
        Bad(
            {"run.json": {**RUN, "reward_funcs": "accuracy_reward"}},
            says="reward_funcs is 'accuracy_reward', but must be a list",
            fixed={"run.json": {**RUN, "reward_funcs": ["accuracy_reward"]}},
        ),
        Bad({"run.json": {**RUN, "num_generations": [8]}}, says="must be a number"),
        Good({"run.yaml": "trainer: grpo\nlearning_rate: 5e-6\nuse_vllm: 'no'\n"}, "run.yaml"),
        Good(
            {"run.json": {**RUN, "max_completion_length": None, "beta": "${beta}"}},
            skipped="by another program",
        ),
    ),
)
