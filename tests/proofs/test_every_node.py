"""`--every-node` on a Ray cluster whose second node has another environment: the steps differ."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SMALL = {"num_cpus": 1, "object_store_memory": 80 * 1024**2, "include_dashboard": False}
pytestmark = [pytest.mark.slow]


def with_python(python: Path) -> dict[str, str]:
    """The environment variables of a node where `python` is this interpreter."""
    return {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def unlike(interpreter: Callable[[str], Path]) -> Iterator[Any]:
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
    done = subprocess.run(
        [*doctor, *options], cwd=tmp_path / "w", env=unlike, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    nodes = json.loads(done.stdout)["targets"]
    assert {node["versions"]["trl"] for node in nodes} == {"1.16.0", "0.15.2"}
    losses = set()
    for one in nodes:
        (step,) = (asked for asked in one["probes"] if asked["probe"] == "step")
        losses.add(step["measured"]["loss"])
        assert one["verdict"] == "failed"
        assert any("trl" in said for said in one["lacking"])
        (said,) = (said for said in one["lacking"] if "one step gives a loss of" in said)
        assert f"a loss of {step['measured']['loss']:g} here" in said
        assert "compared with 1 other node: versions, GPUs, the loss" in one["notes"][0]
    assert len(losses) == 2
