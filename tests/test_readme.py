"""README and docs show what the program really prints."""

import pytest
from readme import PARTS, ROOT, page_text


@pytest.mark.parametrize("page", PARTS)
def test_what_a_page_shows_is_true(page: str) -> None:
    assert (ROOT / page).read_text() == page_text(page), "run `python tests/readme.py`"
