"""Branches of a launch file: which values of its variables hold where a training starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import reading
from trl_doctor.files.launch.launch import Launch

KNOWN = {
    "if": ('A=1\nif [ "$A" = 1 ]; then B=2; else B=3; fi\n', "2"),
    "else": ('A=1\nif [ "$A" != 1 ]; then B=2; else B=3; fi\n', "3"),
    "elif": ("A=2\nif [ $A = 1 ]; then\nB=1\nelif [ $A -gt 1 ]; then\nB=2\nelse\nB=3\nfi\n", "2"),
    "not": ("if ! true; then B=1; else B=2; fi\n", "2"),
    "flag": ("USE=true\nif $USE; then B=1; fi\n", "1"),
    "unset": ('B=1\nif [ -n "$RESUMED" ]; then B=2; fi\n', "1"),
    "default": ('if [[ -z "${B:-}" ]]; then B=4; fi\n', "4"),
    "pattern": ("M=org/big-7b\nif [[ $M == *7b ]]; then B=1; else B=2; fi\n", "1"),
    "quoted pattern": ('M=x\nif [[ $M == "*" ]]; then B=1; else B=2; fi\n', "2"),
    "same in both": ("if nvidia-smi; then B=1; else B=1; fi\n", "1"),
    "usage": ("B=1\nif [ $# -lt 1 ]; then B=2; exit 1; fi\n", "1"),
    "nested": ("A=1\nif [ $A = 1 ]; then\n if [ $A = 2 ]; then B=0; fi\n B=5\nfi\n", "5"),
    "and": ("A=1\nB=1\n[ $A = 1 ] && B=2\n", "2"),
    "and not": ("A=1\nB=1\n[[ $A == 2 ]] && B=2\n", "1"),
    "or": ("B=1\n[ -f nothing.env ] || B=2\n", "2"),
    "and or": ("A=2\n[ $A = 1 ] && B=1 || B=2\n", "2"),
    "next line": ("A=2\n[ $A = 2 ] &&\n  B=7\n", "7"),
    "command": ("mkdir -p out && B=3\nB=4 || true\n", "4"),
    "case": ("A=dpo\ncase $A in\n sft) B=1 ;;\n dpo|kto)\n  B=2\n  ;;\n *) B=3 ;;\nesac\n", "2"),
    "case default": ('case "${A:-x}" in sft) B=1 ;; *) B=3 ;; esac\n', "3"),
    "case exits": ("case $1 in a) B=2 ;; *) exit 1 ;; esac\nB=6\n", "6"),
    "arguments": (
        "B=1\nwhile [[ $# -gt 0 ]]; do\n case $1 in --b) B=$2; shift 2 ;; esac\ndone\n", "1"
    ),
    "getopts": ("B=1\nwhile getopts b: o; do\n B=$OPTARG\ndone\n", "1"),
    "loop": ("for B in 8; do\n B=9\ndone\n", "9"),
    "elif after a change": (
        "A=1\nif [ $A = 2 ]; then A=3; elif [ $A = 3 ]; then B=1; else B=2; fi\n", "2"
    ),
    "nothing": ('A=\nif [[ -n $A ]]; then B=1; elif [[ $A == x ]]; then B=2; else B=3; fi\n', "3"),
    "false": ("B=1\nfalse && B=2\nfalse || B=3\n", "3"),
    "default of nothing": ("A=\nB=${A:-5}\n", "5"),
    "words": ("echo done\necho fi\nB=1 # if\n", "1"),
}  # fmt: skip

UNKNOWN = {
    "if": ("if nvidia-smi; then B=1; else B=2; fi\n", 1),
    "several": ('B=1\nif [ -n "$A" ] && grep x y; then\n  B=2\nfi\n', 2),
    "of Slurm": ('B=1\nif [ -n "$SLURM_JOB_ID" ]; then B=2; fi\n', 2),
    "elsewhere": ("B=1\nif [ -d /scratch/models ]; then B=2; fi\n", 2),
    "argument": ('B=1\n[ "$1" = x ] && B=2\n', 2),
    "case": ("case $1 in a) B=1 ;; b) B=2 ;; esac\n", 1),
}

ARRAYS = {
    "added": ("A=(--x 1)\nif true; then A+=(--y); fi\n", ["--x", "1", "--y"]),
    "not added": ('A=(--x 1)\nif [ -n "$MORE" ]; then A+=(--y); fi\n', ["--x", "1"]),
    "other branch": ("A=(--x)\nif false; then A+=(--y)\nelse A+=(--z)\nfi\n", ["--x", "--z"]),
    "perhaps": ("A=(--x 1)\nif nvidia-smi; then A+=(--y); fi\n", ["--x", "1", "?"]),
    "and": ('A=(--x 1)\n[[ -n "${MORE:-}" ]] && A+=(--y)\nA+=(--z)\n', ["--x", "1", "--z"]),
    "text": ('A="--x 1"\nif nvidia-smi; then A="$A --y"; fi\n', ["--x", "1", "?"]),
}


def launch(text: str, folder: Path) -> Launch:
    (only,) = reading.read_launches(folder / "a.sh", text.encode(), "a shell script")
    return only


@pytest.mark.parametrize(("text", "value"), KNOWN.values(), ids=KNOWN)
def test_a_branch_that_is_known(tmp_path: Path, text: str, value: str) -> None:
    (word,) = launch(f"{text}python train.py $B\n", tmp_path).words
    assert (word.text, word.open) == (value, "")


@pytest.mark.parametrize(("text", "line"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_branch_that_is_not_known(tmp_path: Path, text: str, line: int) -> None:
    (word,) = launch(f"{text}python train.py $B\n", tmp_path).words
    assert word.open == f"a condition in line {line} decides it"


@pytest.mark.parametrize(("text", "words"), ARRAYS.values(), ids=ARRAYS)
def test_words_that_a_branch_adds(tmp_path: Path, text: str, words: list[str]) -> None:
    given = "${A[@]}" if "(" in text else "$A"
    read = launch(f"{text}python train.py {given}\n", tmp_path).words
    assert [word.text or (word.open and "?") for word in read] == words


def test_a_training_in_a_branch_has_the_values_of_that_branch(tmp_path: Path) -> None:
    text = "if nvidia-smi; then\n B=1\n python a.py $B\nelse\n B=2\n python b.py $B\nfi\n"
    both = reading.read_launches(tmp_path / "a.sh", text.encode(), "a shell script")
    assert [(one.script, one.words[0].text) for one in both] == [("a.py", "1"), ("b.py", "2")]


def test_a_file_that_is_read_if_it_is_here(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("B=3\n")
    text = "if [ -f .env ]; then\n  set -a; source .env; set +a\nfi\npython train.py $B\n"
    assert launch(text, tmp_path).words[0].text == "3"
    assert launch(text, tmp_path).variables["B"] == "3"


def test_what_one_branch_exports(tmp_path: Path) -> None:
    text = 'B=1\nif [ -n "$MORE" ]; then export B=2; else export B; fi\npython train.py\n'
    assert launch(text, tmp_path).variables["B"] == "1"
    assert "B" in launch('B=1\nif [ -n "$MORE" ]; then export B; fi\npython t.py\n', tmp_path).kept
