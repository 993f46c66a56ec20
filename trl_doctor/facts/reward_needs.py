"""What the text of a reward function shows to be missing: a column, a value that it returns."""

from __future__ import annotations

from collections.abc import Sequence

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.own_rows import own_rows
from trl_doctor.facts.signatures import Signature
from trl_doctor.probes.reading import columns


def unmet(facts: Facts, one: Signature, names: Sequence[str]) -> tuple[str, str] | None:
    """What goes wrong, and the remedy; None where nothing does or the rows are not known.

    `names` are what the trainer passes besides the columns.
    """
    if not one.returns:
        what = "returns None, not one reward for each completion"
        return what, "the function returns None; let it return a list of numbers"
    rows = facts.get(own_rows)
    if rows is None:
        return None
    there = columns(rows)
    missing = [name for name in one.wants if name not in (*names, *there)]
    if missing:
        what = f"wants {', '.join(missing)}, which is neither passed nor a column"
        return what, f"call it like a column ({', '.join(there)}), or add that column"
    if one.reads_messages and all(isinstance(row.get("prompt"), str) for row in rows):
        what = "takes completions for conversations, and the prompts are texts"
        return what, "give prompts as lists of messages, or take each completion as a text"
    return None
