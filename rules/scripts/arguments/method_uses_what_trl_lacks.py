"""The script's own trainer uses what this TRL lacks.

The script derives a class from TRL's trainer. A method of it calls a method of TRL's class, or
reads an argument of TRL's config, that this release does not have: the script was written for
another release. The run fails when it reaches that line, often in the first step: "object has no
attribute". The same holds for keys of a batch: `inputs["key"]` fails, and `inputs.get("key")` is
None in every step, so the script's own loss may never be used.

Remedy: use the replacement of this release, define the method or key in the script's own class, or
install the release that the class was written for.

Versions: the installed sources are read. It is a warning if the line is under a condition, or if
TRL does not call the method.

Seen: InternVL#711, X-R1#72, Soup#584, FollowComplexInstruction#2. Reproduced with
`get_batch_logps` of DPO with trl 0.12.2 and `args.num_iterations` of GRPO with 0.15.2: each fails;
with a method and a config class of the script's own that have them, each trains.
`inputs.get("per_token_logps")` of GRPO with 1.16.0: the script's loss is used in no step;
`batch["chosen_labels"]` of DPO with 0.12.2 fails.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.own_trainer import (
    Lacking,
    arguments_lacking,
    keys_lacking,
    methods_lacking,
)
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if not passed(facts).methods:
        raise NotConcerned("the script derives no class from the trainer's")
    trl, reported = facts.environment.known_version("trl"), set[str]()
    for lacking in methods_lacking(facts):
        if lacking.name not in reported:
            reported.add(lacking.name)
            yield _finding(
                lacking,
                f"{lacking.method} calls self.{lacking.name}, and {lacking.of} of trl {trl} has no "
                f"{lacking.name}",
            )
    for lacking in arguments_lacking(facts):
        if lacking.name not in reported:
            reported.add(lacking.name)
            yield _finding(
                lacking,
                f"{lacking.method} reads args.{lacking.name}, and {lacking.of} of trl {trl} has no "
                f"{lacking.name}{_when(lacking)}",
            )
    for lacking in keys_lacking(facts):
        if lacking.name not in reported:
            reported.add(lacking.name)
            yield _finding(
                lacking,
                f"{lacking.method} looks for {lacking.name} in {lacking.of}, and the trainer of "
                f"trl {trl} never puts it there",
            )


def _finding(lacking: Lacking, message: str) -> Finding:
    return Finding(lacking.place, message, severity=None if lacking.sure else "warning")


def _when(lacking: Lacking) -> str:
    spans = releases.lifetimes(lacking.of, lacking.name)
    first, last = spans[0], spans[-1]
    until = f", and {last.library} {last.last} was the last with it" if last.gone_in else ""
    return f": it comes with {first.library} {first.first}{until}"


def _files(body: str, config: str = "GRPOConfig", own: str = "") -> dict[str, Any]:
    before = (
        f"from dataclasses import dataclass\n{own}def f(completions, **kwargs): return [1.0]\n"
        f"class Own(GRPOTrainer):\n    def __init__(self, args, **given):\n        {body}\n"
        "        super().__init__(args=args, **given)\n"
    )
    text = str(script("GRPO", "model='m', reward_funcs=f", before=before)["train.py"])
    code = text.replace("\nGRPOTrainer(", "\nOwn(").replace("args=GRPOConfig(", f"args={config}(")
    return {"train.py": code}


OWN = "@dataclass\nclass Mine(GRPOConfig):\n    num_iterations: int = 1\n"
READS = "self.count = args.num_iterations"
OLD = {"trl": "0.15.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="object has no attribute",
    examples=(
        Bad(
            _files(READS),
            "train.py",
            versions=OLD,
            says="__init__ reads args.num_iterations, and GRPOConfig of trl 0.15.2 has no "
            "num_iterations: it comes with trl 0.16.0",
        ),
        Bad(
            _files("self.count = args.num_iterations if args.beta else 1"),
            "train.py",
            versions=OLD,
            says="__init__ reads args.num_iterations",
            severity="warning",
        ),
        Good(_files(READS, "Mine", OWN), "train.py", versions=OLD),
        Good(_files(READS), "train.py", versions={"trl": "0.16.0"}),
        Good(
            _files("args.num_iterations = 2; self.n = args.num_iterations"),
            "train.py",
            versions=OLD,
        ),
        Good(_files("self.count = getattr(args, 'num_iterations', 1)"), "train.py", versions=OLD),
        Good(_files("self.count = args.beta"), "train.py", versions=OLD),
    ),
)
