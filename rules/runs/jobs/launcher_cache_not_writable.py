"""The cache of data sets is on a read-only mount.

A shared cache is often mounted read-only, so that no job spoils it. Models can be read from it, but
`load_dataset` makes a lock file in its cache for each data set, also for one that is already there:
"OSError: [Errno 30] Read-only file system". Each process fails.

Remedy: set `HF_DATASETS_CACHE` to a folder that can be written to, such as `/tmp/datasets`, or
mount the cache without `ro`. `HF_HUB_CACHE` can still name the shared models.

Versions: every release. Read are the mounts of Docker, Podman, Apptainer, pyxis, Compose and
Kubernetes, and the channels of SageMaker with FastFile. Not reported: a script that names a cache
itself.

Seen: reproduced with datasets of trl 1.16.0's environment: with HF_HOME on a read-only mount
`load_dataset("json", …)` ends with this error, also if it has been loaded there before, and with
`streaming=True`; with HF_DATASETS_CACHE elsewhere it loads the rows.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.launch.read_only import closed_cache
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if closed := facts[closed_cache]:
        yield Finding(
            place_of_line(facts.run.target),
            f"load_dataset writes to {closed.cache} ({closed.named}), and {closed.mount} is "
            "mounted read-only: it fails",
            remedy="set HF_DATASETS_CACHE to a folder that can be written to",
        )


SCRIPT = (
    "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n"
    "rows = load_dataset('json', data_files='/data/a.jsonl', split='train'{})\n"
    "SFTTrainer('org/m', args=SFTConfig('out'), train_dataset=rows)\n"
)
END = "own/image python train.py\n"


def _job(options: str, more: str = "") -> dict[str, Json]:
    return {"job.sh": f"docker run {options} {END}", "train.py": SCRIPT.format(more)}


def _compose(volumes: str, **variables: str) -> dict[str, Json]:
    given = ", ".join(f"{name}: {value}" for name, value in variables.items())
    text = (
        "services:\n  a:\n    command: python train.py\n"
        f"    environment: {{{given}}}\n    volumes: [{volumes}]\n"
    )
    return {"compose.yaml": text, "train.py": SCRIPT.format("")}


def _pod(mount: str, volume: str = "") -> dict[str, Json]:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n"
        "    image: own\n    command: [python, train.py]\n    env: [{name: HF_HOME, value: /hf}]\n"
        f"    volumeMounts: [{{name: hf, mountPath: /hf{mount}}}]\n"
        f"  volumes: [{{name: hf, persistentVolumeClaim: {{claimName: hf{volume}}}}}]\n"
    )
    return {"job.yaml": text, "train.py": SCRIPT.format("")}


HOME = "-e HF_HOME=/hf"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job(f"{HOME} -v /srv/hf:/hf:ro"),
            "job.sh",
            says="load_dataset writes to /hf/datasets (HF_HOME), and /hf is mounted read-only",
        ),
        Bad(
            _job("-v ~/.cache/huggingface:/root/.cache/huggingface:ro"),
            "job.sh",
            says="writes to /root/.cache/huggingface/datasets (the default), and",
        ),
        Bad(_job(f"{HOME} --mount type=bind,src=/s,dst=/hf,readonly"), "job.sh", says="/hf is"),
        Bad(_compose("'/srv/hf:/m:ro'", HF_HOME="/m"), "compose.yaml", says="/m is mounted read-"),
        Bad(_pod(", readOnly: true"), "job.yaml", says="/hf is mounted read-only"),
        Bad(_pod("", ", readOnly: true"), "job.yaml", says="/hf is mounted read-only"),
        Good(_job(f"{HOME} -v /srv/hf:/hf"), "job.sh"),
        Good(_job(f"{HOME} -v /srv/hf:/hf/hub:ro"), "job.sh"),
        Good(_job(f"{HOME} -v /srv/hf:/hf:ro -v /scratch:/hf/datasets"), "job.sh"),
        Good(_job(f"{HOME} -v /srv/hf:/hf:ro -e HF_DATASETS_CACHE=/tmp/d"), "job.sh"),
        Good(_job(f"{HOME} -v /srv/hf:/hf:ro", ", cache_dir='/tmp/d'"), "job.sh"),
        Good(_job("-e HF_HUB_CACHE=/hf -v /srv/hf:/hf:ro"), "job.sh"),
        Good(_compose("'/srv/data:/data:ro'", HF_HOME="/m"), "compose.yaml"),
        Good(_compose("'/srv/hf:/m:ro']\n    tmpfs: [/m/datasets", HF_HOME="/m"), "compose.yaml"),
        Good(_pod(""), "job.yaml"),
        Good(
            {**_job(f"{HOME} -v /srv/hf:/hf:ro"), "train.py": SCRIPT.replace("load_data", "own")},
            "job.sh",
        ),
    ),
)
