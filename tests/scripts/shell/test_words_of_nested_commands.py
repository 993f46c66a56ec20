"""Words behind `bash -c "…"`, which its text reads as `$1` and `$@`."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import forms, reading

TEXTS = {
    "all words": ("go.sh", "bash -c 'exec trl sft \"$@\"' -- --model m --lr 1e-5\n"),
    "numbered words": ("go.sh", "sh -c 'trl sft --model $1 --lr $2' name m 1e-5\n"),
    "args of a pod": (
        "job.yaml",
        "apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {containers: [{name: t, command: "
        '[sh, -c, "exec trl sft \\"$@\\"", --], args: [--model, m, --lr, 1e-5]}]}}}\n',
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_words_of_the_outer_command(case: str, tmp_path: Path) -> None:
    name, text = TEXTS[case]
    path, data = tmp_path / name, text.encode()
    (launch,) = reading.read_launches(path, data, forms.form(path, data))
    assert [word.text for word in launch.words] == ["--model", "m", "--lr", "1e-5"]
    assert not any(word.open for word in launch.words)


def test_a_name_alone_gives_no_words(tmp_path: Path) -> None:
    data = b"sh -c 'exec trl sft --lr 1e-5 \"$@\"' --\n"
    (launch,) = reading.read_launches(tmp_path / "go.sh", data, "a shell script")
    assert [word.text for word in launch.words][:2] == ["--lr", "1e-5"]
