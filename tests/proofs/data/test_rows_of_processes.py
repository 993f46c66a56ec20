"""Rows that each process orders in its own way: what another one trains on, and who reports it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

from trl_doctor.checkup.session import Session
from trl_doctor.rehearsing.command.command import command
from trl_doctor.rehearsing.rehearse import rehearse
from trl_doctor.rehearsing.scale import Scale

Sessions = Callable[[Path], Session]
RULE = "data-differs-between-processes"
SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
split = rows.train_test_split(test_size=0.25)
args = SFTConfig("out", report_to="none", use_cpu=True, bf16=False, save_strategy="no")
trainer = SFTTrainer("models/healthy", args, train_dataset=split["train"],
                     eval_dataset=split["test"])
"""
SHOWN = """\
import torch.distributed as dist
kept = [None, None]
rows = [[row["text"] for row in split[name]] for name in ("train", "test")]
dist.all_gather_object(kept, rows)
if dist.get_rank() == 0:
    print("TRAINED ON", len({*kept[0][1]} & {*kept[1][0]}), flush=True)
"""
SEED = ("test_size=0.25", "test_size=0.25, seed=1")
TORCHRUN = ("-m", "torch.distributed.run", "--nproc_per_node", "2")


def laid(folder: Path, script: str) -> None:
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    lines = [json.dumps({"text": f"Room {number} is free."}) for number in range(40)]
    (folder / "rows.jsonl").write_text("\n".join(lines))
    (folder / "train.py").write_text(script)
    (folder / "job.sh").write_text("torchrun --nproc_per_node 2 train.py\n")


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_rows_without_a_seed_are_others_in_each_process(
    environment: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    """One start of the processes shows both: their imports cost most of it."""
    laid(tmp_path, SCRIPT + SHOWN + SCRIPT.replace(*SEED) + SHOWN)
    shows = ran(interpreter(environment), *TORCHRUN, "train.py", cwd=tmp_path)
    counts = re.findall(r"TRAINED ON (\d+)", shows.stdout)
    assert len(counts) == 2, shows.stderr[-2000:]
    without_seed, with_seed = map(int, counts)
    assert without_seed > with_seed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "seeded"), [("current", False), ("current", True), ("four", False)]
)
def test_rows_without_a_seed_are_told(
    environment: str, seeded: bool, interpreter: Interpreter, sessions: Sessions,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    python, script = interpreter(environment), SCRIPT.replace(*SEED) if seeded else SCRIPT
    laid(tmp_path, script + "trainer.train()\n")
    monkeypatch.chdir(tmp_path)
    check = checks(tmp_path / "job.sh", python, "--level", "files", "--select", RULE)[RULE]
    assert [finding["message"][:30] for finding in check["findings"]] == (
        [] if seeded else ["train_test_split has no seed: "]
    )
    session = sessions(python)
    result = rehearse(
        command(["train.py"], python), Scale(2, turn=0), session.probes, session.environment,
        session.rules, session.options,
    )  # fmt: skip
    found = {outcome.rule.name for outcome in result.checkup.outcomes if outcome.findings}
    assert (RULE in found) == (not seeded), (found, result.failure)
