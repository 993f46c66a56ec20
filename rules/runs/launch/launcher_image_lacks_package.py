"""The image does not install a package that the run needs.

The Dockerfile names what it installs: `pip install …`, or a requirements file. A package that the
run needs is not among it, and none of the others brings it: DeepSpeed for a file of accelerate that
uses it, PEFT or bitsandbytes that the script imports. The container ends at its start.

Remedy: add it to the requirements file, or to the line of `pip install`.

Versions: Dockerfiles that go on from images of Python, PyTorch, CUDA, Debian or Ubuntu, and install
with pip. Not reported: other installers, and packages of the project itself.

Seen: reproduced with accelerate 1.15.0: "ImportError: DeepSpeed is not installed => run `pip3
install deepspeed` or build it from source". Not run with Docker.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.launch.files import accelerate_settings
from trl_doctor.facts.launch.image import installed
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.rule import Bad, Good, Rule

IMPORTED = re.compile(r"^(?:from|import)\s+(peft|bitsandbytes|deepspeed|vllm)\b", re.MULTILINE)


def check(facts: Facts) -> Iterator[Finding]:
    has, launch = installed(facts), facts.run.target.launch
    if launch is None or not has:
        raise NotConcerned("no Dockerfile that installs packages starts this run")
    for package, why in _needed(facts).items():
        if package not in has:
            yield Finding(
                place_of_line(facts.run.target),
                f"the image does not install {package}: {why}",
                remedy=f"add {package} to what the image installs",
            )


def _needed(facts: Facts) -> dict[str, str]:
    """The packages that the run needs, each with the reason."""
    file, needed = facts.run.file, dict[str, str]()
    if isinstance(file, Document) and file.path.suffix == ".py":
        for package in IMPORTED.findall(file.data.decode(errors="replace")):
            needed[package] = f"{file.path.name} imports it"
    try:
        settings = facts[accelerate_settings]
    except (NotConcerned, Unavailable):
        return needed
    if settings.get("distributed_type") == "DEEPSPEED":
        needed["deepspeed"] = f"accelerate needs it for {settings.name}"
    return needed


def _image(installs: str, base: str = "python:3.11", required: str = "") -> dict[str, Json]:
    lines = [f"FROM {base}", "WORKDIR /app", "COPY . .", f"RUN {installs}",
             'CMD ["accelerate", "launch", "--config_file", "a.yaml", "train.py"]', ""]  # fmt: skip
    script = (
        "from peft import LoraConfig\nfrom trl import SFTConfig, SFTTrainer\n"
        "SFTTrainer('org/m', args=SFTConfig('out'), peft_config=LoraConfig())\n"
    )
    zero: Json = {"distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": 3}}
    files: dict[str, Json] = {"Dockerfile": "\n".join(lines), "train.py": script, "a.yaml": zero}
    return {**files, "requirements.txt": required} if required else files


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _image("pip install trl peft"),
            "Dockerfile",
            says="the image does not install deepspeed: accelerate needs it for a.yaml",
        ),
        Bad(
            _image("pip install -r requirements.txt", required="trl==1.16.0\ndeepspeed>=0.15\n"),
            "Dockerfile",
            says="the image does not install peft: train.py imports it",
        ),
        Good(_image("pip install trl[peft] 'deepspeed>=0.15'"), "Dockerfile"),
        Good(
            _image("pip install -r requirements.txt", required="trl\npeft # x\nDeepSpeed\n"),
            "Dockerfile",
        ),
        Good(_image("pip install trl peft", "own/base:3"), "Dockerfile", skipped="from elsewhere"),
        Good(_image("pip install ."), "Dockerfile", skipped="a package of its own"),
        Good(_image("pip install -r other.txt"), "Dockerfile", skipped="other.txt is not here"),
        Good(_image("poetry install"), "Dockerfile", skipped="from elsewhere"),
        Good({"a.sh": "python train.py\n", "train.py": "import trl\n"}, "a.sh"),
    ),
)
