"""The trainer reads no column with a part of the conversation.

The rows have a system text, tools or a context in a column of their own. The trainer of this
release does not read that column: the model is trained without it, and answers to questions that it
has not seen whole. No error is raised, and the loss falls.

Remedy: put the text into the prompt (a first message with the role `system`), or render the rows
with it: `tokenizer.apply_chat_template(messages, tools=row["tools"], tokenize=False)`. Remove the
column if the model is not to see it.

Versions: any. Tools are read by SFT from trl 0.17 on, by newer releases of DPO and RewardTrainer,
and by KTO of 1.12.0 and newer; the source of the installed trainer decides. A text that another
column has, too, is not reported, nor is one that a reward function looks up. Local JSON files are
examined, and in a rehearsal the rows that the trainer gets. A rehearsal also compares them with the
data that the script has read: at least 8 rows are found there, and none of them has its text of a
column `input`, `context`, `system` or the like; or three rows call tools whose definitions, of any
column, are in none of them. Nothing is reported if the script removes the
column by its name, or says that it trains without it (`closed-book`).

Seen: trl#6259, prime-rl#2494. Reproduced with KTO of trl 0.24.0 and a column `tools`, and with DPO
of trl 1.16.0 and a column `system`: the decoded prompts have neither. With SFT of trl 0.24.0 and
1.16.0 a script that forgets the `input` of its rows; of 1.16.0 with a column `tool_defs`: no text
has a tool.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.trainer import ONLINE, Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.unread import columns_read
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rows.called_tools import unread_tools
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer

from ..._recorded.scripts import LOCAL, script

TEXTS = ("system", "system_prompt", "system_message", "context", "history", "input")
TOOLS = "tools"
CONVERSED = ("prompt", "messages", "conversations", "chosen")
READ_BY_TRL = ("prompt", "messages", "text", "completion", "chosen", "rejected", "conversations")
SHORTEST = 12
"""Characters from which on a text is looked for in the other columns."""


LEFT_OUT = (
    "the column {0} of the data is in none of {2} rows: the model is trained without it, as "
    "without {1!r}"
)
TOOLS_LEFT_OUT = (
    "the tools in the column {0} of the data are in none of {2} rows that call them: the model "
    "learns to call {1!r}, which it is not told of"
)


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        messages = {"column left out": LEFT_OUT, "tools left out": TOOLS_LEFT_OUT}
        yield from mistake_findings(facts, messages)
    run, run_trainer = facts.run, facts.run.trainer
    if isinstance(run_trainer, Unavailable):
        raise run_trainer
    if run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    if run.script.passed is not None and run.script.passed.derived:
        raise NotConcerned("the trainer is a class of the script's own, which may read it")
    rows = facts[own_rows]
    if not any(name in row for row in rows for name in READ_BY_TRL):
        raise NotConcerned("the rows have no column that TRL reads")
    columns = [name for name in TEXTS if _lost_text(rows, name) and not _rewarded(facts, name)]
    if run_trainer.name not in ONLINE and _has_tools(rows) and not _reads_tools(facts, run_trainer):
        columns.append(TOOLS)
    for name in columns:
        yield Finding(
            run.place(data_key(facts)),
            f"{trainer(facts)} does not read the column {name} of {file_name(facts)}: the model "
            "is trained without it",
            (f"{name} of the first row: {excerpt(_text(rows[0].get(name)))!r}",),
        )
    yield from _named_otherwise(facts, rows)


def _named_otherwise(facts: Facts, rows: list[dict[str, Json]]) -> Iterator[Finding]:
    """Tools in a column of another name than `tools`."""
    collates = facts.run.script.passes("data_collator")
    found = None if known_trainer(facts) in ONLINE or collates else unread_tools(rows)
    if found:
        column, tool = found
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{trainer(facts)} does not read the column {column} of {file_name(facts)}, which "
            f"defines tools: the model learns to call {tool.name!r}, which it is not told of",
            remedy=f"rename the column {column} to tools, if the trainer reads that column",
        )


def _lost_text(rows: list[dict[str, Json]], name: str) -> bool:
    """Whether the column has a text in most rows, which no other column of theirs has."""
    alone = 0
    for row in rows:
        text = _text(row.get(name)).strip()
        others = " ".join(_text(row[key]) for key in row if key != name)
        alone += len(text) >= SHORTEST and text not in others
    return alone > len(rows) / 2


def _has_tools(rows: list[dict[str, Json]]) -> bool:
    """Whether most rows have tools, and messages that a template renders."""
    return (
        sum(
            bool(row.get(TOOLS)) and any(isinstance(row.get(key), list) for key in CONVERSED)
            for row in rows
        )
        > len(rows) / 2
    )


def _reads_tools(facts: Facts, trainer: Trainer) -> bool:
    """Whether the trainer of this release reads them, or may: its source is not here."""
    try:
        columns = columns_read(facts.environment, trainer)
    except Unavailable:
        return True
    return columns is None or TOOLS in columns


def _rewarded(facts: Facts, name: str) -> bool:
    """Whether a reward function may read the column."""
    if known_trainer(facts) not in ONLINE:
        return False
    signatures = facts.get(reward_signatures) or ()
    return not signatures or any(name in (*each.looked_up, *each.takes) for each in signatures)


def _text(value: Json) -> str:
    """All texts of a cell."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return " ".join(map(_text, value.values())) if isinstance(value, Mapping) else ""


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
PAIR: dict[str, Json] = {"prompt": "Who are you?", "chosen": "A cat.", "rejected": "A dog."}
CALL: dict[str, Json] = {
    "prompt": [{"role": "user", "content": "Is it raining?"}],
    "completion": [{"role": "assistant", "content": "Yes."}],
    "label": True,
    "tools": [{"function": {"name": "weather"}}],
}
DEFINED: dict[str, Json] = {
    "messages": [
        {"role": "user", "content": "How is the weather?"},
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "get_weather", "arguments": {}}}],
        },
    ],
}
TOOL: Json = [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}]
CALLED: Json = [{"name": "get_weather", "arguments": {}}]
SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
SCORE = "def score(completions, {}**kwargs):\n    return [float(len(c)) for c in completions]\n"
PACKAGE = "site-packages/trl"
METADATA = {
    f"site-packages/{name}-{version}.dist-info/METADATA": f"Name: {name}\nVersion: {version}\n"
    for name, version in (("trl", "0.24.0"), ("transformers", "4.57.6"))
}
INSTALLED = {"trl": "0.24.0", "transformers": "4.57.6"}


