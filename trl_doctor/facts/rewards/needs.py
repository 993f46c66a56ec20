"""What a reward function's source shows to be missing: a column, or a return value."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.signatures import Signature
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.run_trainer import trl_of
from trl_doctor.facts.script.columns import Lost, columns_left
from trl_doctor.probes.reading import columns

KEPT = ("prompt", "completion")
"""Columns of which reward functions get TRL's own lists, with an s, and not the column."""

TAKES_NONE = Version("0.16.0")
"""From this release on None leaves a completion out of a reward."""


def unmet_need(facts: Facts, called: Signature, names: Sequence[str]) -> tuple[str, str] | None:
    """The problem and the remedy; None if there is no problem or the rows are not known.

    `names` are the arguments that the trainer passes in addition to the columns.
    """
    if not called.returns:
        problem = "returns None, not one reward for each completion"
        return problem, "the function returns None; let it return a list of numbers"
    trl = trl_of(facts)
    if called.gives_none and trl is not None and trl < TAKES_NONE:
        problem = f"can give None for a completion, which trl {trl} cannot take"
        return problem, f"give each completion a number, or install trl>={TAKES_NONE}"
    if reserved_columns := [name for name in called.wants if name in KEPT and name not in names]:
        problem = f"requires {reserved_columns[0]}, a column that TRL keeps from reward functions"
        return problem, f"take {reserved_columns[0]}s, or give the column another name"
    if (need := _removed_column(facts, called, names)) is not None:
        return need
    rows = facts.get(own_rows)
    if rows is None:
        return None
    present = columns(rows)
    missing = [name for name in called.wants if name not in (*names, *present)]
    if missing:
        problem = f"needs {quoted(missing)}, but the columns are {', '.join(present)}"
        return problem, named_as_column(missing, present)
    if called.reads_messages and all(isinstance(row.get("prompt"), str) for row in rows):
        problem = "takes completions for conversations, and the prompts are texts"
        return problem, "give prompts as lists of messages, or take each completion as a text"
    if called.text_use and all(_is_chat(row.get("prompt")) for row in rows):
        problem = f"takes a completion as a text ({called.text_use}), and it is a list of messages"
        return problem, "read the text of a completion: completion[0]['content']"
    return None


def quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def named_as_column(missing: Sequence[str], present: Sequence[str]) -> str:
    """The remedy for a parameter that no column has the name of: the column that it may mean."""
    name = missing[0]
    if len(missing) == 1 and (near := get_close_matches(name, present, 1)):
        return f"rename the parameter to {near[0]}"
    listed = ", ".join(present)
    return f"give the parameter {name} the name of a column ({listed}), or add a column {name}"


def and_kwargs(remedy: str) -> str:
    """The remedy of a function that does not accept all that is passed, either."""
    return f"{remedy}, and add **kwargs"


def _removed_column(
    facts: Facts, called: Signature, names: Sequence[str]
) -> tuple[str, str] | None:
    """A column that the script itself takes from its data set."""
    rows = facts.run.script.value("train_dataset")
    final_columns = columns_left(rows)
    for name in called.wants:
        change = final_columns.lost(name) if name not in names else None
        if change is not None:
            return _lost_column(name, change, ", ".join(sorted(final_columns.only or ())))
    return None


def _lost_column(name: str, change: Lost, where: str) -> tuple[str, str]:
    """What became of the column, and what to do; `where` are the columns that are left."""
    if change.how == "renamed":
        problem = f"requires the column {name}, which is renamed to {change.name}"
        return problem, f"rename the parameter to {change.name}"
    how = "removed" if change.how == "removed" else "not among the columns that the script makes"
    about = f" ({where})" if where else ""
    remedy = f"keep the column {name}, or give the parameter the name of another one"
    return f"requires the column {name}, which is {how}{about}", remedy


def _is_chat(prompt: Json) -> bool:
    return isinstance(prompt, list) and bool(prompt) and isinstance(prompt[0], dict)
