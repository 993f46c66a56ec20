"""The argument of a run that an error of the libraries speaks of."""

from __future__ import annotations

import re

from trl_doctor.core.finding import Place
from trl_doctor.facts import Facts
from trl_doctor.facts.partly import Partly


def named_in(facts: Facts, said: str) -> Place:
    """The argument that an error names in quotes, or whose value it repeats; else the file."""
    given = facts.run.arguments
    given = given.settled() if isinstance(given, Partly) else given
    quoted = re.findall(r"['\"`]([\w./-]+)['\"`]", said)
    by_name = [name for name in quoted if name in given]
    by_value = [name for name, one in given.items() if isinstance(one, str) and one in quoted]
    return facts.run.place(*(by_name or by_value)[:1])
