"""GRPO or RLOO of this TRL cannot train on a stream.

These trainers repeat every prompt with a sampler, and a stream does not support samplers. Older
releases fail at the first batch, newer ones when the trainer is created: "Iterable datasets are not
yet supported".

Remedy: load the data set without `streaming`, or install trl 1.12.0 or newer.

Versions: trl 0.14.0 to 0.24.0 cannot, by runs and sources; 1.12.0 to 1.16.0 can. The releases
between were not tested, and the rule is skipped for them.

Seen: trl#2942, trl#3213. Reproduced with GRPO on a stream: trl 0.14.0 and 0.15.2 die with "Can only
find the batch size of tensors but got <class 'str'>", 0.24.0 with "Iterable datasets are not yet
supported in GRPOTrainer"; 1.12.0 and 1.16.0 train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer, trl_of

from ._recorded.scripts import script

LAST, FIRST = Version("0.24.0"), Version("1.12.0")
"""The last release that is known to fail, and the first that is known to work."""

KEY = "dataset_streaming"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) not in ("grpo", "rloo") or not run.flag(KEY):
        raise NotConcerned("only GRPO and RLOO on streamed rows are affected")
    trl = trl_of(facts)
    if trl is None or LAST < trl < FIRST:
        raise Unavailable(f"whether trl {trl or ''} can stream prompts is not known")
    if trl <= LAST:
        name = getattr(run.trainer, "trainer", "the trainer")
        yield Finding(run.place(KEY), f"{name} of trl {trl} cannot train on streamed rows")


STREAM = "rows = load_dataset('org/rows', split='train', streaming=True)\n"
GRPO = script("GRPO", "model='org/m', reward_funcs=[len]", "max_steps=9", STREAM)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            GRPO,
            "train.py",
            versions={"trl": "0.24.0"},
            says="GRPOTrainer of trl 0.24.0 cannot train on streamed rows",
        ),
        Good(GRPO, "train.py", versions={"trl": "1.16.0"}),
        Good(GRPO, "train.py", versions={"trl": "1.0.0"}, skipped="is not known"),
        Good(
            script("SFT", "model='org/m'", "max_steps=9", STREAM),
            "train.py",
            versions={"trl": "0.24.0"},
        ),
    ),
)
