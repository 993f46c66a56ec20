"""The containers of pods, and which of their folders outlive them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch.pods import Mounted, PodContainer, container_of

POD = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Master: &one
      template:
        spec:
          containers:
          - name: a
            workingDir: /w
            command: [python, a.py]
            volumeMounts: [{name: v, mountPath: /v}, {name: x, mountPath: /v/x}]
          - name: b
            command: [python, b.py]
            volumeMounts: [{name: x, mountPath: /x}, {name: later, mountPath: /l}]
          volumes: [{name: v, nfs: {server: s}}, {name: x, emptyDir: {}}]
    Worker: *one
"""


@pytest.mark.parametrize(
    ("line", "path", "keeps"),
    [
        (11, "out", False),
        (11, "../v/out", True),
        (11, "/v/out", True),
        (11, "/v/x/out", None),  # the other container has it, too
        (14, "/x/out", None),
        (14, "/l", True),  # the file does not say what it is
        (14, "/y", False),
        (14, "out", None),
    ],
)
def test_what_a_container_keeps(line: int, path: str, keeps: bool | None, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(POD)
    container = container_of(tmp_path / "job.yaml", line)
    assert container is not None and container.keeps(path) is keeps


def test_a_file_without_pods(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("kind: Job\nspec: [1, {}]\n")
    assert container_of(tmp_path / "job.yaml", 1) is None
    assert PodContainer(1, "", (Mounted("/a", False),)).keeps("out") is False