def _rows(row: dict[str, Json], **more: Json) -> str:
    return f"{json.dumps({**row, **more})}\n" * 2


def _installed(line: str) -> dict[str, Json]:
    """A run of KTO, and a small source of its trainer."""
    return {
        "run.json": {"trainer": "kto", "dataset_name": "rows.jsonl"},
        "rows.jsonl": _rows(CALL),
        **METADATA,
        f"{PACKAGE}/__init__.py": "from .trainer import KTOTrainer\n",
        f"{PACKAGE}/trainer/__init__.py": "from .kto_trainer import KTOTrainer\n",
        f"{PACKAGE}/trainer/kto_trainer.py": f"class KTOTrainer:\n    def f(self, row):\n{line}",
    }


def _script(takes: str) -> dict[str, Any]:
    before = SCORE.format(takes)
    files = script("GRPO", "model='m', reward_funcs=score", before=before, rows=LOCAL)
    return {**files, "rows.jsonl": _rows({"prompt": "Who are you?"}, context="It is a rainy day.")}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    says = "the column input of the data is in none of 48 rows: the model is trained without it"
    return (
        mistake("column left out", ("input", "The river is high.", "48"), "train.py:12", says),
        Bad(
            {"run.json": DPO, "rows.jsonl": _rows(PAIR, system="You are a cat, and proud.")},
            versions=INSTALLED,
            says="does not read the column system of rows.jsonl: the model is trained without it",
        ),
        Bad(
            _installed("        return row['prompt']\n"),
            versions=INSTALLED,
            says="KTOTrainer of trl 0.24.0 does not read the column tools",
        ),
        Bad(_script(""), "train.py", versions=INSTALLED, says="does not read the column context"),
        Good(_script("context, "), "train.py", versions=INSTALLED),
        Good(_installed("        return row.get('tools')\n"), versions=INSTALLED),
        Good({"run.json": DPO, "rows.jsonl": _rows(PAIR, system="short")}, versions=INSTALLED),
        Good(
            {
                "run.json": DPO,
                "rows.jsonl": _rows(PAIR, prompt="You are a cat. Why?", system="You are a cat."),
            },
            versions=INSTALLED,
        ),
        Good({"run.json": DPO}, versions=INSTALLED, skipped="rows.jsonl"),
        *_of_tools(),
    )


def _of_tools() -> Examples:
    from ..._recorded.rehearsal import mistake

    words, untold = ("tools", "get_weather", "4"), "learns to call 'get_weather'"
    files = [_talk(tool_defs=TOOL), _talk(functions=json.dumps(TOOL))]
    unread = [Bad(each, versions=INSTALLED, says="which defines tools") for each in files]
    told = (_talk(tools=TOOL), _talk(answers=CALLED), _talk(tool_defs=TOOL, text="get_weather"))
    read = [Good(each, versions=INSTALLED) for each in told]
    return mistake("tools left out", words, "train.py:12", untold), *unread, *read


def _talk(**more: Json) -> dict[str, Any]:
    return {"run.json": SFT, "rows.jsonl": _rows(DEFINED, **more)}


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
