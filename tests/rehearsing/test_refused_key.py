"""A key that TRL's command refuses is reported where the run file has written it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.launch_file import launch_of, local_command
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.refused_options import in_run_file

PROGRAM = CodeLine(Path("/venv/bin/trl"), 8)
REMEDY = "correct or remove --key"


@pytest.mark.parametrize(
    ("line", "refused", "shown", "remedy"),
    [
        ("trl sft --config run.yaml", "--max_seq_length 8", "run.yaml:2",
         "write max_length instead of max_seq_length"),
        ("trl sft --config=run.yaml", "--x 1 --own 2", "run.yaml:3", "correct or remove own"),
        ("trl sft --config run.yaml", "--other", "trl:8", REMEDY),
        ("trl sft --config none.yaml", "--own", "trl:8", REMEDY),
        ("trl sft --own 1", "--own", "trl:8", REMEDY),
        ("python train.py --config run.yaml", "--own", "trl:8", REMEDY),
    ],
)  # fmt: skip
def test_the_place_of_a_refused_key(
    line: str,
    refused: str,
    shown: str,
    remedy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.yaml").write_text("output_dir: out\nmax_seq_length: 8\nown: 2\n")
    ended = Failure("script", f"it refuses: unrecognized arguments: {refused}", REMEDY, PROGRAM)
    found = in_run_file(ended, launch_of(line.split()))
    assert found is not None and found.at is not None
    assert (found.at.shown, found.remedy) == (shown, remedy)


JOB = """cat > run.yaml <<EOF
output_dir: out
max_seq_length: 8
EOF
trl sft --config run.yaml
"""


def test_a_key_of_a_text_in_the_launch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.sh").write_text(JOB)
    here = local_command(["job.sh"], {}, None)
    ended = Failure("script", "unrecognized arguments: --max_seq_length 8", "remove it")
    found = in_run_file(ended, here.launch if here else None, Path("job.sh"))
    assert found is not None and found.at is not None
    assert (found.at.file, found.at.line) == (tmp_path / "job.sh", 3)
    assert found.remedy == "write max_length instead of max_seq_length"


def test_a_key_of_a_file_in_the_folder_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub/run.yaml").write_text("output_dir: out\nbetta: 8\n")
    Path("job.sh").write_text("cd sub\ntrl dpo --config run.yaml\n")
    here = local_command(["job.sh"], {}, None)
    ended = Failure("script", "unrecognized arguments: --betta 8", "remove it")
    found = in_run_file(ended, here.launch if here else None, Path("job.sh"))
    assert found is not None and found.at is not None
    assert (found.at.file, found.at.line) == (tmp_path / "sub/run.yaml", 2)
