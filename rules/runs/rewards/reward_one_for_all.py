"""A reward function always returns one reward.

TRL asks for one reward for each completion. Before trl 1.10.0 a list of one number is used for all
completions of a batch: all advantages are then 0, the weights do not change, and there is no
warning. Newer releases refuse it at the first step.

Remedy: return a list as long as `completions`: `[score(one) for one in completions]`.

Versions: every trl with GRPOTrainer. The source of the function is read, nothing of it runs.

Seen: trl#6533. Reproduced with trl 0.24.0: `return [float(len(completions[0]))]` trains with
reward_std 0.0; trl 1.16.0: "returned 1 rewards, but 2 were expected".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of

from ..._recorded.scripts import script

COUNTS = Version("1.10.0")
"""From this release on the rewards are counted."""


def check(facts: Facts) -> Iterator[Finding]:
    signatures = facts[reward_signatures]
    if not signatures:
        raise NotConcerned("no source of a reward function is known")
    trl = trl_of(facts)
    then = "and the first step fails" if trl and trl >= COUNTS else "which all completions get"
    for signature in signatures:
        if signature.gives_one:
            yield Finding(
                signature.place,
                f"{signature.name} returns one reward for any number of completions, {then}",
                remedy="return a list with one number for each completion",
            )


def rewarded(*lines: str) -> dict[str, str]:
    function = "".join(f"    {line}\n" for line in lines)
    before = f"def score(completions, **kwargs):\n{function}"
    return script("GRPO", "model='org/m', reward_funcs=score", before=before)


EARLY = ("if not completions:", "    return [0.0]", "return [1.0 for one in completions]")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            rewarded("return [float(len(completions[0]))]"),
            "train.py",
            versions={"trl": "0.24.0"},
            says="score returns one reward for any number of completions, which all completions",
        ),
        Bad(
            rewarded("return 1.0"),
            "train.py",
            versions={"trl": "1.16.0"},
            says="any number of completions, and the first step fails",
        ),
        Good(rewarded(*EARLY), "train.py", versions={"trl": "0.24.0"}),
        Good(rewarded("return [*map(len, completions)]"), "train.py", versions={"trl": "0.24.0"}),
        Good(script("SFT", "model='org/m'"), "train.py", versions={"trl": "0.24.0"}),
    ),
)
