"""The script takes away the column of tools.

Rows with calls of tools have the definitions of these tools in the column `tools`, and the trainer
gives it to the chat template. The script removes it with
`remove_columns=dataset.column_names`: the prompts then name no tool, and the model learns to call
tools that it was not told of. No error is raised.

Remedy: let the function of `map` return `tools`, too, or leave the column out of `remove_columns`.

Versions: every trl whose SFT, DPO, KTO and reward trainers read tools. If the function of `map`
reads the tools itself, to write them into a system message, or if the script removes the column by
its name, nothing is reported; nor if it takes the key `tool_calls` away with the column.

Seen: reproduced with SFT of trl 1.16.0 and a template that writes tools: no row has a tool if `map`
removes the column, and each row has one if it is kept.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.rows.called_tools import has_calls
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.columns import adds_column, columns_left, knows_column
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.kept_keys import makes_texts

from ..._recorded.scripts import LOCAL, script

READS = ("sft", "dpo", "kto", "reward")
TOOLS, MESSAGES = "tools", "messages"


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    rows = values.given("train_dataset")
    has_tools = adds_column(rows, TOOLS) or TOOLS in _loaded(facts)
    if known_trainer(facts) not in READS or not has_tools:
        raise NotConcerned("the rows have no column of tools, as far as the script shows it")
    columns = columns_left(rows)
    if MESSAGES not in columns.there or values.has("formatting_func"):
        raise NotConcerned("the script makes no messages of its rows, or makes texts of them")
    lost = columns.lost(TOOLS)
    if lost and makes_texts(rows) and has_calls(facts):
        return  # the rows call no tools any more
    if lost and lost.how == "absent" and not knows_column(rows, TOOLS):
        yield Finding(
            values.places["train_dataset"],
            "the script removes the column tools: the chat template gets no tools, and the prompts "
            "name none",
            remedy="return tools from the function of map, too, or do not remove the column",
        )


def _loaded(facts: Facts) -> list[str]:
    """The columns of the file that the script loads; empty where they are not known."""
    if len(facts.run.script.row_files) != 1:
        return []
    file = dataset.existing_path(facts, facts.run.script.row_files[0].name)
    return dataset.columns_of(file) if file and file.is_file() else []


def _script(made: str, before: str = "", given: str = "") -> dict[str, str]:
    function = "def convert(row):\n    return {'messages': row['messages']}\n"
    both = "def both(row):\n    return {'messages': row['messages'], 'tools': row['tools']}\n"
    lines = f"{function}{both}{before}rows = rows.map({made}, remove_columns=rows.column_names)\n"
    row = '{"messages": [{"role": "user", "content": "a"}], "tools": [{"name": "add"}]}\n'
    return script("SFT", f"model='org/m', {given}", before=lines, rows=LOCAL) | {"rows.jsonl": row}


CALLING = (
    '{"messages": [{"role": "assistant", "content": "", "tool_calls": '
    '[{"function": {"name": "add", "arguments": {}}}]}], "tools": [{"name": "add"}]}\n'
)
CHAT = (
    "def chat(row):\n"
    "    return {'messages': [{'role': m['role'], 'content': m['content']}\n"
    "                         for m in row['messages'] if m['content']]}\n"
)
ADDS = "rows = rows.add_column('tools', [[]] * len(rows))\n"
TOLD = (
    "def told(row):\n    system = {'role': 'system', 'content': row['tools']}\n"
    "    return {'messages': [system, *row['messages']]}\n"
)
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("convert"),
            "train.py",
            TRL,
            says="the script removes the column tools: the chat template gets no tools",
        ),
        Bad(
            _script("convert", ADDS) | {"rows.jsonl": '{"messages": []}\n'},
            "train.py",
            TRL,
            says="the script removes the column tools",
        ),
        Bad(
            _script("convert") | {"rows.jsonl": CALLING},
            "train.py",
            TRL,
            says="the script removes the column tools",
        ),
        Bad(_script("chat", CHAT), "train.py", TRL, says="the script removes the column tools"),
        Good(_script("chat", CHAT) | {"rows.jsonl": CALLING}, "train.py", TRL),
        Good(_script("convert", given="formatting_func=shown"), "train.py", TRL),
        Good(_script("both"), "train.py", TRL),
        Good(_script("told", TOLD), "train.py", TRL),
        Good(_script("told", TOLD.replace("row['tools']", "shown(row)")), "train.py", TRL),
        Good(_script("convert", "rows = rows.remove_columns('tools')\n"), "train.py", TRL),
        Good(_script("lambda row: {'text': 'a'}"), "train.py", TRL),
        Good(_script("convert") | {"rows.jsonl": '{"messages": []}\n'}, "train.py", TRL),
    ),
)
