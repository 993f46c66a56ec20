"""The script imports a name that this TRL lacks.

The script fails in its first seconds, on the cluster after the job has waited for its GPUs: "cannot
import name 'PPOv2Trainer' from 'trl'".

Remedy: import it from the module where this release has it, use its successor, or install a release
that has the name.

Versions: each finding names the releases. Trainers and configs from trl 0.7.11 to 1.16.0 are known;
any other name is looked for in the installed release.

Seen: reproduced with `from trl import PPOv2Trainer` with trl 0.24.0 and 1.16.0, `from trl import
PPOTrainer` with 1.16.0: "ImportError: cannot import name"; `DataCollatorForCompletionOnlyLM` with
0.24.0 (fms-acceleration#169) alike.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import offers, releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Mention


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.imports:
        raise NotConcerned("the target is not a script that imports names from trl")
    version = facts.environment.known_version("trl")
    used = getattr(run.trainer, "trainer", "")
    for name in run.imports:
        _, _, short = name.name.rpartition(".")
        if short != used and name.name == f"trl.{short}":
            yield from _gone(name, short, version) or _absent(facts, name, short)


def _absent(facts: Facts, name: Mention, short: str) -> list[Finding]:
    """What to say of any other name that the installed release does not offer under `trl`."""
    if offers(facts.environment, short) is not False:
        return []
    version = facts.environment.version("trl")
    remedy = INSTEAD.get(short, "remove the import, or install the release that it was made for")
    return [Finding(name.place, f"the installed trl {version} has no {short}", remedy=remedy)]


INSTEAD = {
    "DataCollatorForCompletionOnlyLM": "take it out: rows with prompt and completion have the loss "
    "on the completion alone, and assistant_only_loss does it for conversations",
    "setup_chat_format": "use clone_chat_template, or chat_template_path",
}
"""What to do without a name that many scripts import."""


def _gone(name: Mention, short: str, version: Version) -> list[Finding]:
    """The message for a trainer or config that this release does not offer in `trl`."""
    return list(_gone_class(name, short, version))


def _gone_class(name: Mention, short: str, version: Version) -> Iterator[Finding]:
    lives = releases.exported(short)
    homes = releases.trainer_homes(version, short) if lives else ()
    if not lives or "trl" in homes:
        return
    if homes:
        message = f"trl {version} offers {short} in {homes[0]}, no longer in trl"
        remedy = f"from {homes[0]} import {short}"
        yield Finding(name.place, message, remedy=remedy)
        return
    ended = [lifetime for lifetime in lives if lifetime.gone_in and lifetime.gone_in <= version]
    if not ended:
        first = lives[0].first
        message = f"trl {version} has no {short} yet: it comes with trl {first}"
        yield Finding(name.place, message, remedy=f"install trl>={first}")
        return
    last = ended[-1]
    message = f"trl {version} has no {short}: trl {last.last} was the last with it"
    yield Finding(name.place, message, remedy=f"remove the import, or install trl<{last.gone_in}")


SCRIPT = "from trl import SFTTrainer\nSFTTrainer('org/m')\n"
OLD = f"from trl import PPOv2Trainer\n{SCRIPT}"
TRIED = "try:\n    from trl import PPOConfig\nexcept ImportError:\n    pass\n"
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
        Good({"train.py": OLD}, "train.py", versions={"trl": "0.12.2"}),
        Good({"train.py": SCRIPT}, "train.py", versions={"trl": "1.16.0"}),
        Good(
            {"train.py": f"{TRIED}{SCRIPT}"},
            "train.py",
            versions={"trl": "1.16.0"},
        ),
        Good({"train.py": OLD}, "train.py", skipped="the version of trl is not known"),
    ),
)
