"""Paths that exist beside the run file alone: the report says where TRL has to start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main


@pytest.mark.parametrize("start", ["", "sub"])
def test_where_trl_has_to_start(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sub"
    (folder / "m").mkdir(parents=True)
    (folder / "m/config.json").write_text('{"model_type": "llama"}')
    named = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "/none/zero.json"}
    (folder / "run.json").write_text(json.dumps(named))
    monkeypatch.chdir(tmp_path / start)
    given = ["check", str(folder / "run.json"), "--offline", "--format", "json"]
    (report,) = json.loads(CliRunner().invoke(main, given).stdout)["targets"]
    says = "start TRL in the run file's folder: model_name_or_path would not be found from here"
    assert (says in report["notes"]) is (start == "")
