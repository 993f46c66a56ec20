"""Damaged rows in each format, and a pickle with a payload, in the hands of the real libraries."""

from __future__ import annotations

import json
import pickle
import random
import shutil
from pathlib import Path

import pytest
from commands import died, reports
from fuzzing.mutations import flip, mutations
from fuzzing.originals import seeds
from laid import ROOT, Interpreter
from test_security import Payload

ROWS = ("jsonl", "csv", "parquet", "parquet", "arrow", "arrow")
RUN = {"model_name_or_path": "m", "use_cpu": True, "bf16": False, "max_steps": 1}


@pytest.mark.slow
def test_damaged_rows_crash_neither_doctor_nor_probe(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    chance, files = random.Random(12), seeds()
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "m")
    runs = []
    for number, kind in enumerate(ROWS):
        (name,) = (name for name in files if name.startswith("data/") and name.endswith(f".{kind}")
                   and (kind != "jsonl" or "messages" in name))  # fmt: skip
        folder = tmp_path / f"data-{number}"
        folder.mkdir()
        mutate = flip if kind in ("parquet", "arrow") else chance.choice(mutations(name))
        (folder / Path(name).name).write_bytes(mutate(chance, files[name]))
        runs.append(tmp_path / f"run-{number}.yaml")
        runs[-1].write_text(json.dumps({**RUN, "dataset_name": folder.name}))
    report = reports(
        runs, interpreter("current"), "--trainer", "sft", "--level", "tiny", "--select", "data-*",
        statuses=(0, 1, 3), cwd=tmp_path,
    )  # fmt: skip
    assert len(report) == len(ROWS)
    for target in report:
        assert "crashed" not in {check["state"] for check in target["checks"]}
        states = {probe["state"] for probe in target["probes"]}
        assert states <= {"answered", "raised"}, target["probes"]


@pytest.mark.slow
def test_a_pickle_with_a_payload_is_not_run(tmp_path: Path, interpreter: Interpreter) -> None:
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "m")
    (tmp_path / "m" / "model.safetensors").unlink()
    for name in ("pytorch_model.bin", "training_args.bin", "optimizer.pt"):
        (tmp_path / "m" / name).write_bytes(pickle.dumps(Payload(tmp_path / "mark")))
    (tmp_path / "run.yaml").write_text(json.dumps(RUN))
    (report,) = reports(
        [tmp_path / "run.yaml"], interpreter("current"), "--trainer", "sft", "--level", "tiny",
        "--select", "checkpoint-*,model-*,step-*", cwd=tmp_path,
    )  # fmt: skip
    states = {check["rule"]: check["state"] for check in report["checks"]}
    assert states["checkpoint-is-pickled"] == "found"
    assert {probe["probe"] for probe in report["probes"]} >= {"load", "step"}
    assert not (tmp_path / "mark").exists()


POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{1:064}\nsize 12345\n"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_what_fails_because_of_a_pointer_follows_from_it(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "m")
    (tmp_path / "m" / "tokenizer.json").write_text(POINTER)
    shutil.copytree(ROOT / "fixtures/data/messages", tmp_path / "rows")
    (tmp_path / "run.yaml").write_text(json.dumps({**RUN, "dataset_name": "rows"}))
    assert died(interpreter(environment), tmp_path, "sft")
    (report,) = reports(
        [tmp_path / "run.yaml"], interpreter(environment), "--trainer", "sft", "--level", "tiny",
        cwd=tmp_path,
    )  # fmt: skip
    found = {check["rule"]: check["findings"] for check in report["checks"] if check["findings"]}
    errors = [finding for findings in found.values() for finding in findings
              if finding["severity"] == "error"]  # fmt: skip
    roots = {finding["message"] for finding in errors if not finding.get("follows_from")}
    assert roots == {"tokenizer.json is a Git LFS pointer, not the file"}
    assert len(errors) > 1
    assert "trl-doctor-probes" not in str(found)
