"""A value in a model's file has the wrong type.

Loading or the first generation fails with an error that names neither the file nor the key ("new():
invalid data type 'str'").

Remedy: write a value of the type that the message names.

Versions: every release.

Seen: reproduced, each key here, with transformers 4.48.3, 4.57.6 and 5.23.0: `"eos_token_id": "2"`
in generation_config.json loads, and generation fails with "new(): invalid data type 'str'"; a list
as `added_tokens_decoder` fails with "'list' object has no attribute 'items'". `trl sft`, `trl dpo`
and `trl kto` fail on such an eos_token_id with transformers 4.57.6, and train with 4.48.3; sft and
dpo train with 5.23.0, too. `trl grpo` fails with 4.57.6 and 5.23.0. PPO replaces the
model's eos: it trains with 4.46.3, 4.57.6 and 5.23.0.
"""

from collections.abc import Iterator, Mapping

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place, Severity, pointer
from trl_doctor.core.trainer import ONLINE
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document, Folder, Unreadable
from trl_doctor.facts.folders import folders
from trl_doctor.facts.rule import Bad, Good, Rule

COMPARED, FIVE = Version("4.56.2"), Version("5.0.0")
IDS = "a number, or a list of numbers"
TYPES: Mapping[str, Mapping[str, str]] = {
    "config.json": {
        "vocab_size": "a number",
        "eos_token_id": IDS,
        "pad_token_id": "a number",
        "text_config": "an object",
    },
    "generation_config.json": {"eos_token_id": IDS},
    "tokenizer_config.json": {
        "added_tokens_decoder": "an object",
        "chat_template": "a string, or a list of named templates",
        "pad_token": "a string, or an object with content",
        "eos_token": "a string, or an object with content",
    },
}


def check(facts: Facts) -> Iterator[Finding]:
    for folder in folders(facts):
        for name, types in TYPES.items():
            yield from _file(folder, name, types, _severity(facts, name))


def _severity(facts: Facts, name: str) -> Severity | None:
    """A warning where a trainer does not generate with the file's eos and only copies the file.

    From 4.56.2 on, and before 5, transformers compares its eos with the tokenizer's at the start.
    """
    trainer, release = facts.run.trainer, facts.environment.version("transformers")
    if isinstance(trainer, Unavailable) or release is None or name != "generation_config.json":
        return None
    if trainer.name == "ppo":
        return "warning"
    return None if trainer.name in ONLINE or COMPARED <= release < FIVE else "warning"


def _file(
    folder: Folder, name: str, types: Mapping[str, str], severity: Severity | None
) -> Iterator[Finding]:
    try:
        document: Document = folder.document(name)
        values = document.mapping()
    except (Unreadable, Unavailable):
        return
    for key, expected in types.items():
        value = values.get(key)
        if value is not None and not _fits(value, expected):
            place = Place(document.path, pointer(key))
            message = f"{name}: {key} is {value!r:.60}, but must be {expected}"
            yield Finding(place, message, severity=severity)


def _fits(value: Json, expected: str) -> bool:
    number = isinstance(value, int) and not isinstance(value, bool)
    if expected == IDS:
        ids = value if isinstance(value, list) else [value]
        return all(isinstance(id, int) and not isinstance(id, bool) for id in ids)
    if expected == "a number":
        return number
    if expected.startswith("a string, or an object"):
        return isinstance(value, str) or (
            isinstance(value, dict) and isinstance(value.get("content"), str)
        )
    if expected.startswith("a string, or a list"):
        return isinstance(value, str | list)
    return isinstance(value, dict)


LLAMA: dict[str, Json] = {"model_type": "llama", "vocab_size": 320}
IDLE: dict[str, dict[str, Json]] = {
    "run.json": {"trainer": "sft", "model_name_or_path": "m"},
    "m/config.json": LLAMA,
    "m/generation_config.json": {"eos_token_id": "2"},
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"m/config.json": LLAMA, "m/generation_config.json": {"eos_token_id": "2"}},
            target="m",
            says="eos_token_id is '2', but must be a number, or a list of numbers",
        ),
        Bad(IDLE, versions={"transformers": "4.48.3"}, severity="warning"),
        Bad(IDLE, versions={"transformers": "4.57.6"}, severity="error"),
        Bad(IDLE, versions={"transformers": "5.23.0"}, severity="warning"),
        Bad(
            {**IDLE, "run.json": {"trainer": "ppo", "model_name_or_path": "m"}},
            versions={"transformers": "5.23.0"},
            severity="warning",
        ),
        Bad({"m/config.json": {**LLAMA, "vocab_size": [320]}}, "m", says="vocab_size is [320]"),
        Good({"m/config.json": {**LLAMA, "eos_token_id": [1, 2]}}, target="m"),
        Good({"m/config.json": LLAMA, "m/tokenizer_config.json": {"pad_token": None}}, "m"),
    ),
)
