"""The trained model is in no volume: it ends with its machine.

The job writes its checkpoints into the container, or into a volume such as `emptyDir`. Kubernetes
removes both with the pod, and nothing can be copied from a pod that has ended; so does `docker run
--rm`. A spot machine of SkyPilot loses its own disk, and SageMaker keeps `/opt/ml/model`,
`/opt/ml/checkpoints` and `/opt/ml/output` only. A RayJob with `shutdownAfterJobFinishes` removes
its whole cluster. The job succeeds, and there is no model.

Remedy: write to a folder where a volume is mounted that stays (a `persistentVolumeClaim`, `nfs`,
`hostPath`, `-v $PWD/out:/out`, a bucket), or upload the model before the job ends.

Versions: every release of Kubernetes, Docker and Podman, SkyPilot and SageMaker; and a job of
GitLab whose artifacts lack a folder that another job takes. Not reported: a
script or a file that uploads or copies something, a volume that another container of the pod
mounts, too, templates, and a relative folder in a container whose own folder is not known.

Seen: not tried in a cluster; Kubernetes documents it (Volumes, "emptyDir": "When a Pod is removed
from a node for any reason, the data in the emptyDir is deleted permanently").
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.kept_output import OF_POD, lost_output
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    lost = lost_output(facts)
    launch = facts.run.target.launch
    if lost is None or launch is None:
        return
    stays = f"only {' and '.join(lost.kept)} outlive it" if lost.kept else "no volume outlives it"
    yield Finding(
        place_of_line(facts.run.target),
        f"output_dir {lost.output} ends with {lost.ends}: {stays}",
        remedy=f"no shell fills {lost.output} in: write $({lost.output[1:].strip('{}')})"
        if lost.output.startswith("$") and lost.ends == OF_POD
        else "",
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


GITLAB = """train:
  script: [python train.py]
  artifacts: {paths: [output/]}
publish:
  needs: [train]
  script: [send outputs/a]
"""
DOCKER = "docker run --rm --gpus all"
SKY = """resources: {accelerators: H100:1, use_spot: true}
file_mounts: {/bucket: {name: own, mode: MOUNT}}
run: python train.py
"""


def _script(output: str) -> dict[str, Json]:
    return {"train.py": SCRIPT.format("", output)}


def _with(line: str, output: str) -> dict[str, Json]:
    return {"go.sh": line, **_script(output)}


SIDECAR = """      - name: copies
        image: own
        volumeMounts: [{name: two, mountPath: /in}]
      volumes:
"""
CLAIM = "persistentVolumeClaim: {claimName: one}"
MOVES = "[sh, -c, 'python train.py; mv out /results']"
RAY = """apiVersion: ray.io/v1
kind: RayJob
metadata: {name: a}
spec:
  entrypoint: python train.py
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    headGroupSpec:
      template:
        spec:
          containers:
          - name: head
            image: own
            volumeMounts: [{name: one, mountPath: /results}]
          volumes: [{name: one, persistentVolumeClaim: {claimName: one}}]
"""
UNSAVED = (
    "from trl import SFTConfig, SFTTrainer\n"
    "t = SFTTrainer('org/m', args=SFTConfig('out', save_strategy='no'))\nt.train()\n{}\n"
)


def _at_end(line: str) -> dict[str, Json]:
    return {"job.yaml": JOB, "train.py": UNSAVED.format(line)}


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
        Bad(_files("/tmp/a", job=RAY), "job.yaml", says="ends with the cluster of this RayJob"),
        Good(_files("/results/a", job=RAY), "job.yaml"),
        Good(_files("a", job=RAY), "job.yaml"),
        Good(_files("/tmp/a", job=RAY.replace("true", "false")), "job.yaml", skipped="volumes of"),
        Good(_files("/tmp/a", "import ray.train\n", job=RAY), "job.yaml"),
        Bad(_at_end("t.save_model()"), "job.yaml", says="output_dir out ends"),
        Bad(_at_end("t.save_model('out/final')"), "job.yaml", says="output_dir out ends"),
        Good(_at_end("t.save_model('/results/a')"), "job.yaml"),
        Good(_at_end(""), "job.yaml"),
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
        Bad(_files("$OUT"), "job.yaml", says="output_dir $OUT ends with the pod"),
        Bad(
            _with(f"{DOCKER} -v $PWD:/w -w /w own/image python train.py\n", "/results/sft"),
            "go.sh",
            says="output_dir /results/sft ends with this container (--rm): only /w outlive it",
        ),
        Bad({"sky.yaml": SKY, **_script("out")}, "sky.yaml", says="out ends with the spot machine"),
        Bad(
            {".gitlab-ci.yml": GITLAB, **_script("outputs/a")},
            ".gitlab-ci.yml",
            says="output_dir outputs/a ends with its job: only output/ outlive it",
        ),
        Good({".gitlab-ci.yml": GITLAB, **_script("output/a")}, ".gitlab-ci.yml"),
        Good({".gitlab-ci.yml": GITLAB, **_script("other")}, ".gitlab-ci.yml"),
        Good({"sky.yaml": SKY, **_script("/bucket/a")}, "sky.yaml"),
        Good({"sky.yaml": SKY.replace("use_spot: true", "cpus: 4"), **_script("out")}, "sky.yaml"),
        Good(_with(f"{DOCKER} -v $PWD:/w -w /w own/image python train.py\n", "out"), "go.sh"),
        Good(_with(f"{DOCKER} -v out:/out own/image python train.py\n", "/out/a"), "go.sh"),
        Good(
            _with(f"{DOCKER} $MORE own/image python train.py\n", "/out/a"),
            "go.sh",
            skipped="what the container is given is not known",
        ),
        Good(
            _with(f"{DOCKER} -v $DATA:$TO own/image python train.py\n", "/out/a"),
            "go.sh",
            skipped="what the container is given is not known",
        ),
        Good(
            _with(f"{DOCKER} --volumes-from data own/image python train.py\n", "/out/a"),
            "go.sh",
            skipped="what the container is given is not known",
        ),
        Good(_with("docker run --gpus all own/image python train.py\n", "/out/a"), "go.sh"),
        Good({"go.sh": "python train.py\n", **_files("out")}, "go.sh"),
    ),
)  # fmt: skip
