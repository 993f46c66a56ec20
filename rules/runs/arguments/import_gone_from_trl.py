"""The script imports a name that this TRL lacks.

The script fails in its first seconds, on the cluster after the job has waited for its GPUs: "cannot
import name … from 'trl'".

Remedy: import it from the module where this release has it, use its successor, or install a release
that has the name.

Versions: each finding names the releases. What trl 0.7.11 to 1.16.0 offered is known; any other
name is looked for in the installed release.

Seen: reproduced with `from trl import PPOv2Trainer` with trl 0.24.0 and 1.16.0, `from trl import
PPOTrainer` with 1.16.0: "ImportError: cannot import name"; `DataCollatorForCompletionOnlyLM` with
0.24.0 (fms-acceleration#169) in the same way. `from trl.trainer import ORPOTrainer` with 1.16.0
(Liger-Kernel#1244), and `trl.experimental.gold` with 0.24.0 (trl#4491), "No module named". `from
trl.core import logprobs_from_logits` with 0.15.2 (Reason-RFT#29): "cannot import name".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import exports, lost_names, releases, sources
from trl_doctor.facts.library.offered import offers
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_script import Mention


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.script.trl_names:
        raise NotConcerned("the target is not a script that imports names from trl")
    version = facts.environment.known_version("trl")
    used = getattr(run.trainer, "trainer", "")
    for name in run.script.trl_names:
        module, _, short = name.name.rpartition(".")
        if module == "trl" and short != used:
            yield from _missing(facts, name, short, version)
        elif module != "trl":
            history = (
                lost_names.missing(version, short, module) if releases.exported(short) else None
            )
            dated = bool(lost_names.lifetimes(module))
            lost = history or lost_names.missing(version, module) if dated else None
            if lost:
                yield from _finding(name, lost)
            elif lacks := exports.absent(sources(facts.environment), module, short):
                missing_name = f"module {module}" if lacks == "module" else f"{short} in {module}"
                remedy = history[1] if history else "remove the import, or correct it"
                yield from _finding(
                    name, (f"the installed trl {version} has no {missing_name}", remedy)
                )


def _missing(facts: Facts, name: Mention, short: str, version: Version) -> Iterator[Finding]:
    """The message for a name that this release does not offer in `trl`."""
    history = lost_names.missing(version, short)
    if (
        history is None
        and not releases.exported(short)
        and offers(facts.environment, short) is False
    ):
        history = f"the installed trl {version} has no {short}", "remove the import, or correct it"
    yield from _finding(name, history)


def _finding(name: Mention, history: tuple[str, str] | None) -> Iterator[Finding]:
    if history:
        message, remedy = history
        yield Finding(name.place, message, remedy=remedy)


SCRIPT = "from trl import SFTTrainer\nSFTTrainer('org/m')\n"
OLD = f"from trl import PPOv2Trainer\n{SCRIPT}"
TRIED = "try:\n    from trl import PPOConfig\nexcept ImportError:\n    pass\n"
OLDEST = {"trl": "0.5.0"}
"""It offers set_seed; the releases before 0.7.11 are not among our data."""

RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"train.py": OLD},
            "train.py",
            versions={"trl": "1.16.0"},
            says="trl 1.16.0 has no PPOv2Trainer: trl",
        ),
        Bad(
            {"train.py": f"from trl import GRPOConfig\n{SCRIPT}"},
            "train.py",
            versions={"trl": "0.12.2"},
            says="trl 0.12.2 has no GRPOConfig yet: it comes with trl 0.14.0",
        ),
        Bad(
            {"train.py": f"from trl import PPOConfig\n{SCRIPT}"},
            "train.py",
            versions={"trl": "1.12.0"},
            says="offers PPOConfig in trl.experimental.ppo, no longer in trl",
        ),
        Bad(
            {"train.py": f"from trl.experimental.ppo import PPOConfig\n{SCRIPT}"},
            "train.py",
            versions={"trl": "0.24.0"},
            says="offers PPOConfig in trl, not yet in trl.experimental.ppo",
        ),
        Bad(
            {"train.py": f"from trl import setup_chat_format\n{SCRIPT}"},
            "train.py",
            versions={"trl": "1.16.0"},
            says="trl 1.16.0 has no setup_chat_format: trl 0.25.1 was the last with it",
        ),
        Bad(
            {"train.py": f"from trl.core import LengthSampler\n{SCRIPT}"},
            "train.py",
            versions={"trl": "1.16.0"},
            says="trl 1.16.0 has no trl.core: trl 0.24.0 was the last with it",
        ),
        Good({"train.py": OLD}, "train.py", versions={"trl": "0.12.2"}),
        Good(
            {"train.py": f"from trl.core import LengthSampler\n{SCRIPT}"},
            "train.py",
            versions={"trl": "0.12.2"},
        ),
        Good({"train.py": SCRIPT}, "train.py", versions={"trl": "1.16.0"}),
        Good({"train.py": f"from trl import set_seed\n{SCRIPT}"}, "train.py", versions=OLDEST),
        Good(
            {"train.py": f"{TRIED}{SCRIPT}"},
            "train.py",
            versions={"trl": "1.16.0"},
        ),
        Good({"train.py": OLD}, "train.py", skipped="the version of trl is not known"),
    ),
)
