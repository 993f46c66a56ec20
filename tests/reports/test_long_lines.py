"""A long line of a file in a report: what of it is shown, and that it is cut."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", {first}learning_rate=-1, {then})
SFTTrainer(model="org/model", args=args, train_dataset=rows).train()
"""
MANY = ", ".join(f"run_name='{'n' * 40}'" for _ in range(4))


def frame(folder: Path, first: str = "", then: str = "max_steps=4") -> str:
    """The line of the script as the report shows it."""
    (folder / "train.py").write_text(SCRIPT.format(first=first, then=then))
    options = ["--level", "files", "--with", "trl==1.16.0", "--select", "*-by-optimizer"]
    output = CliRunner().invoke(main, ["check", str(folder / "train.py"), *options]).stdout
    return next(line for line in output.splitlines() if "learning_rate=-1" in line and "|" in line)


def test_a_line_that_has_room_is_whole(tmp_path: Path) -> None:
    assert "…" not in frame(tmp_path)


def test_a_line_that_is_cut_shows_it_at_that_end(tmp_path: Path) -> None:
    line = frame(tmp_path, then=MANY)
    assert line.endswith("…") and line.count("…") == 1
    line = frame(tmp_path, first=f"{MANY}, ", then="")
    assert "| …" in line and line.count("…") == 1
    line = frame(tmp_path, first=f"{MANY}, ", then=MANY)
    assert "| …" in line and line.endswith("…")
