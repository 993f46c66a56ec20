"""Rows that a script makes of a file, or writes itself, are examined as the trainer gets them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import are_all, data_key, file_name, own_rows
from trl_doctor.facts.totals import rows as counted
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.testing import laid_out

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)
ROWS = [{"q": f"{n}?", "a": str(n)} for n in range(4)]
SCRIPT = """\
from datasets import Dataset, load_dataset
from trl import SFTConfig, SFTTrainer


def joined(row):
    return {{"text": row["q"] + " " + row["a"]}}


def changed(row):
    row["q"] = row["q"] + "!"
    return {{"n": 1}}


def given_back(row):
    row["n"] = 1
    return row


def prefixed(row):
    return {{"text": PREFIX + row["q"]}}


def counted(row):
    SEEN.append(row["q"])
    return {{"n": len(SEEN)}}


def held(row):
    seen = SEEN
    seen.append(row["q"])
    return {{"n": len(seen)}}


def remembered(row, seen=[]):
    seen.append(row["q"])
    return {{"n": len(seen)}}


SEEN = []
PREFIX = "A"
other = load_dataset("json", data_files="other.jsonl", split="train")
rows = {rows}
PREFIX = "B"
SFTTrainer("org/m", args=SFTConfig("out"), train_dataset=rows).train()
"""
LOADED = 'load_dataset("json", data_files="rows.jsonl", split="train")'
CASES = {
    ".map(joined)": [{**row, "text": f"{row['q']} {row['a']}"} for row in ROWS],
    ".map(joined, remove_columns=['q', 'a'])": [{"text": f"{n}? {n}"} for n in range(4)],
    ".map(joined, remove_columns=['q']).rename_column('a', 'b')": [
        {"b": str(n), "text": f"{n}? {n}"} for n in range(4)
    ],
    ".filter(lambda row: row['a'] != '1').map(joined, remove_columns=['q', 'a'])": [
        {"text": f"{n}? {n}"} for n in (0, 2, 3)
    ],
    ".map(lambda row: {'q': min(row['q'])})": None,
    ".map(changed, remove_columns=['a'])": [{"q": f"{n}?!", "n": 1} for n in range(4)],
    ".map(given_back, remove_columns=['q', 'a'])": [{"n": 1} for _ in range(4)],
    ".map(lambda row: {'n': 1} if row['a'] == '1' else None)": None,
    ".select(range(2)).map(joined, remove_columns=['q']).shuffle()": [
        {"a": str(n), "text": f"{n}? {n}"} for n in range(2)
    ],
    ".shuffle().select(range(2)).map(joined)": None,
    ".select(range(1, 3)).map(joined)": None,
    ".map(joined, remove_columns=other.column_names)": None,
    ".map(prefixed)": None,
    ".map(counted)": None,
    ".map(held)": None,
    ".map(remembered)": None,
    ".map(joined, batched=True)": None,
    ".map(joined, with_indices=True)": None,
    ".map(tokenize)": None,
    ".map(lambda row: row['q'])": None,
}


@contextmanager
def facts_of(rows: str, given: list[dict[str, Any]] | None = None) -> Iterator[Facts]:
    """The facts of a script that trains on these rows."""
    text = "".join(json.dumps(row) + "\n" for row in given or ROWS)
    with laid_out({"train.py": SCRIPT.format(rows=rows), "rows.jsonl": text}) as folder:
        script = target(str(folder / "train.py"), offline=True)
        yield Facts(open_run(script, WORLD, Options(offline=True)), WORLD, ExampleOracle({}))


@pytest.mark.parametrize("steps", CASES)
def test_rows_of_a_file_through_functions(steps: str) -> None:
    wanted = CASES[steps]
    with facts_of(LOADED + steps) as facts:
        if wanted is None:
            with pytest.raises(Unavailable):
                own_rows(facts)
            return
        assert own_rows(facts) == wanted
        assert file_name(facts).startswith("rows.jsonl (after ")
        if "filter" in steps:
            assert file_name(facts) == "rows.jsonl (after a lambda, joined)"
        assert facts.run.place(data_key(facts)).spot is not None


def test_all_columns_are_removed_by_the_name_of_their_list() -> None:
    rows = f"{LOADED}\nrows = rows.map(joined, remove_columns=rows.column_names)"
    with facts_of(rows) as facts:
        assert own_rows(facts) == [{"text": f"{n}? {n}"} for n in range(4)]


def test_rows_that_the_script_writes() -> None:
    line = SCRIPT.splitlines().index("rows = {rows}") + 1
    with facts_of("Dataset.from_list([joined({'q': 'a', 'a': str(n)}) for n in (1, 2)])") as facts:
        assert own_rows(facts) == [{"text": "a 1"}, {"text": "a 2"}]
        assert file_name(facts) == f"the data set of line {line}"


def test_whether_the_first_rows_are_all() -> None:
    """A part of them is not: its number depends on how the library divides."""
    for steps, whole in {
        ".map(joined)": True,
        ".filter(lambda row: row['a'] != '1').map(joined)": True,
        ".map(joined).train_test_split(test_size=0.5)['train']": False,
    }.items():
        with facts_of(LOADED + steps) as facts:
            assert are_all(facts) is whole
            assert facts.get(counted) == (len(own_rows(facts)) if whole else None)
    with facts_of(f"{LOADED}.map(joined)", ROWS * 20) as facts:
        assert len(own_rows(facts)) == 64 and not are_all(facts)


def test_no_row_is_left() -> None:
    with (
        facts_of(LOADED + ".filter(lambda row: row['a'] == 'x')") as facts,
        pytest.raises(Unavailable, match=r"rows\.jsonl \(after a lambda\) has no rows"),
    ):
        own_rows(facts)


@pytest.mark.parametrize(
    ("given", "function"),
    [
        ([{"q": 1}, {"q": 2.5}], "lambda row: {'text': str(row['q'])}"),
        ([{"q": "2026-01-01"}], "lambda row: {'text': f\"{row['q']}\"}"),
        ([{"q": "a"}, {"q": "b", "s": "c"}], "lambda row: {'text': row.get('s', 'none')}"),
        ([{"q": "a"}, {"q": "b", "s": "c"}], "lambda row: {'text': 's' in row}"),
        ([{"q": [{"a": 1}, {"b": 1}]}], "lambda row: {'text': row['q'][0].get('b', 2)}"),
    ],
)
def test_cells_that_the_library_changes_are_not_followed(
    given: list[dict[str, Any]], function: str
) -> None:
    """It gives the cells of a column one type, and each row all keys."""
    with facts_of(f"{LOADED}.map({function})", given) as facts, pytest.raises(Unavailable):
        own_rows(facts)


@pytest.mark.parametrize(
    "load",
    [
        'load_dataset("json", data_files="rows.jsonl", split="train[1:2]")',
        'load_dataset("json", data_files="rows.jsonl", split="train", streaming=True)',
        'load_dataset("json", data_files="rows.jsonl", split="train", field="data")',
    ],
)
def test_a_load_of_other_rows_is_not_followed(load: str) -> None:
    with facts_of(f"{load}.map(joined)") as facts, pytest.raises(Unavailable):
        own_rows(facts)


LISTS = {
    "data = [{'q': 'a'}]\nrows = Dataset.from_list(data)\ndata.append({'q': ''})\n"
    "data[0]['q'] = ''": [{"q": "a"}],
    "base = [{'q': 'a'}]\nmore = base\nmore += [{'q': 'b'}]\nrows = Dataset.from_list(base)": [
        {"q": "a"}, {"q": "b"},
    ],
    "import copy\nbase = {'m': []}\nitem = copy.deepcopy(base)\nitem['m'].append('a')\n"
    "rows = Dataset.from_list([base, item])": [{"m": []}, {"m": ["a"]}],
    "rows = Dataset.from_list([{'q': ' '.join(sorted(['b', 'a']))}, {'q': list({'k': 1})[0]}])": [
        {"q": "a b"}, {"q": "k"},
    ],
    "data = sorted([{'q': 'b'}, {'q': 'a'}], key=lambda row: row['q'])\n"
    "rows = Dataset.from_list(data)": [{"q": "a"}, {"q": "b"}],
    "data = sorted([{'q': 'b'}, {'q': 'a'}], key=hash)\nrows = Dataset.from_list(data)": None,
    "data = [{'q': 'a'}]\nfor row in data + [{}]:\n    del row['q']\n"
    "rows = Dataset.from_list(data)": None,
    "data = [{'q': 'a'}, {'q': 'b'}]\nfor n, row in enumerate(data):\n    row['q'] = n\n"
    "rows = Dataset.from_list(data)": [{"q": 0}, {"q": 1}],
    "data = [{'q': 'a'}, {'q': 'b'}]\nfor row in reversed(data):\n    row['q'] = 'c'\n"
    "rows = Dataset.from_list(data)": None,
    "d = {'t': 'x'}\n" + "d = {'a': d, 'b': d}\n" * 40 + "rows = Dataset.from_list([d])": None,
    "import os\na, b = zip(*os.environ['X'])\n"
    "rows = Dataset.from_list([{'q': t} for t in a])": None,
    "import os\nmore = os.environ['X']\n"
    "rows = Dataset.from_list([{'q': t} for t, _ in zip(['a'], *more)])": None,
    "a, b = zip(*[('a', 1), ('b', 2)])\nrows = Dataset.from_list([{'q': t} for t in a])": [
        {"q": "a"}, {"q": "b"},
    ],
    "data = [{'q': 'a'}]\ndata.append({'q': data})\nrows = Dataset.from_list(data)": None,
    "data = [{'q': 'a'}]\n" + "data = data + data\n" * 60 + "rows = Dataset.from_list(data)": None,
}  # fmt: skip


@pytest.mark.parametrize("text", LISTS)
def test_lists_that_change_are_those_of_the_call(text: str) -> None:
    wanted = LISTS[text]
    with facts_of(f"None\n{text}") as facts:
        if wanted is None:
            with pytest.raises(Unavailable):
                own_rows(facts)
        else:
            assert own_rows(facts) == wanted
