"""TRL sends telemetry when a trainer is built; in a probe it does not begin to."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path

from commands import kept_hosts
from laid import ROOT, Interpreter

from trl_doctor.asking.probes import Probes
from trl_doctor.asking.variables import QUIET
from trl_doctor.checkup.levels import ON_CPU
from trl_doctor.core.question import Pending, Question

SCRIPT = ROOT / "tests" / "asking" / "telemetry.py"
MODEL = str(ROOT / "fixtures" / "models" / "healthy")


def test_outside_a_probe_it_is_sent(interpreter: Interpreter, tmp_path: Path) -> None:
    own = {name: text for name, text in os.environ.items() if name not in QUIET}
    process = subprocess.run(
        [interpreter("current"), "-W", "ignore", SCRIPT, MODEL],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**own, "HF_HOME": str(tmp_path)},
    )
    assert json.loads(process.stdout.splitlines()[-1]) == {"sends": True}, process.stderr[-2000:]


def test_in_a_probe_it_is_not(interpreter: Interpreter) -> None:
    question = Question(str(SCRIPT), "telemetry", {"folder": MODEL}, dict)
    with kept_hosts(), Probes(interpreter("current"), variables=ON_CPU) as probes:
        with suppress(Pending):
            probes.ask(question)
        probes.finish()
        answer = probes.ask(question)
    assert answer.measured() == {"sends": False}
