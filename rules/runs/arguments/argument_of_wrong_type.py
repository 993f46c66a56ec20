"""An argument has a value of the wrong type.

TRL's command line refuses a string if a number or a truth value is needed. It accepts a list or an
object, and the run fails later, far from the argument. A config class that a script makes converts
nothing: a number in quotation marks, or `1e-5` from `yaml.safe_load`, stays a string.

Remedy: write a value of the type that the message names.

Versions: every release.

Seen: reproduced with `trl grpo --config` of trl 0.24.0 and 1.16.0: `learning_rate: fast` "invalid
float value: 'fast'", `use_vllm: maybe` "Truthy value expected", `num_generations: [8]` "TypeError:
unsupported operand type(s) for %: 'int' and 'list'"; of 1.16.0 `reward_funcs: accuracy_reward`
"Could not load reward function 'a'". `learning_rate: 5e-6`, which YAML reads as a string, is fine;
inside `lr_scheduler_kwargs` it stays a string: "unsupported operand type(s) for /: 'str' and
'float'". `dtype: bf16`: "Invalid `dtype` passed to the config" (1.16.0), "'str' object has no
attribute 'is_floating_point'" (0.24.0). `SFTConfig(learning_rate="1e-5")` of 0.24.0 and 1.16.0:
"'<=' not supported between instances of 'float' and 'str'", and so do 15 other numbers.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.unavailable import Unavailable, several
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.type_names import SHORT
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library.classes import Field
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script

WORDS = frozenset({"yes", "true", "t", "y", "1", "no", "false", "f", "n", "0"})
"""The strings that TRL's parser accepts as truth values."""
INTEGERS = frozenset({"int", "int | None", "Optional[int]"})
TRUTHS = frozenset({"bool", "bool | None", "Optional[bool]"})
LISTS = frozenset({"reward_funcs"})
"""Lists of strings; a single string is read letter by letter."""
EITHER = frozenset({"include_num_input_tokens_seen"})
"""Truth values that may also be a string."""

NUMBERS = frozenset({
    "learning_rate", "weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon", "max_grad_norm",
    "num_train_epochs", "max_steps", "warmup_steps", "logging_steps", "save_steps", "seed",
    "per_device_train_batch_size", "gradient_accumulation_steps", "label_smoothing_factor",
    "max_length",
})  # fmt: skip
"""Numbers that fail as texts where a script gives them to a config: no class converts them."""

SCHEDULE = "lr_scheduler_kwargs"
"""Its values reach the schedule as they are: the parser converts none of them."""
TYPES = frozenset({"dtype", "torch_dtype"})


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    _, accepted = known_to_trl(facts)
    open_ = list[str]()
    for key in run.arguments:
        try:
            value = run.arguments[key]
        except Unavailable as reason:
            open_.append(str(reason))
            continue
        field = accepted.fields.get(key)
        if field and key == SCHEDULE and isinstance(value, dict):
            yield from _of_schedule(facts, value)
        if field and key in TYPES and isinstance(value, str) and value.lower() in SHORT:
            yield _named(run.place(key), key, value)
        if field and key in NUMBERS and run.by_class and _is_number_text(value):
            yield _unconverted(run.place(key), key, str(value))
        if field and (expected := _expected_type(field)) and not _fits(value, expected):
            yield Finding(
                run.place(key),
                f"{key} is {value!r:.60}, but must be {expected}",
                (f"source: {accepted.source}", f"{key} is {field.default} by default"),
                _fix(run.place(key), value) if key in LISTS else None,
                remedy=f"write {expected}",
            )
    if isinstance(run.arguments, Partly) and run.arguments.rest is not None:
        open_.append(f"not all arguments are known: {run.arguments.rest}")
    if open_:
        raise several(open_)


def _of_schedule(facts: Facts, values: dict[str, Json]) -> Iterator[Finding]:
    """Numbers that are written so that YAML reads a string, or that are quoted."""
    for name, value in values.items():
        if isinstance(value, str) and _fits(value, "a number") and "{" not in value:
            place = facts.run.place(SCHEDULE, name)
            yield Finding(
                place,
                f"{name} in {SCHEDULE} is the text {value!r}, but must be a number",
                ("YAML reads 1e-6 as a text, and 1.0e-6 as a number",),
                Fix(f"write {float(value)}", (Put(place.file, place.pointer, float(value)),)),
            )


def _is_number_text(value: Json) -> bool:
    return isinstance(value, str) and not is_placeholder(value) and _fits(value, "a number")


def _unconverted(place: Place, key: str, text: str) -> Finding:
    """A number in quotation marks, or one that YAML reads as a text."""
    number = float(text)
    suggestion = int(number) if number == int(number) and "e" not in text.lower() else number
    return Finding(
        place,
        f"{key} is the text {text!r}, but a config class does not convert it to a number",
        ("YAML reads 1e-6 as a text, and 1.0e-6 as a number",),
        remedy=f"write {suggestion} without quotation marks, or convert it with float() or int()",
    )


def _named(place: Place, key: str, value: str) -> Finding:
    """A type by a name that torch does not have."""
    full_name = SHORT[value.lower()]
    return Finding(
        place,
        f"{key} is {value!r}, which is not a dtype of torch: the model cannot be loaded",
        fix=Fix(f"write {full_name}", (Put(place.file, place.pointer, full_name),)),
    )


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
SLOW = "trainer: grpo\nlr_scheduler_type: cosine_with_min_lr\nlr_scheduler_kwargs:\n"
PARSED = (
    "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--lr', type=float, default='1e-5')\na = p.parse_args()\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="not supported between|unsupported operand|must be real|cannot be interpreted|convert"
    "|`dtype` passed|is_floating_point",
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
        Bad(
            {"run.yaml": f"{SLOW}  min_lr: 1e-6\n"},
            "run.yaml",
            says="min_lr in lr_scheduler_kwargs is the text '1e-6', but must be a number",
            fixed={"run.yaml": f"{SLOW}  min_lr: 1.0e-06\n"},
        ),
        Good({"run.yaml": f"{SLOW}  min_lr: 1.0e-6\n"}, "run.yaml"),
        Good({"run.yaml": f"{SLOW}  warmup_type: linear\n"}, "run.yaml"),
        Bad(
            {"run.json": {**RUN, "dtype": "bf16"}},
            says="dtype is 'bf16', which is not a dtype of torch",
            fixed={"run.json": {**RUN, "dtype": "bfloat16"}},
        ),
        Good({"run.json": {**RUN, "dtype": "bfloat16"}}),
        Good({"run.yaml": "trainer: grpo\nlearning_rate: 5e-6\nuse_vllm: 'no'\n"}, "run.yaml"),
        Good(
            {"run.json": {**RUN, "max_completion_length": None, "beta": "${beta}"}},
            skipped="by another program",
        ),
        Bad(
            script("SFT", "model='m'", "learning_rate='1e-5'"),
            "train.py",
            versions={"trl": "1.16.0"},
            says="learning_rate is the text '1e-5', but a config class does not convert it",
        ),
        Good(
            script("SFT", "model='m'", "learning_rate=a.lr", before=PARSED),
            "train.py",
            versions={"trl": "1.16.0"},
        ),
    ),
)
