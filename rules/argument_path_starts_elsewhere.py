"""A path is right only if TRL starts beside the run file.

TRL takes a relative path from the folder in which it is started, not from that of the run file.
Started elsewhere, it treats the name as a Hub id, and the job fails when it starts.

Remedy: start the job in the folder of the run file, or write the whole path.

Versions: every release.

Seen: reproduced with `trl sft --config sub/run.yaml` of trl 1.16.0, started above the folder `sub`
that has the model: "We couldn't connect to 'https://huggingface.co' to load the files" without
network. Started in `sub`, it trains.
"""

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule

PATHS = (
    "model_name_or_path",
    "sft_model_path",
    "reward_model_path",
    "reward_model_name_or_path",
    "dataset_name",
    "chat_template_path",
    "resume_from_checkpoint",
    "deepspeed",
    "accelerate_config",
)
"""Arguments whose value may be a path."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.target.kind != "run" or len(run.roots) < 2:
        raise NotConcerned("the run file is in the folder from which trl-doctor was started")
    here, beside = run.roots[:2]
    keys = [key for key in PATHS if _only_in(beside, here, run.arguments.get(key))]
    if keys:
        named = ", ".join(f"{key}: {run.arguments[key]}" for key in keys)
        yield Finding(
            run.place(keys[0]),
            f"{named} {'is' if len(keys) == 1 else 'are'} beside the run file, and not in {here}, "
            "where TRL looks if it starts there",
            remedy=f"start the job in {beside}, or write the whole path",
        )


def _only_in(beside: Path, here: Path, name: Json) -> bool:
    """Whether a relative path exists beside the run file and not in the working folder."""
    try:
        if not isinstance(name, str) or not name or name.startswith(("/", "~")):
            return False
        return (beside / name).exists() and not (here / name).exists()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False


SUB: dict[str, Json] = {
    "sub/run.json": {"trainer": "sft", "model_name_or_path": "m"},
    "sub/m/config.json": {"model_type": "llama"},
}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(SUB, "sub/run.json", says="model_name_or_path: m is beside the run file, and not in"),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "Qwen/Qwen3-0.6B"}}),
    ),
)
