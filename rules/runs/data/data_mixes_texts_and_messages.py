"""Rows mix texts and messages.

A trainer joins a prompt and an answer: text with text, or messages with messages. The run fails
while the data are prepared: "can only concatenate str (not "list") to str". GRPO and RLOO assume
that all prompts of a batch are of the same kind as the first: they fail at the first batch that has
both kinds.

Remedy: write all as texts, or all as messages: `[{"role": "user", "content": "…"}]`.

Versions: GRPO and RLOO of 1.16.0, and SFT, DPO, KTO and the reward trainer of every trl. DPO up to
0.24 also takes a prompt as text beside whole conversations in `chosen` and `rejected`, and does not
read the prompt. Local files of rows are examined, their first 64 rows.

Seen: distilabel#343. Reproduced with SFT, DPO, KTO and the reward trainer of trl 0.15.2, 0.24.0 and
1.16.0: each fails, and trains with both as messages. GRPO of 1.16.0 with prompts of both kinds:
"string indices must be integers, not 'str'"; with one prompt in each batch it trains.
"""

from collections.abc import Iterator, Mapping

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

ANSWERS = {
    "sft": ("completion",),
    "kto": ("completion",),
    "dpo": ("chosen", "rejected"),
    "reward": ("chosen", "rejected"),
}
BY_BATCH, GROUP = ("grpo", "rloo"), "num_generations"
STRICT_DPO, STRICT_REWARD = Version("1.12.0"), Version("0.24.0")
"""The first releases of which it is known that they refuse every mixture."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer, place = known_trainer(facts), facts.run.place(data_key(facts))
    if trainer in BY_BATCH:
        yield from _prompts(facts, place)
        return
    if trainer not in ANSWERS:
        raise NotConcerned("the trainer does not join a prompt and an answer")
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    trl = facts.environment.known_version("trl")
    for number, row in enumerate(facts[own_rows], 1):
        mixed = (name for name in ANSWERS[trainer] if _mixed(row.get("prompt"), row.get(name)))
        column = next(mixed, "")
        if not column or (trainer == "dpo" and trl < STRICT_DPO and _whole(row)):
            continue
        if trainer == "reward" and trl < STRICT_REWARD and isinstance(row["prompt"], list):
            continue
        kinds = ("text", "messages") if isinstance(row["prompt"], str) else ("messages", "text")
        yield Finding(
            place,
            f"row {number} of {file_name(facts)} has {kinds[0]} in prompt and {kinds[1]} in "
            f"{column}: the trainer cannot join them",
        )
        return


def _prompts(facts: Facts, place: Place) -> Iterator[Finding]:
    """Prompts of both kinds; no error where no batch has two prompts."""
    kinds = [type(row.get("prompt")) for row in facts[own_rows]]
    other = next((at for at, kind in enumerate(kinds) if kind is not kinds[0]), None)
    if other is None or {kinds[0], kinds[other]} != {str, list}:
        return
    batch, group = facts.run.number("per_device_train_batch_size"), facts.run.number(GROUP)
    together = batch is not None and group is not None and batch > group
    names = ("text", "messages") if kinds[0] is str else ("messages", "text")
    yield Finding(
        place,
        f"the prompt in row 1 of {file_name(facts)} is {names[0]}, and in row {other + 1} "
        f"{names[1]}: the trainer fails on a batch that has both",
        severity=None if together else "warning",
    )


def _mixed(prompt: Json, answer: Json) -> bool:
    """Whether either is text and the other a list of messages."""
    text, messages = (prompt, answer) if isinstance(prompt, str) else (answer, prompt)
    return isinstance(text, str) and isinstance(messages, list) and _message(messages)


def _message(value: list[Json]) -> bool:
    return bool(value) and isinstance(value[0], dict) and "role" in value[0]


def _whole(row: Mapping[str, Json]) -> bool:
    """Whether the answers are conversations with more than one message."""
    answers = (row.get("chosen"), row.get("rejected"))
    return all(isinstance(answer, list) and len(answer) > 1 for answer in answers)


def files(trainer: str, rows: str, **more: Json) -> Files:
    run: dict[str, Json] = {"trainer": trainer, "dataset_name": "rows.jsonl", **more}
    return {"run.json": run, "rows.jsonl": f"{rows}\n"}


ASKED, YES = '[{"role": "user", "content": "Why?"}]', '[{"role": "assistant", "content": "So."}]'
WHOLE = f"{ASKED[:-1]}, {YES[1:]}"
PAIR = '{"prompt": %s, "completion": %s}'
CHOICE = '{"prompt": %s, "chosen": %s, "rejected": %s}'
BOTH = f'{{"prompt": "Why?"}}\n{{"prompt": {ASKED}}}'
NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"can only concatenate|has no attribute 'endswith'|string indices must be integers",
    examples=(
        Bad(
            files("dpo", CHOICE % ('"Why?"', WHOLE, WHOLE)),
            versions=NEW,
            says="row 1 of rows.jsonl has text in prompt and messages in chosen",
        ),
        Bad(files("dpo", CHOICE % ('"Why?"', YES, YES)), versions=OLD, says="messages in chosen"),
        Bad(
            files("sft", PAIR % (ASKED, '"So."')),
            versions=OLD,
            says="has messages in prompt and text in completion",
        ),
        Good(files("dpo", CHOICE % ('"Why?"', WHOLE, WHOLE)), versions=OLD),
        Good(files("dpo", CHOICE % (ASKED, YES, YES)), versions=NEW),
        Good(files("sft", PAIR % ('"Why?"', '"So."')), versions=NEW),
        Good(files("grpo", PAIR % ('"Why?"', YES)), versions=NEW),
        Bad(
            files("grpo", BOTH, per_device_train_batch_size=8, num_generations=2),
            versions=NEW,
            says="the prompt in row 1 of rows.jsonl is text, and in row 2 messages",
        ),
        Bad(files("grpo", BOTH), versions=NEW, says="fails on a batch", severity="warning"),
    ),
)
