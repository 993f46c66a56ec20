"""Files of Kubernetes, Compose, SkyPilot, pipelines and make that are right as they are."""

from __future__ import annotations

import pytest
from accused import accused

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: sft}
spec:
  template:
    spec:
      initContainers:
      - name: copies
        image: own
        command: [sh, -c, 'cp -r /src/. /work']
        volumeMounts: [{name: work, mountPath: /work}]
      containers:
      - name: trains
        image: own
        workingDir: /work
        command: [bash, -c]
        args:
        - |
          set -euo pipefail
          torchrun --nproc_per_node 4 \\
            train.py 2>&1 | tee log
        resources: {requests: {nvidia.com/gpu: '4'}, limits: {nvidia.com/gpu: '4'}}
        volumeMounts: [{name: work, mountPath: /work}, {name: shm, mountPath: /dev/shm}]
      volumes:
      - {name: work, persistentVolumeClaim: {claimName: work}}
      - {name: shm, emptyDir: {medium: Memory}}
"""
REPLICAS = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: sft}
spec:
  nprocPerNode: "4"
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: &role
        spec:
          containers:
          - name: pytorch
            image: own
            workingDir: /work
            command: [torchrun, train.py]
            resources: {limits: {nvidia.com/gpu: 4}}
            volumeMounts: [{name: work, mountPath: /work}]
          volumes:
          - {name: work, persistentVolumeClaim: {claimName: work}}
    Worker:
      replicas: 1
      template: *role
"""
COMPOSE = """x-gpu: &gpu
  ipc: host
  image: own
services:
  train:
    <<: *gpu
    working_dir: /work
    volumes: ['.:/work']
    command: >
      torchrun --nproc_per_node 2
      train.py
"""
LONG = COMPOSE.replace("ipc: host", "tty: true").replace(
    "['.:/work']", "['.:/work', {type: tmpfs, target: /dev/shm}]"
)
SKY = """resources: {accelerators: "H100:4"}
num_nodes: 2
workdir: .
run: |
  MASTER_ADDR=$(echo "$SKYPILOT_NODE_IPS" | head -n1)
  torchrun --nnodes=$SKYPILOT_NUM_NODES --nproc_per_node=$SKYPILOT_NUM_GPUS_PER_NODE \\
    --node_rank=$SKYPILOT_NODE_RANK --master_addr=$MASTER_ADDR train.py
"""
WORKFLOW = """on: push
jobs:
  train:
    runs-on: gpu
    defaults: {run: {shell: bash}}
    steps:
    - run: |
        python train.py \\
          --a 1 2>&1 | tee log
    - run: >
        python train.py
        --a 2
        --b 3
"""
MAKE = """SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
build:
\tcd sub && make
sft:
\tcd sub && \\
\tmake
\tCUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node 4 train.py 2>&1 | tee log
\t-rm log
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("job.yaml", JOB),
        ("job.yaml", REPLICAS),
        ("compose.yaml", COMPOSE),
        ("compose.yaml", LONG),
        ("sky.yaml", SKY),
        (".github/workflows/train.yml", WORKFLOW),
        (".gitlab-ci.yml", "train:\n  script:\n  - cd .\n  - python train.py\n"),
        ("Makefile", MAKE),
        ("tox.ini", "[testenv]\ncommands =\n    python train.py \\\n      --a 1 \\\n      --b 2\n"),
        ("Dockerfile", 'FROM own\nWORKDIR /app\nCOPY . .\nCMD ["python", "train.py"]\n'),
    ],
)
def test_a_healthy_file(name: str, text: str) -> None:
    assert accused(text, name, **{"sub/a": ""}) == set()


SETUP = "run: accelerate launch --config_file conf/acc.yaml train.py\n"
ARTIFACT = """on: push
jobs:
  train:
    runs-on: gpu
    steps:
    - uses: actions/download-artifact@v4
    - run: accelerate launch --config_file acc.yaml train.py
"""


def test_a_file_that_another_key_may_bring() -> None:
    resources = 'resources: {accelerators: "H100:1"}\n'
    setup = f"{resources}{SETUP}setup: git clone https://own.org/conf\n"
    assert accused(setup, "sky.yaml") == set()
    assert accused(resources + SETUP, "sky.yaml") == {"launcher-file-not-found"}
    assert accused(ARTIFACT, ".github/workflows/train.yml") == set()
