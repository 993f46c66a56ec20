"""The trained model is in no volume: it ends with its pod.

The job writes its checkpoints into the container, or into a volume such as `emptyDir`. Kubernetes
removes both with the pod, and nothing can be copied from a pod that has ended. The job succeeds,
and there is no model.

Remedy: write to a folder where a volume is mounted that stays (a `persistentVolumeClaim`, `nfs`,
`hostPath` …), or upload the model before the job ends.

Versions: every release of Kubernetes. Not reported: a script or a file that uploads or copies
something, a volume that another container of the pod mounts, too, templates, and a relative folder
in a container whose own folder is not known, if a volume of it stays.

Seen: not tried in a cluster; Kubernetes documents it (Volumes, "emptyDir": "When a Pod is removed
from a node for any reason, the data in the emptyDir is deleted permanently").
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.kept_output import lost_output
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    lost = lost_output(facts)
    launch = facts.run.target.launch
    if lost is None or launch is None:
        return
    stays = f"only {' and '.join(lost.kept)} outlive it" if lost.kept else "no volume outlives it"
    yield Finding(
        place_on_line(facts.run.target, launch.line, launch.column),
        f"output_dir {lost.output} ends with the pod of this container: {stays}",
    )


SCRIPT = (
    "from trl import SFTConfig, SFTTrainer\n{}"
    "trainer = SFTTrainer('org/m', args=SFTConfig('{}'))\ntrainer.train()\n"
)
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: sft}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: ghcr.io/own/trl:s3
        workingDir: /work
        command: [python, train.py]
        volumeMounts:
        - {name: one, mountPath: /results}
        - {name: two, mountPath: /work}
      volumes:
      - name: one
        persistentVolumeClaim: {claimName: one}
      - name: two
        emptyDir: {}
"""


def _files(output: str, code: str = "", job: str = JOB) -> dict[str, Json]:
    return {"job.yaml": job, "train.py": SCRIPT.format(code, output)}


SIDECAR = """      - name: copies
        image: own
        volumeMounts: [{name: two, mountPath: /in}]
      volumes:
"""
CLAIM = "persistentVolumeClaim: {claimName: one}"
MOVES = "[sh, -c, 'python train.py; mv out /results']"
NO_FOLDER = JOB.replace("        workingDir: /work\n", "")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files("/out/sft"), "job.yaml", says="output_dir /out/sft ends with the pod"),
        Bad(_files("out"), "job.yaml", says="only /results outlive it"),
        Bad(_files("/work/out"), "job.yaml", says="output_dir /work/out ends with the pod"),
        Bad(
            _files("out", job=NO_FOLDER.replace(CLAIM, "emptyDir: {}")),
            "job.yaml",
            says="no volume outlives it",
        ),
        Bad(
            _files("/results", job=JOB.replace("{name: one, m", "{name: one, readOnly: true, m")),
            "job.yaml",
            says="output_dir /results ends with the pod",
        ),
        Bad(_files("out", "# https://own.org/x\n"), "job.yaml", says="output_dir out ends"),
        Good(_files("out", "# dbfs:/x\n"), "job.yaml"),
        Good(_files("/results/sft"), "job.yaml"),
        Good(_files("../results/sft"), "job.yaml"),
        Good(_files("out", job=NO_FOLDER), "job.yaml"),
        Good(_files("out", "import shutil\nshutil.copytree('out', '/results/a')\n"), "job.yaml"),
        Good(_files("out", "import boto3\n"), "job.yaml"),
        Good(_files("out", job=JOB.replace("      volumes:\n", SIDECAR)), "job.yaml"),
        Good(
            _files("out", job=JOB.replace("[python, train.py]", MOVES)),
            "job.yaml",
        ),
        Good(_files("out", job=JOB.replace("emptyDir: {}", "nfs: {server: a}")), "job.yaml"),
        Good(_files("out", job=JOB.replace("emptyDir: {}", "hostPath: {path: /b}")), "job.yaml"),
        Good({"go.sh": "python train.py\n", **_files("out")}, "go.sh"),
    ),
)  # fmt: skip
