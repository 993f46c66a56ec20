"""SFT never reads what formatting_func returns.

`SFTTrainer` puts the texts of `formatting_func` in a column `text` beside the others. It looks for
conversations first, in `messages`, `conversations` (`from` and `value`) or `prompt`, and renders
these with the chat template; then for the column that `dataset_text_field` names. If the rows have
one of these, the texts of the function are never trained on, and no error is raised. Prompts and
completions that are plain texts even lose the eos, which goes to the end of the unread text.

Remedy: take the columns out that the function has used: `rows.map(to_text,
remove_columns=rows.column_names)` and no `formatting_func`; or leave the function out, and give the
tokenizer the chat template that you want.

Versions: trl 0.15 and newer. A rehearsal calls the function for the first eight rows and looks for
its texts in the rows that are trained on: if none is there, it is an error. From the files it is a
warning, and scripts that call `apply_chat_template` are left to the rehearsal: their function may
write what the trainer does.

Seen: reproduced with SFT of trl 0.15.2, 0.19.1, 0.24.0, 1.12.0 and 1.16.0: for rows with `messages`
the trainer's tokens are those of the chat template, for `prompt` and `completion` those of the two
without an eos, for `dataset_text_field="content"` those of that column. Rows with other columns are
trained on as the function writes them.
"""

from collections.abc import Iterator
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import LOCAL, script

FIRST = Version("0.15.0")
MESSAGE = "SFT never reads what {0} returns ({2!r}): it trains on the column {1}"
REMEDY = "leave formatting_func out, or take the column {} out of the rows"
FIELD, RENDERS = "dataset_text_field", "apply_chat_template"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        yield from mistake_findings(
            facts, {"formatted in vain": MESSAGE}, severity="error", remedy=REMEDY.format("that is "
            "trained on"),
        )  # fmt: skip
        return
    values, trl = passed(facts), trl_of(facts)
    if known_trainer(facts) != "sft" or not values.has("formatting_func"):
        raise NotConcerned("only SFT with a formatting_func is affected")
    if trl is not None and trl < FIRST:
        raise NotConcerned("this release of trl trains on what formatting_func returns")
    parsed = facts.get(code)
    if parsed and any(getattr(node, "attr", "") == RENDERS for node in parsed.nodes):
        raise NotConcerned("the function may write what the trainer's template writes")
    row = facts[own_rows][0]
    field = str(facts.run.arguments.get(FIELD) or "text")
    column = _read_first(row) or (field if field != "text" and field in row else "")
    if column and "input_ids" not in row:
        yield Finding(
            values.places["formatting_func"],
            f"SFT never reads what formatting_func returns: the rows have {column}, "
            + ("which the chat template renders" if isinstance(row[column], list)
               else "which is trained on as it is"),
            remedy=REMEDY.format(column),
        )  # fmt: skip


def _read_first(row: dict[str, Json]) -> str:
    """The column in which the trainer looks before it looks at texts; "" if there is none."""
    for name, keys in (("messages", {"role", "content"}), ("conversations", {"from", "value"})):
        turns = row.get(name)
        first = turns[0] if isinstance(turns, list) and turns else None
        if isinstance(first, dict) and keys <= first.keys():
            return name
    return "prompt" if row.get("prompt") and row.get("completion") else ""


TURN = '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}\n'
TRL = {"trl": "1.16.0"}


def _files(row: str, config: str = "", given: str = ", formatting_func=str") -> dict[str, Any]:
    return {**script("SFT", f"model='org/m'{given}", config, rows=LOCAL), "rows.jsonl": row}


def examples() -> Examples:
    from msgspec.structs import replace

    from ..._recorded.rehearsal import mistake, no_mistake

    says = "SFT never reads what to_text returns ('Q: a A: b'): it trains on the column messages"
    words = ("to_text", "messages", "Q: a A: b")
    seen = mistake("formatted in vain", words, "train.py:9", says)
    pair = '{"prompt": "a", "completion": "b"}\n'
    named = '{"question": "a", "content": "b"}\n'
    shared = TURN.replace("messages", "conversations")
    return (
        replace(seen, severity="error"),
        no_mistake(),
        Bad(_files(TURN), "train.py", versions=TRL, severity="warning",
            says="the rows have messages, which the chat template renders"),
        Bad(_files(pair), "train.py", versions=TRL, severity="warning",
            says="the rows have prompt, which is trained on as it is"),
        Bad(_files(named, "dataset_text_field='content'"), "train.py", versions=TRL,
            severity="warning", says="the rows have content, which is trained on as it is"),
        Good(_files(named), "train.py", versions=TRL),
        Good(_files(shared), "train.py", versions=TRL),
        Good(_files(TURN, given=""), "train.py", versions=TRL),
        Good(_files(TURN, given=", formatting_func=tokenizer.apply_chat_template"), "train.py",
             versions=TRL),
        Good(_files(TURN), "train.py", versions={"trl": "0.14.0"}),
    )  # fmt: skip


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
