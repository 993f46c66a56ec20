"""The pod does not have the rows where the script reads them.

The claim is mounted at `/mnt/datasets`, and the script reads `/mnt/data/rows.jsonl`: no volume is
there. Or an init container writes `/data/rows.jsonl` into an empty volume, and the script reads
`/data/sft/rows.jsonl`. Each process ends with a FileNotFoundError, after the pod has waited for its
GPUs.

Remedy: read the rows where the volume is mounted.

Versions: every release of Kubernetes. Reported is only a path that is almost the one of a volume,
or whose file an init container writes to another path of the same volume. Not reported: a folder
that the manifest or a Dockerfile beside it names.

Seen: not tried in a cluster; with datasets 5.2.0 `load_dataset` raises FileNotFoundError for a file
that is not there.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.unmounted import unmounted_rows
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for lacking in facts[unmounted_rows]:
        yield Finding(
            lacking.place,
            f"the pod has no {lacking.name}: {lacking.why}",
        )


JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  template:
    spec:
      INIT
      containers:
      - name: train
        image: own
        command: [python, train.py]
        volumeMounts: [{name: rows, mountPath: MOUNT}, {name: code, mountPath: /code}]
      volumes:
      - {name: rows, VOLUME}
      - {name: code, configMap: {name: code}}
"""
CLAIM, EMPTY = "persistentVolumeClaim: {claimName: rows}", "emptyDir: {}"
FETCH = (
    "initContainers: [{name: b, image: aws, args: [s3, cp, 's3://b/a.jsonl', TO], "
    "volumeMounts: [{name: rows, mountPath: /data}]}]"
)


def _job(name: str, mount: str, volume: str = CLAIM, to: str = "", **more: Json) -> dict[str, Json]:
    text = JOB.replace("MOUNT", mount).replace("VOLUME", volume)
    script = (
        "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n"
        f"rows = load_dataset('json', data_files='{name}', split='train')\n"
        "SFTTrainer('org/m', args=SFTConfig('/code/o'), train_dataset=rows)\n"
    )
    init = FETCH.replace("TO", to) if to else ""
    return {"job.yaml": text.replace("INIT", init), "train.py": script, **more}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("/mnt/data/a.jsonl", "/mnt/datasets"),
            "job.yaml",
            says="no /mnt/data/a.jsonl: no volume is mounted at /mnt/data; one is at /mnt/datasets",
        ),
        Bad(_job("/dataset/a.jsonl", "/datasets"), "job.yaml", says="one is at /datasets"),
        Bad(
            _job("/data/sft/a.jsonl", "/data", EMPTY, "/data/a.jsonl"),
            "job.yaml",
            says="/data is empty at first, and an init container writes /data/a.jsonl",
        ),
        Good(_job("/mnt/datasets/a.jsonl", "/mnt/datasets"), "job.yaml"),
        Good(_job("/mnt/datasets/b/a.jsonl", "/mnt"), "job.yaml"),
        Good(_job("/opt/rows/a.jsonl", "/mnt/datasets"), "job.yaml"),
        Good(_job("/mnt/models/a.jsonl", "/mnt/datasets"), "job.yaml"),
        Good(
            _job("/mnt/data/a.jsonl", "/mnt/datasets", Dockerfile="FROM a\nCOPY d /mnt/data\n"),
            "job.yaml",
        ),
        Good(_job("/data/a.jsonl", "/data", EMPTY, "/data/a.jsonl"), "job.yaml"),
        Good(_job("/data/sft/a.jsonl", "/data", EMPTY, "/data/sft"), "job.yaml"),
        Good(_job("/data/sft/a.jsonl", "/data", CLAIM, "/data/a.jsonl"), "job.yaml"),
        Good(_job("/data/sft/a.jsonl", "/data", EMPTY, "/data/a.tar"), "job.yaml"),
    ),
)
