"""A package of rules as anybody could install it, written where a test wants it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from itertools import count
from pathlib import Path

NUMBERS = count()

TEXT = '''"""Something is wrong here.

It costs a night.

Remedy: mend it.
"""

from pathlib import Path

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.core.finding import Copy, Finding, Fix, Place, Put, Remove
from trl_doctor.facts.rule import Rule


def check(facts):
    place = facts.run.place("model_name_or_path")
    arguments = facts.run.arguments
{body}
    yield from ()


RULE = Rule(doc=__doc__, severity={severity!r}, check=check, examples=())
'''


def plugin(folder: Path, rules: Mapping[str, str], severity: str = "error") -> Path:
    """Write a package with these rules, the bodies of `check` by name; gives the folder.

    A name may begin with a severity: "warning: case-late". Inside a body there are `facts`,
    `place` and `arguments`.
    """
    package = f"small_plugin_{next(NUMBERS)}"
    (folder / package).mkdir(parents=True)
    (folder / package / "__init__.py").write_text("")
    for name, body in rules.items():
        own_severity, _, rule = name.rpartition(": ")
        text = TEXT.format(body=textwrap.indent(body, "    "), severity=own_severity or severity)
        (folder / package / f"{rule.replace('-', '_')}.py").write_text(text)
    metadata = folder / f"{package}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[trl_doctor.rules]\nsmall = {package}\n")
    return folder


def puts(
    pointer: str, value: object, message: str = "it is wrong", file: str = "place.file"
) -> str:
    """The body of a rule with a finding until a key of the run file has a value."""
    key = pointer.strip("/")
    return (
        f"if arguments.get({key!r}) != {value!r}:\n"
        f"    edit = Put({file}, {pointer!r}, {value!r})\n"
        f"    yield Finding(place, {message!r}, fix=Fix('set {key} to {value}', (edit,)))"
    )
