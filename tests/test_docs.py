"""The generated pages of the documentation are what the code would make of them today."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS))

from make_pages import COMMITTED  # noqa: E402


@pytest.mark.parametrize("name", COMMITTED)
def test_a_generated_page_is_current(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    assert text == COMMITTED[name](), "run `python docs/make_pages.py`"


def test_the_changelog_of_a_first_release_is_short() -> None:
    """What nobody has had yet cannot change: a new rule is a line of docs/rules.md."""
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.count("\n") < 300
    assert "## Unreleased" not in text, "nothing is released yet: describe it under 0.1.0"
