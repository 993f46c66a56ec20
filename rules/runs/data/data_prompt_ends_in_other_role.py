"""A prompt ends with a role that TRL refuses there.

These releases of TRL check the role of the last message of a prompt: "user", or "assistant" for an
answer that is continued. They refuse any other role, also an answer of a tool and a single system
text: "Invalid role in the last message: tool". The run fails while the data are prepared, and GRPO
and RLOO at the first batch that has such a prompt.

Remedy: upgrade trl (1.12.0 accepts "tool"), end each prompt with a message of the user, or render
the prompts with `tokenizer.apply_chat_template` and pass texts.

Versions: DPO, KTO, ORPO, GRPO and RLOO of trl 0.15.2 to 0.24.0; the reward trainer to 0.19.1. Local
JSON files are examined, their first 64 rows, and in a rehearsal the rows that the trainer gets.

Seen: trl#3529. Reproduced with "tool": DPO, KTO and GRPO of trl 0.15.2, 0.19.1 and 0.24.0, ORPO and
RLOO of 0.24.0, the reward trainer of 0.15.2 and 0.19.1; DPO of 0.24.0 also with a system text. SFT
and trl 1.16.0 train on the same rows.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.answers import last_role
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

FIRST, LAST = Version("0.15.2"), Version("0.24.0")
"""The releases between which it is known that any other role is refused."""

ENDS = {name: LAST for name in ("dpo", "kto", "orpo", "grpo", "rloo")} | {
    "reward": Version("0.19.1")
}
KNOWN = ("user", "assistant")


def check(facts: Facts) -> Iterator[Finding]:
    name, trl = known_trainer(facts), facts.environment.known_version("trl")
    if name not in ENDS or not FIRST <= trl <= ENDS[name]:
        raise NotConcerned("this trainer does not ask for the role")
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    for number, row in enumerate(facts[own_rows], 1):
        role = last_role(row.get("prompt"))
        if role and role not in KNOWN:
            yield Finding(
                facts.run.place(data_key(facts)),
                f"row {number} of {file_name(facts)}: the last message of its prompt has the role "
                f"{role}, which trl {trl} refuses there",
                remedy="" if role == "tool" else "end each prompt with a message of the user",
            )
            return


def files(trainer: str, role: str) -> Files:
    run: dict[str, Json] = {"trainer": trainer, "dataset_name": "rows.jsonl"}
    prompt = f'[{{"role": "user", "content": "a"}}, {{"role": "{role}", "content": "b"}}]'
    answer = '[{"role": "assistant", "content": "c"}]'
    rows = f'{{"prompt": {prompt}, "chosen": {answer}, "rejected": {answer}}}\n'
    return {"run.json": run, "rows.jsonl": rows}


OLD, NEW = {"trl": "0.19.1"}, {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Invalid role in the last message",
    examples=(
        Bad(
            files("dpo", "tool"),
            versions=OLD,
            says="row 1 of rows.jsonl: the last message of its prompt has the role tool, which",
        ),
        Bad(files("grpo", "system"), versions={"trl": "0.24.0"}, says="has the role system"),
        Good(files("dpo", "user"), versions=OLD),
        Good(files("dpo", "assistant"), versions=OLD),
        Good(files("sft", "tool"), versions=OLD),
        Good(files("reward", "tool"), versions={"trl": "0.24.0"}),
        Good(files("dpo", "tool"), versions=NEW),
    ),
)
