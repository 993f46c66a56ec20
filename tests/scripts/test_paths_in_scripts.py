"""Names of files that a script puts together from parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.source.reading import read_source
from trl_doctor.files.source.values import Plain

KNOWN = {
    '"%s/rows-%02d.jsonl" % ("data", 3)': "data/rows-03.jsonl",
    '"%s" % "x"': "x",
    '"%d%%" % 5': "5%",
    '"{}/{name}".format("data", name="a.json")': "data/a.json",
    'Path("data", "in") / "rows.jsonl"': "data/in/rows.jsonl",
    'Path("data").joinpath("in", "rows.jsonl")': "data/in/rows.jsonl",
    'Path("data/in/rows.jsonl").parent': "data/in",
    'Path("data/in/rows.jsonl").stem': "rows",
    'os.path.normpath("data/../in")': "in",
    'str(Path(__file__).resolve().parent / "rows.jsonl")': "/home/me/rows.jsonl",
    'os.path.join(os.path.dirname(os.path.abspath(__file__)), "a.json")': "/home/me/a.json",
    'os.environ.get("NO_SUCH_NAME", "data") + "/a"': "data/a",
}
UNKNOWN = (
    '"%999999999d" % 3',
    '"%(x)s" % {"x": 1}',
    '"%s %s" % "x"',
    '"%s" % os.getcwd()',
    'Path(os.getcwd()) / "a"',
    'os.environ.get("NO_SUCH_NAME")',
)


def value(text: str) -> object:
    source = f"import os\nfrom pathlib import Path\nx = {text}\n"
    result = read_source(Path("/home/me/train.py"), source.encode()).scope.names["x"]
    return result.value if isinstance(result, Plain) else result


@pytest.mark.parametrize("text", KNOWN)
def test_known(text: str) -> None:
    assert value(text) == KNOWN[text]


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown(text: str) -> None:
    assert value(text) is None or not isinstance(value(text), str)
