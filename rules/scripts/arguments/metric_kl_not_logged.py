"""The script reads a kl that is not logged.

With a `beta` of 0 GRPO and RLOO load no reference model and compute no KL: their logs have no key
`kl`. A script or a callback that plots it, or stops by it, gets nothing, or fails after training.

Remedy: set `beta` above 0 (0.04 in older releases) if the policy shall stay near the reference;
else do not read `kl`.

A script that asks for it first (`if "kl" in logs`), or has a kl of its own, is left alone.

Versions: GRPO of releases whose beta is 0 by default (0.19.1 and newer, not 0.15.2), and GRPO and
RLOO with beta 0.

Seen: open-r1#704. Reproduced with GRPO of trl 0.19.1: no log has `kl`; with beta 0.04 each has it.
"""

import re
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Place, Spot
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import script

READS = re.compile(r"(?:\.get\(|\[)\s*(['\"])(?:train/)?kl\1")
ASKS = re.compile(r"(['\"])(?:train/)?kl\1\s*(?:in\b|:|\]\s*=[^=])")
"""Where a script asks whether there is a kl, or writes one of its own."""

TRAINERS = ("grpo", "rloo")


def check(facts: Facts) -> Iterator[Finding]:
    passed(facts)
    run, trl, beta = facts.run, trl_of(facts), facts.run.number("beta")
    if known_trainer(facts) not in TRAINERS or beta or (beta is None and not _free(facts)):
        raise NotConcerned("the run logs a kl, or its trainer has none")
    if run.file is None or isinstance(run.file, Unavailable):
        raise Unavailable("the source of the script is not here")
    text = run.file.data.decode("utf-8", "replace").replace('\\"', '"')
    if ASKS.search(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("#")[0]
        if match := READS.search(code):
            yield Finding(
                Place(run.file.path, spot=Spot(number, match.start() + 1, line)),
                "the script reads kl from the logs, and with a beta of 0 no kl is logged",
                evidence=() if beta == 0 else (f"beta is 0 by default in trl {trl}",),
                remedy="set beta above 0, or do not read kl",
            )
            return


def _free(facts: Facts) -> bool:
    """Whether beta is 0 by default."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    beta = accepted(facts.environment, trainer).config.get("beta")
    return beta is not None and beta.default in ("0.0", "0")


def _script(config: str, after: str) -> dict[str, Any]:
    files = script("GRPO", "model='org/m', reward_funcs=lambda completions: [1.0]", config=config)
    text = files["train.py"].replace("GRPOTrainer(a", "t = GRPOTrainer(a") + after
    return {"train.py": text}


READ = "t.train()\nprint([log.get('kl') for log in t.state.log_history])\n"
NEW = {"trl": "0.19.1"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("", READ),
            "train.py",
            versions=NEW,
            says="the script reads kl from the logs, and with a beta of 0 no kl is logged",
        ),
        Bad(_script("beta=0.0", READ), "train.py", versions={"trl": "0.15.2"}, says="no kl is"),
        Good(_script("beta=0.04", READ), "train.py", NEW),
        Good(_script("", READ), "train.py", {"trl": "0.15.2"}),
        Good(_script("", "t.train()\n"), "train.py", NEW),
        Good(_script("", f"{READ}logs = {{'kl': 1.0}}\nprint(logs['kl'])\n"), "train.py", NEW),
        Good(_script("", "logs = {}\nif 'kl' in logs:\n    print(logs['kl'])\n"), "train.py", NEW),
    ),
)
