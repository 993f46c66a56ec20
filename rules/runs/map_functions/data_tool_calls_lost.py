"""The calls of tools are lost, or their results alone.

A message of the assistant that calls a tool has the call in `tool_calls`, beside an empty content.
The script copies the role and the content of each message and nothing else: the model sees what a
tool has answered, and never a call. It does not learn to call tools. A script that keeps the
messages of the user and the assistant alone loses what the tools have answered, and keeps the
calls: the model learns to make up what a tool would say. No error is raised.

Remedy: keep all messages with all their keys, without those that have no value:
`{key: value for key, value in message.items() if value is not None}`.

Versions: any. `check` finds it where `map` makes a message of each message of a column of a local
JSON file, with its role and content alone. A rehearsal compares the rows that the trainer gets with
those that the script has read: three rows at least, and no call is left, or no answer of a tool.
Nothing is reported if calls and answers are gone together, or if the script names `tool_calls` or
`function_call`; for the answers, if it names the role `tool`.

Seen: axolotl#3824. Reproduced with DPO of trl 1.16.0: no prompt has a call, each has a tool's
answer.
"""

import json
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rows.called_tools import answered_calls
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.kept_keys import names_calls, rewritten

from ..._recorded.scripts import LOCAL, script

MESSAGE = (
    "the calls of tools of {1} rows are not in what is trained on, and what the tools answered is: "
    "the first is a call of {0}"
)
RESULTS = (
    "what tools answered in {1} rows is not in what is trained on, and the calls of the tools are: "
    "the first answer is {0!r}"
)
KEEP = "keep the messages with the answers of tools"
REMEDY = "keep the key tool_calls of the messages"
FEWEST = 3
"""Conversations with a call and its answer, at least."""


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        yield from mistake_findings(facts, {"calls lost": MESSAGE}, remedy=REMEDY)
        yield from mistake_findings(facts, {"tool results lost": RESULTS}, remedy=KEEP)
        return
    values = passed(facts)
    copies = rewritten(values.given("train_dataset"))
    if not copies or names_calls(facts[code]):
        raise NotConcerned("the script copies no messages by their role and content")
    for copy in copies:
        tool, rows = answered_calls(facts, copy.column)
        if rows >= FEWEST:
            yield Finding(
                values.places["train_dataset"],
                f"line {copy.line} keeps the role and content of each message: the calls of tools "
                f"of {rows} rows are lost, and what the tools answered is not; the first is a "
                f"call of {tool}",
                remedy=REMEDY,
            )


CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "How is the weather in Oslo?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "sunny"},
    {"role": "assistant", "content": "It is sunny."},
]
COPIED = '[{"role": m["role"], "content": m["content"]} for m in row["messages"]]'
LOOP = (
    '    talk = []\n    for m in row["messages"]:\n'
    '        talk.append({"role": m["role"], "content": m.get("content")})\n'
)


def _script(
    made: str, before: str = "", talk: Any = TALK, chosen: str = ".map(convert)"
) -> dict[str, Any]:
    function = f'def convert(row):\n{before}    return {{"messages": {made}}}\n'
    files = script("SFT", "model='m'", before=f"{function}rows = rows{chosen}\n", rows=LOCAL)
    return {**files, "rows.jsonl": f"{json.dumps({'messages': talk})}\n" * 4}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    target = ("train.py", {"trl": "1.16.0"})
    says = "keeps the role and content of each message: the calls of tools of 4 rows are lost"
    found = "the calls of tools of 4 rows are not in what is trained on"
    kept = "[{k: v for k, v in m.items() if v} for m in row['messages']]"
    only = COPIED.replace("]]", '] if m["role"] != "tool"]')
    named = COPIED.replace("[{", '[{"tool_calls": m.get("tool_calls"), ')
    return (
        mistake("calls lost", ("get_weather", "4"), "train.py:9", found),
        mistake(
            "tool results lost",
            ("sunny, 21 degrees", "4"),
            "train.py:9",
            "what tools answered in 4 rows is not in what is trained on",
        ),
        no_mistake(),
        Bad(_script(COPIED), *target, says=says),
        Bad(_script("talk", LOOP), *target, says=says),
        Good(_script(kept), *target),
        Good(_script(only), *target),
        Good(_script(named), *target),
        Good(
            _script("talk", LOOP.replace("talk.append", "if m:\n            talk.append")), *target
        ),
        Good(_script(COPIED, chosen=".filter(has_no_tool).map(convert)"), *target),
        Good(_script(COPIED, talk=TALK[:1] + TALK[3:]), *target),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
