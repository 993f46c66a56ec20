"""Scripts with several mistakes at once: real runs show each, the doctor reports each.

A line that ends in `#~bad` is in the wrong form only, one with `#~good` in the healthy one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from commands import ran
from laid import ROOT
from rehearsing import findings_by_rule, rehearsal

from two_forms.script import in_form


@dataclass(frozen=True)
class Script:
    """What the real run prints in the wrong and in the healthy form, and the rules that say why."""

    name: str
    environment: str
    text: str
    shown: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]


def assert_shown_and_told(
    case: Script,
    form: str,
    python: Path,
    folder: Path,
    files: Mapping[str, Iterable[Mapping[str, object]]],
) -> None:
    """One form of a script beside its JSON-lines files, run for real and rehearsed."""
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    for name, rows in files.items():
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text("".join(lines), "utf-8")
    (folder / "train.py").write_text(in_form(case.text, form))
    process = ran(python, "train.py", cwd=folder)
    assert process.returncode == 0, process.stderr[-2000:]
    for texts in case.shown:
        assert texts[form == "good"] in process.stdout, process.stdout
    _, report = rehearsal(folder, python, "train.py")
    found = findings_by_rule(report)
    wrong = list(case.rules) if form == "bad" else []
    assert [rule for rule in case.rules if found.get(rule)] == wrong, found
    assert not [f for findings in found.values() for f in findings if f["severity"] == "error"]
