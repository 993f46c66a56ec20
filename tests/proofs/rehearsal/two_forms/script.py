"""A training script in a wrong and in a healthy form, and what a real run of each shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
from laid import ROOT


class Case(Protocol):
    """A script that needs an environment."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> str: ...


@dataclass(frozen=True)
class TwoForms:
    """`rule` finds it. The real run of the wrong form shows `bad`, of the healthy one `good`."""

    name: str
    environment: str
    rule: str
    script: str
    bad: str
    good: str
    severity: str = "error"
    says: str = ""
    files: dict[str, str] = field(default_factory=dict)

    def form(self, form: str) -> str:
        """The script in one of its forms, "bad" or "good"."""
        return in_form(self.script, form)

    def lay(self, form: str, folder: Path) -> None:
        """Write the script in one of its forms into a folder, with its files and the models."""
        (folder / "models").symlink_to(ROOT / "fixtures/models")
        for name, text in {**self.files, "train.py": self.form(form)}.items():
            (folder / name).write_text(text)


def in_form(script: str, form: str) -> str:
    """A script without the lines of the other form, and without the marks."""
    other = "#~good" if form == "bad" else "#~bad"
    lines = [line for line in script.splitlines() if not line.endswith(other)]
    return "\n".join(line.removesuffix(f"#~{form}").rstrip() for line in lines) + "\n"


def by_environment(cases: Iterable[Case]) -> list[object]:
    """Each case, marked with the environment that it needs."""
    return [
        pytest.param(case, id=case.name, marks=pytest.mark.environment(case.environment))
        for case in cases
    ]
