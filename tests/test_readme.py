"""README shows what the program really prints."""

from readme import README, made


def test_readme_is_true() -> None:
    assert README.read_text() == made(), "run `python tests/readme.py`"
