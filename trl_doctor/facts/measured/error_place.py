"""The argument of a run that an error of the libraries names."""

from __future__ import annotations

import re

from trl_doctor.core.finding import Place
from trl_doctor.facts import Facts
from trl_doctor.facts.partly import Partly


def named_in(facts: Facts, message: str) -> Place:
    """The argument that an error names in quotes, or whose value it quotes; else the file."""
    arguments = facts.run.arguments
    arguments = arguments.settled() if isinstance(arguments, Partly) else arguments
    quoted = re.findall(r"['\"`]([\w./-]+)['\"`]", message)
    by_name = [name for name in quoted if name in arguments]
    by_value = [
        name for name, value in arguments.items() if isinstance(value, str) and value in quoted
    ]
    return facts.run.place(*(by_name or by_value)[:1])
