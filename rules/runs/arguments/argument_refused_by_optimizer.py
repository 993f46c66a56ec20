"""The optimizer refuses a number, or its arguments.

The optimizer is made when the training begins: after the model was loaded on every GPU and the data
set was tokenized. It then refuses a learning rate or an `adam_epsilon` below 0, and values of
`adam_beta1` and `adam_beta2` that are not at least 0 and below 1. Usually a minus sign is too much
(`learning_rate: -1e-5` for `1e-5`), or a percentage stands where a share belongs.

`optim_args` is a text of names with values, separated by commas: `eps=1e-8,weight_decay=0.1`. A
value that has a comma itself (`betas=0.9,0.95`) cannot be written there.

Remedy: write a number inside of the range that the finding names, or remove the argument; write
betas as `adam_beta1` and `adam_beta2`.

Versions: every release. Adafactor takes any learning rate; the numbers of Adam count for optimizers
of the Adam family only, which are the default.

Seen: `ValueError: Invalid learning rate: -1` of SFTTrainer with trl 1.16.0; all of these numbers
with the optimizers adamw_torch, adamw_torch_fused, sgd and rmsprop of transformers 5.23.0 and 4.49.
`optim_args="betas=0.9,0.95"` with transformers 4.57.6 and 5.23.0: "not enough values to unpack".
"""

from collections.abc import Callable, Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.schedule import refuse_other_schedules

from .argument_learning_rate_too_large import ADAM

TEXT = "optim_args"
Wrong = Callable[[float], bool]
LIMITS: tuple[tuple[str, Wrong, str, str], ...] = (
    ("learning_rate", lambda rate: rate < 0, "0 or more", "1e-7 to 1e-3"),
    ("adam_epsilon", lambda epsilon: epsilon < 0, "0 or more", "1e-8"),
    ("adam_beta1", lambda beta: not 0 <= beta < 1, "at least 0 and below 1", "0.9"),
    ("adam_beta2", lambda beta: not 0 <= beta < 1, "at least 0 and below 1", "0.95 to 0.999"),
)
"""Arguments, the numbers that are refused, those that are taken, and usual ones."""


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    run = facts.run
    if run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    yield from _of_text(facts)
    for key, wrong, taken, usual in LIMITS:
        value = run.number(key)
        if value is None or not wrong(value):
            continue
        optimizer = str(run.arguments.get("optim", "adamw")).lower()
        if optimizer == "adafactor" or (key.startswith("adam") and not optimizer.startswith(ADAM)):
            continue
        refuse_other_schedules(facts)
        yield Finding(
            run.place(key),
            f"{key} is {value:g}: the optimizer takes {taken}, and the run ends before its first "
            "step",
            remedy=f"usual values are {usual}",
        )


def _of_text(facts: Facts) -> Iterator[Finding]:
    """Parts of `optim_args` that are no name with a value."""
    text = facts.run.arguments.get(TEXT)
    if not isinstance(text, str) or not text or is_placeholder(text):
        return
    wrong = [part.strip() for part in text.split(",") if part.count("=") != 1]
    if wrong:
        yield Finding(
            facts.run.place(TEXT),
            f"{TEXT} is {text!r:.60}: {wrong[0]!r:.30} is no name=value, and the run ends when it "
            "makes its optimizer",
            remedy="write adam_beta1 and adam_beta2" if "betas" in text else "",
        )


def _files(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "sft", "model_name_or_path": "m", **arguments}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Invalid (learning rate|beta parameter at index \d|epsilon value): ",
    examples=(
        Bad(_files(learning_rate=-1e-5), says="learning_rate is -1e-05: the optimizer takes"),
        Bad(_files(adam_beta2=99.9), says="adam_beta2 is 99.9: the optimizer takes at least 0 and"),
        Bad(_files(adam_epsilon=-1e-8), says="adam_epsilon is -1e-08"),
        Bad(_files(optim_args="betas=0.9,0.95"), says="'0.95' is no name=value"),
        Good(_files(optim_args="beta1=0.9, weight_decay=0.1")),
        Good(_files(learning_rate=1e-5, adam_beta1=0.0, adam_beta2=0.95, adam_epsilon=1e-6)),
        Good(_files(learning_rate=-1e-5, optim="adafactor")),
        Good(_files(adam_beta1=2.0, optim="sgd")),
    ),
)  # fmt: skip
