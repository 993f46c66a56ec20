"""A Ray cluster of two nodes on this machine: targets as its tasks, and every node compared."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from trl_doctor.checkup.report import ProbeRun, TargetReport
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.commands.cli import main
from trl_doctor.commands.cluster import nodes, tasks
from trl_doctor.commands.cluster.nodes import Survey, differences
from trl_doctor.commands.examining import Examined
from trl_doctor.core.sizes import GIB

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of two processors each; the second one can be taken away."""
    ray = pytest.importorskip("ray")
    from ray.cloudpickle import register_pickle_by_value
    from ray.cluster_utils import Cluster

    register_pickle_by_value(sys.modules[__name__])  # the workers do not find this file
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, **SMALL})
    started.add_node(num_cpus=2, **SMALL)
    os.environ["RAY_ADDRESS"] = started.address
    yield started
    ray.shutdown()
    started.shutdown()
    del os.environ["RAY_ADDRESS"]


SMALL = {"object_store_memory": 80 * 1024**2, "include_dashboard": False}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "fixtures", tmp_path / "w")
    monkeypatch.chdir(tmp_path / "w")
    return tmp_path / "w"


def check(*arguments: str) -> tuple[int, dict[str, Any]]:
    given = ["check", *arguments, "--offline", "--level", "files", "--format", "json"]
    result = CliRunner().invoke(main, given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, json.loads(result.stdout)


def words(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(target["target"], target["verdict"]) for target in report["targets"]]


def test_targets_are_tasks_of_the_cluster(cluster: Any, work: Path) -> None:
    status, report = check("sft.yaml", "broken-grpo.json", "gone.yaml", "--executor", "ray")
    assert status == 3
    expected = [("sft.yaml", "passed"), ("broken-grpo.json", "failed"), ("gone.yaml", "incomplete")]
    assert words(report) == expected


def test_every_node_examines_the_target(cluster: Any, work: Path) -> None:
    status, report = check("sft.yaml", "--every-node")
    names = [target for target, _ in words(report)]
    assert status == 0
    assert len(set(names)) == 2
    assert all(name.startswith("sft.yaml on ") for name in names)
    notes = [target["notes"][0] for target in report["targets"]]
    assert all(note.endswith("versions, GPUs, no step was taken") for note in notes)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def lives() -> int:
    return os.getpid()


def hangs(file: str) -> None:
    Path(file).write_text("begun")
    time.sleep(600)


def fails() -> None:
    raise ValueError("of its own")


def test_what_becomes_of_a_task(cluster: Any, tmp_path: Path) -> None:
    ray = tasks.connected()
    begun = [tasks.begun(ray, task, ()) for task in (dies, fails, lives)]
    (_, died), (_, failed), (answer, none) = tasks.ended(ray, begun, 120)
    assert "the Ray worker that examined it died" in died
    assert "ValueError: of its own" in failed
    assert (answer > 0, none) == (True, "")
    slow = tasks.begun(ray, hangs, (str(tmp_path / "begun"),))
    ((_, waited),) = tasks.ended(ray, [slow], 2)
    assert waited == "Ray gave no answer within 2 s"


def test_a_node_that_goes_away(cluster: Any, tmp_path: Path) -> None:
    ray = tasks.connected()
    extra = cluster.add_node(num_cpus=1, **SMALL)
    cluster.wait_for_nodes()
    node = next(candidate for candidate in tasks.nodes(ray) if candidate.id == extra.node_id)
    file = tmp_path / "begun"
    task = tasks.begun(ray, hangs, (str(file),), node)
    for _ in range(600):
        if file.exists():
            break
        time.sleep(0.1)
    cluster.remove_node(extra, allow_graceful=False)
    ((_, why),) = tasks.ended(ray, [task], 120)
    assert "examined it" in why
    gone = tasks.begun(ray, lives, (), node)
    ((_, why),) = tasks.ended(ray, [gone], 60)
    assert "node" in why


def test_without_a_cluster_each_target_is_incomplete(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> Any:
        raise tasks.NoCluster("Ray is not installed: pip install 'trl-doctor[ray]'")

    monkeypatch.setattr(tasks, "connected", none)
    for options in (["--executor", "ray"], ["--every-node"]):
        status, report = check("sft.yaml", "dpo.yaml", *options)
        assert (status, {word for _, word in words(report)}) == (3, {"incomplete"})
        assert "pip install 'trl-doctor[ray]'" in json.dumps(report)


def survey_of(loss: float = 1.5, trl: str = "1.16.0", **more: Any) -> Survey:
    """The survey of a node that took a step."""
    step = ProbeRun("step", "one training step", "answered", "", 1.0, None, "", {"loss": loss})
    report = TargetReport(
        "a.yaml", "", Verdict("passed"), versions={"trl": trl}, probe_runs=(step,)
    )
    return replace(Survey((Examined(report),), steps=nodes._steps([report])), **more)


UNLIKE: dict[str, tuple[Survey, list[str]]] = {
    "alike": (survey_of(loss=1.5001), []),
    "another release": (
        survey_of(trl="1.15.0"),
        ["the nodes differ: trl 1.15.0 here, 1.16.0 on 2 nodes"],
    ),
    "another step": (
        survey_of(2.0),
        ["the nodes differ: one step gives a loss of 2 here, elsewhere 1.5, 1.5"],
    ),
    "no step": (survey_of(steps={}), ["no step was taken here, but on 2 of 3 nodes"]),
    "another driver": (
        survey_of(gpus=("H100 (driver 550)",)),
        ["the nodes differ: GPUs H100 (driver 550) here, none on 2 nodes"],
    ),
    "memory that is taken": (
        survey_of(taken=(2 * GIB,)),
        ["another program holds 2.0 GiB of GPU 0 of this node"],
    ),
}


@pytest.mark.parametrize("how", UNLIKE)
def test_a_node_that_differs_is_reported(how: str) -> None:
    survey, expected = UNLIKE[how]
    assert list(differences(survey, [survey_of(), survey_of(), survey])) == expected
    assert list(differences(survey_of(), [survey_of(), survey_of(), survey])) == []


def test_of_two_nodes_that_differ_neither_is_right() -> None:
    both = [survey_of(), survey_of(2.0, "1.15.0")]
    assert [len(list(differences(survey, both))) for survey in both] == [2, 2]


def test_nodes_that_take_no_tasks_are_left_out() -> None:
    named = {"NodeManagerHostname": "a", "Alive": True}
    rows = [{**named, "NodeID": "1" * 8, "Resources": {"CPU": 2.0}},
            {**named, "NodeID": "2" * 8, "Resources": {"memory": 9.0}}]  # fmt: skip
    assert [node.id[0] for node in tasks.nodes(SimpleNamespace(nodes=lambda: rows))] == ["1"]
