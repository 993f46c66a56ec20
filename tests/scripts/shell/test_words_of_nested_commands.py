"""Words behind `bash -c "…"`, which its text reads as `$1` and `$@`."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.checkup.launch_targets import parts
from trl_doctor.files.launch import forms, reading
from trl_doctor.files.target import NotRead, Target

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


WRITTEN = """\
#!/bin/bash
for STAGE in 1 2; do
  JOB="$OUT/stage-${STAGE}.sh"
  cat > "$JOB" << 'EOF'
#!/bin/bash
#SBATCH --gres=gpu:4
trl sft --model $1 --lr 1e-5
sbatch "$0"
EOF
  sbatch --parsable "$JOB" m
done
"""


def test_a_job_that_the_file_writes_and_starts(tmp_path: Path) -> None:
    path = tmp_path / "chain.sh"
    launches = reading.read_launches(path, WRITTEN.encode(), "a shell script")
    assert {(launch.line, launch.words[1].text) for launch in launches} == {(7, "m")}
    assert launches[0].cluster.gpus_per_node == 4


def test_a_job_that_starts_itself_again(tmp_path: Path) -> None:
    text = "cat > job.sh <<EOF\ntrl sft --model m\nsbatch job.sh\nEOF\nbash job.sh\n"
    (launch,) = reading.read_launches(tmp_path / "go.sh", text.encode(), "a shell script")
    assert launch.line == 2


@pytest.mark.parametrize(
    "line",
    ["bash jobs/one.sh a", "sbatch --parsable jobs/one.sh", "A=1 ./jobs/one.sh", ". jobs/one.sh"],
)
def test_a_launch_file_that_another_starts_is_named(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "one.sh").write_text("echo\n")
    (tmp_path / "all.sh").write_text(f"# bash gone.sh\n{line}\n")
    with pytest.raises(NotRead, match=r"; it starts (\./)?jobs/one.sh: check that"):
        parts(Target("all.sh", "launcher", tmp_path / "all.sh", "a shell script"))
