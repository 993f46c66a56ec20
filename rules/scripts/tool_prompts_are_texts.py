"""Tools are given, and the prompts are texts.

GRPO renders tools into conversations only. With prompts that are texts the model never sees its
tools, and the first step fails: "'str' object has no attribute 'get'".

Remedy: write each prompt as a list of messages: `[{"role": "user", "content": …}]`.

Versions: every trl with tools for GRPO.

Seen: reproduced with trl 1.16.0, with `tools` and with `environment_factory`; with conversations
both train.
"""

import json
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.tools import given

from .._recorded.scripts import LOCAL, script


def check(facts: Facts) -> Iterator[Finding]:
    names = " and ".join(given(facts))
    if isinstance(facts[own_rows][0].get("prompt"), str):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{names} need conversations, and the prompts of {file_name(facts)} are texts",
        )


TOOLS = "reward_funcs=len, tools=[len]"
TRL = {"trl": "1.16.0"}


def files(prompt: Json, arguments: str = TOOLS) -> dict[str, Any]:
    """The script, on a local file of rows."""
    row = json.dumps({"prompt": prompt})
    return {**script("GRPO", arguments, rows=LOCAL), "rows.jsonl": f"{row}\n"}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            files("Go."),
            "train.py",
            versions=TRL,
            says="tools need conversations, and the prompts of rows.jsonl are texts",
        ),
        Good(files([{"role": "user", "content": "Go."}]), "train.py", versions=TRL),
        Good(files("Go.", "reward_funcs=len"), "train.py", versions=TRL),
    ),
)
