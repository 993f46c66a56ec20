"""The run asks for bf16 and fp16 at once.

transformers refuses two precisions when the config is made: the run ends before its model is
loaded, on every node.

Remedy: set one of them to false; keep `bf16` on GPUs since Ampere (A100, RTX 30), `fp16` on older
ones.

Versions: every release.

Seen: reproduced with SFTConfig and GRPOConfig of trl 1.16.0 and 0.24.0: "At most one of fp16 and
bf16 can be True, but not both".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program, set_later
from trl_doctor.facts.measured.rehearsal import config_made, rehearsal, rehearsed
from trl_doctor.facts.rule import Bad, Good, Rule

PAIRS = (("bf16", "fp16"), ("bf16_full_eval", "fp16_full_eval"))


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    no_other_program(facts)
    if config_made(facts) and not _turned_off(facts):
        raise NotConcerned("the config was made: what is set on it later is not refused")
    both = [pair for pair in PAIRS if all(key in run.arguments for key in pair)]
    if not both:
        raise NotConcerned("the run does not set two precisions")
    for first, second in both:
        if run.flag(first) and run.flag(second) and set_later(run).isdisjoint((first, second)):
            yield Finding(
                run.place(second),
                f"{first} and {second} are both true: the run ends when its config is made",
                remedy="set one of them to false",
            )


def _turned_off(facts: Facts) -> bool:
    """Whether a rehearsal has turned both off before the config was made."""
    changed = rehearsal(facts).changed if rehearsed(facts) else ()
    were_on = {name for name, before, *_ in changed if before == "True"}
    return any(were_on.issuperset(pair) for pair in PAIRS)


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "output_dir": "out"}
SCRIPT = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", bf16=True, fp16={fp16})
SFTTrainer("org/m", args=args, train_dataset=rows)
"""
LATER = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", bf16=True)
args.fp16 = True
SFTTrainer("org/m", args=args, train_dataset=rows)
"""
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="At most one of fp16 and bf16",
    examples=(
        Bad({"run.json": {**RUN, "bf16": True, "fp16": True}}, says="bf16 and fp16 are both true"),
        Bad({"run.json": {**RUN, "bf16_full_eval": True, "fp16_full_eval": True}},
            says="bf16_full_eval and fp16_full_eval are both true"),
        Bad({"train.py": SCRIPT.format(fp16="True")}, "train.py", says="both true"),
        Good({"run.json": {**RUN, "bf16": True, "fp16": False}}),
        Good({"run.json": {**RUN, "bf16": False, "fp16": True}}),
        Good({"run.json": {**RUN, "bf16": True, "fp16_full_eval": True}}),
        Good({"train.py": SCRIPT.format(fp16="not GPU")}, "train.py", skipped="fp16 is not known"),
        Good({"train.py": LATER}, "train.py"),
    ),
)  # fmt: skip
