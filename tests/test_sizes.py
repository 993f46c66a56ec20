"""Files and functions that are small enough to be read at once."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST_FILE, LONGEST_FUNCTION, MOST_FILES = 250, 42, 45
MANY_FILES = 25
"""From here on the docstring of a folder's __init__ names each of its modules."""


def test_no_file_of_the_package_is_long() -> None:
    files = [path for room in ("trl_doctor", "rules") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 500
    lines = {path.relative_to(ROOT): path.read_text().count("\n") for path in files}
    assert {path: count for path, count in lines.items() if count > LONGEST_FILE} == {}


def test_no_function_is_long() -> None:
    functions, long = 0, {}
    for room in ("trl_doctor", "rules", "benchmarks", "history", "docs"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    functions += 1
                    count = (node.end_lineno or 0) - node.lineno + 1
                    if count > LONGEST_FUNCTION:
                        long[f"{path.relative_to(ROOT)}:{node.lineno}"] = count
    assert functions > 3000
    assert long == {}


def test_no_folder_is_crowded() -> None:
    """New rules and tests go to a folder that says what they are about."""
    rooms = ("trl_doctor", "rules", "tests", "benchmarks", "history", "docs")
    files = Counter(path.parent for room in rooms for path in (ROOT / room).rglob("*.py"))
    assert len(files) > 80
    del files[ROOT / "tests/proofs/advisories"]  # a script for each bug, by its name
    assert {path: count for path, count in files.items() if count > MOST_FILES} == {}


def test_a_large_folder_says_what_is_where() -> None:
    """Nobody finds anything in an alphabet of forty modules."""
    folders = Counter(path.parent for path in (ROOT / "trl_doctor").rglob("[!_]*.py"))
    large = [folder for folder, count in folders.items() if count > MANY_FILES]
    assert len(large) > 5
    unnamed = {}
    for folder in large:
        page = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
        names = {path.stem for path in folder.glob("[!_]*.py")}
        unnamed[folder.relative_to(ROOT)] = names - set(re.findall(r"`(\w+)`", page))
    assert {folder: names for folder, names in unnamed.items() if names} == {}


def test_no_two_test_files_have_one_name() -> None:
    """Tests import one another by a bare name: pytest refuses to collect the second file."""
    files = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(files) > 150
    assert [name for name, count in Counter(files).items() if count > 1] == []
