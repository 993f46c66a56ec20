"""`--every-node` on a Ray cluster whose second node has another environment: the steps differ."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from laid import ROOT, Interpreter

SMALL = {"num_cpus": 1, "object_store_memory": 80 * 1024**2, "include_dashboard": False}
pytestmark = [pytest.mark.slow]


def with_python(python: Path) -> dict[str, str]:
    """The environment variables of a node where `python` is this interpreter."""
    return {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def unlike(interpreter: Interpreter) -> Iterator[Any]:
    before = dict(os.environ)
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    first, second = (with_python(interpreter(name)) for name in ("current", "grpo-first"))
    started = Cluster(initialize_head=True, head_node_args={**SMALL, "env_vars": first})
    started.add_node(**SMALL, env_vars=second)
    yield {**os.environ, **first, "RAY_ADDRESS": started.address}
    started.shutdown()
    os.environ.clear()  # Ray leaves variables behind: the hosts of the proofs would import anew
    os.environ.update(before)


def test_each_node_takes_the_step_and_they_are_compared(unlike: Any, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "fixtures", tmp_path / "w")
    doctor = [sys.executable, "-m", "trl_doctor", "check", "sft.yaml", "--every-node", "--offline"]
    options = ["--python", "python", "--level", "tiny", "--select", "step-*", "--format", "json"]
    process = subprocess.run(
        [*doctor, *options], cwd=tmp_path / "w", env=unlike, capture_output=True, text=True
    )
    assert process.returncode == 1, process.stderr
    nodes = json.loads(process.stdout)["targets"]
    assert {node["versions"]["trl"] for node in nodes} == {"1.16.0", "0.15.2"}
    losses = set()
    for node in nodes:
        (step,) = (probe for probe in node["probes"] if probe["probe"] == "step")
        losses.add(step["measured"]["loss"])
        assert node["verdict"] == "failed"
        assert any("trl" in reason for reason in node["lacking"])
        (sentence,) = (reason for reason in node["lacking"] if "one step gives a loss of" in reason)
        assert f"a loss of {step['measured']['loss']:g} here" in sentence
        assert "compared with 1 other node: versions, GPUs, the loss" in node["notes"][0]
    assert len(losses) == 2
