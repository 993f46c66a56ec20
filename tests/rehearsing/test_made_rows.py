"""Rows that are made for data sets that are not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.probes.rehearsal.rows.made_up import columns
from trl_doctor.probes.rehearsal.rows.made_up.rows import made
from trl_doctor.probes.rehearsal.rows.made_up.well_known import WELL_KNOWN, well_known


@pytest.mark.parametrize("pattern, known", WELL_KNOWN, ids=[name for name, _ in WELL_KNOWN])
def test_every_column_of_a_well_known_data_set_has_values(
    pattern: str, known: dict[str, object]
) -> None:
    if {"image", "images"} & set(known):
        pytest.importorskip("PIL")
    for row in made(tuple(known), 2, known=known):  # type: ignore[arg-type]
        assert set(row) == set(known)
        assert not any("{" in str(value) and "}" in str(value) and "prompt" in str(value)
                       for value in row.values() if isinstance(value, str))  # fmt: skip


def test_the_first_pattern_that_fits_counts() -> None:
    assert set(well_known("Anthropic/hh-rlhf")) == {"chosen", "rejected"}
    assert "prompt" in well_known("trl-lib/hh-rlhf-trl-style")
    assert "prompt_id" in well_known("HuggingFaceH4/ultrafeedback_binarized")
    assert "score_chosen" in well_known("trl-lib/ultrafeedback_binarized")
    assert well_known("org/rows") == {}


def test_a_dialogue_is_a_text_and_a_preference_a_list() -> None:
    (row, _) = made(("chosen", "rejected"), 2, known=well_known("Anthropic/hh-rlhf"))
    assert row["chosen"].startswith("\n\nHuman: What is") and "\n\nAssistant: " in row["chosen"]
    assert row["chosen"] != row["rejected"]
    (row, _) = made(("chosen",), 2, known=well_known("trl-lib/ultrafeedback_binarized"))
    assert [message["role"] for message in row["chosen"]] == ["user", "assistant"]


def test_the_script_and_what_was_learnt_come_before_a_name() -> None:
    names = ("prompt", "chosen", "rejected")
    (row, _) = made(names, 2, form="text")
    assert all(isinstance(row[name], str) for name in names)
    (row, _) = made(names, 2, shapes={"chosen": "talk"}, form="text")
    assert isinstance(row["chosen"], list) and isinstance(row["rejected"], str)
    (row, _) = made(("prompt",), 2, form="talk")
    assert [message["role"] for message in row["prompt"]] == ["user", "assistant"]


def test_a_column_that_the_script_reads_is_added_to_those_that_are_known(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("rows = rows.map(lambda row: {'text': row['question'] + row['hint']})\n")
    assert columns.columns("openai/gsm8k", str(script)) == ("question", "answer", "hint")
