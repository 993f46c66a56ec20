"""The job may not use the network, and has no files.

`HF_HUB_OFFLINE=1` is right where a cache has the model already. A machine that GitHub or Azure ML
starts for the job has none, so the run ends before it trains: "couldn't find them in the cached
files".

Remedy: leave `HF_HUB_OFFLINE` out, or bring the files first: `actions/cache`, a step with `hf
download`, or an input that is mounted and that `HF_HOME` names.

Versions: every release. Judged are runners that GitHub hosts and jobs of Azure ML with an image of
Microsoft. Not reported: a file that names a cache, fetches or restores something, and a job in
which another command runs first.

Seen: reproduced with `trl sft` of trl 1.16.0 and an empty HF_HOME: "OSError: We couldn't connect to
'https://huggingface.co' to load the files, and couldn't find them in the cached files".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.launch.offline import offline_without_files
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[offline_without_files]:
        yield Finding(
            place_of_line(facts.run.target),
            f"{found.setting} is set, and nothing brings {found.model} to this new machine",
            remedy=f"leave {found.setting} out, or fetch {found.model} before",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('{}', args=SFTConfig('out'))\n"


def _workflow(
    before: str = "", on: str = "ubuntu-latest", model: str = "org/m", value: str = "'1'"
) -> dict[str, Json]:
    text = (
        f"on: push\njobs:\n  a:\n    runs-on: {on}\n    env: {{HF_HUB_OFFLINE: {value}}}\n"
        f"    steps:\n    - uses: actions/checkout@v4\n    - run: pip install trl\n{before}"
        "    - run: python train.py\n"
    )
    return {".github/workflows/a.yml": text, "train.py": SCRIPT.format(model)}


def _azure(image: str, more: str = "") -> dict[str, Json]:
    text = (
        "command: python train.py\ncompute: azureml:gpu\n"
        f"environment: {{image: {image}}}\nenvironment_variables: {{HF_HUB_OFFLINE: '1'{more}}}\n"
    )
    return {"job.yml": text.replace("{image:", "\n  image:").replace("}\nenv", "\nenv"),
            "train.py": SCRIPT.format("org/m")}  # fmt: skip


PATH = ".github/workflows/a.yml"
CURATED = "mcr.microsoft.com/azureml/curated/acpt:3"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_workflow(), PATH, says="HF_HUB_OFFLINE is set, and nothing brings org/m to this new"),
        Bad(_azure(CURATED), "job.yml", says="HF_HUB_OFFLINE is set, and nothing brings org/m"),
        Good(_workflow(value="'0'"), PATH),
        Good(_workflow("    - uses: actions/cache@v4\n"), PATH),
        Good(_workflow("    - run: hf download org/m\n"), PATH),
        Good(_workflow("    - run: python fetch.py\n"), PATH),
        Good(_workflow("    - run: make models\n"), PATH),
        Good(_workflow("    - run: echo HF_HOME=/c >> $GITHUB_ENV\n"), PATH),
        Good(_workflow(on="[self-hosted, gpu]"), PATH),
        Good(_workflow(on="ours"), PATH),
        Good({**_workflow(model="models/m"), "models/m/config.json": {}}, PATH),
        Good(_azure("own.azurecr.io/trl:1"), "job.yml"),
        Good(_azure(CURATED, ", HF_HOME: /mnt/hf"), "job.yml"),
    ),
)
