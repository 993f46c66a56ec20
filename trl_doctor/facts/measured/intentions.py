"""What the run's own code says of rows that would be wrong otherwise."""

from __future__ import annotations

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal, rehearsed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.probes.intentions import LOW_IS_GOOD, column_is_read


def says_low_is_good(facts: Facts) -> bool:
    """Whether the code or a comment says that a low score is a good one."""
    if rehearsed(facts):
        return bool(rehearsal(facts).mistakes_of("low scores are good"))
    own = facts.get(code)
    return own is not None and any(
        LOW_IS_GOOD.search(piece.text) for piece in own.file.places.pieces
    )


def reads_column(facts: Facts, column: str) -> bool:
    """Whether the code names a column of texts elsewhere than where it makes it.

    That it is given as `dataset_text_field` does not count. In a rehearsal only this column of SFT
    is known.
    """
    if rehearsed(facts):
        return any(
            mistake.words == (column,) for mistake in rehearsal(facts).mistakes_of("texts are read")
        )
    own = facts.get(code)
    return own is not None and column_is_read(own.nodes, column, "dataset_text_field")
