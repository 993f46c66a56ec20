"""Rows that a script makes of a file, or writes itself, are examined as the trainer gets them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
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


rows = {rows}
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
    ".map(lambda row: {'q': row['q'].split('?')[0]})": None,
    ".map(joined, batched=True)": None,
    ".map(joined, with_indices=True)": None,
    ".map(tokenize)": None,
    ".map(lambda row: row['q'])": None,
}


@contextmanager
def facts_of(rows: str) -> Iterator[Facts]:
    """The facts of a script that trains on these rows."""
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    with laid_out({"train.py": SCRIPT.format(rows=rows), "rows.jsonl": text}) as folder:
        given = target(str(folder / "train.py"), offline=True)
        yield Facts(open_run(given, WORLD, Options(offline=True)), WORLD, ExampleOracle({}))


@pytest.mark.parametrize("steps", CASES)
def test_rows_of_a_file_through_functions(steps: str) -> None:
    wanted = CASES[steps]
    with facts_of(LOADED + steps) as facts:
        if wanted is None:
            with pytest.raises(Unavailable):
                own_rows(facts)
            return
        assert own_rows(facts) == wanted
        functions = "a lambda, joined" if "filter" in steps else "joined"
        assert file_name(facts) == f"rows.jsonl (after {functions})"
        assert facts.run.place(data_key(facts)).spot is not None


def test_all_columns_are_removed_by_the_name_of_their_list() -> None:
    rows = f"{LOADED}\nrows = rows.map(joined, remove_columns=rows.column_names)"
    with facts_of(rows) as facts:
        assert own_rows(facts) == [{"text": f"{n}? {n}"} for n in range(4)]


def test_rows_that_the_script_writes() -> None:
    with facts_of("Dataset.from_list([joined({'q': 'a', 'a': str(n)}) for n in (1, 2)])") as facts:
        assert own_rows(facts) == [{"text": "a 1"}, {"text": "a 2"}]
        assert file_name(facts) == "the data set of line 9"


def test_no_row_is_left() -> None:
    with (
        facts_of(LOADED + ".filter(lambda row: row['a'] == 'x')") as facts,
        pytest.raises(Unavailable, match=r"rows\.jsonl \(after a lambda\) has no rows"),
    ):
        own_rows(facts)
