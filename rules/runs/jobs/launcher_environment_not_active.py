"""The command does not start in the environment made for it.

`setup` of a task of SkyPilot and `run` are two shells: what `setup` activates is not active in
`run`. An environment that a Dockerfile makes with `conda create` is none of the commands of its
image. `accelerate` is then not found, or it is another one, without TRL.

Remedy: activate the environment in `run`, too. In a Dockerfile write `ENV
PATH=/opt/conda/envs/NAME/bin:$PATH`, or start the command with `conda run -n NAME`.

Versions: SkyPilot, Dockerfiles, and jobs of Azure ML and Compose that build one. Not reported:
packages that are installed outside of the environment, too, and a setup that writes to `.bashrc`.

Seen: reproduced with bash: after `bash -c '. env/bin/activate'` another `bash -c` does not find the
programs of `env`. SkyPilot's own examples activate in both.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.launch.left_environments import left_environment
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if left := facts[left_environment]:
        yield Finding(
            place_of_line(facts.run.target),
            f"{left.made}: {left.program} starts without it",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
RUN = "accelerate launch train.py"


def _sky(*setup: str, run: str = RUN) -> dict[str, Json]:
    lines = "".join(f"  {line}\n" for line in setup)
    text = f"resources: {{accelerators: A100:1}}\nsetup: |\n{lines}run: |\n  {run}\n"
    return {"sky.yaml": text, "train.py": SCRIPT}


MADE = "RUN conda create -y -n trl python=3.11 && conda run -n trl pip install trl"


def _image(*lines: str, run: str = RUN) -> dict[str, Json]:
    text = "\n".join(["FROM own/conda", *lines, f"CMD {run}", ""])
    return {"Dockerfile": text, "train.py": SCRIPT}


def _azure(*lines: str, run: str = RUN) -> dict[str, Json]:
    text = f"command: {run}\ncompute: azureml:a\nenvironment:\n  build:\n    path: docker\n"
    image = "\n".join(["FROM own/conda", *lines, ""])
    return {"job.yml": text, "docker/Dockerfile": image, "train.py": SCRIPT}


VENV = ("uv venv ~/v", "source ~/v/bin/activate", "uv pip install trl")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_sky(*VENV), "sky.yaml", says="setup has `source ~/v/bin/activate`, and run is anot"),
        Bad(
            _sky("conda create -n a python=3.11 -y", "conda activate a", "pip install trl"),
            "sky.yaml",
            says="setup has `conda activate a`, and run is another shell: accelerate starts",
        ),
        Bad(_image(MADE), "Dockerfile", says="Dockerfile:2 makes the environment trl, which"),
        Bad(_azure(MADE), "job.yml", says="Dockerfile:2 makes the environment trl, which nothing"),
        Good(_sky(*VENV, run=f". ~/v/bin/activate && {RUN}"), "sky.yaml"),
        Good(_sky(*VENV, run=f"~/v/bin/{RUN}"), "sky.yaml"),
        Good(_sky(*VENV, run=f"source ~/v/bin/activate\n  {RUN}"), "sky.yaml"),
        Good(_sky(*VENV, "echo 'source ~/v/bin/activate' >> ~/.bashrc"), "sky.yaml"),
        Good(_sky("pip install trl"), "sky.yaml"),
        Good(_sky("pip install trl", "source ~/other/activate", "make tools"), "sky.yaml"),
        Good(_sky(*VENV, run="uv run accelerate launch train.py"), "sky.yaml"),
        Good(_image(MADE, "ENV PATH=/opt/conda/envs/trl/bin:$PATH"), "Dockerfile"),
        Good(_image(MADE, 'SHELL ["conda", "run", "-n", "trl", "/bin/bash", "-c"]'), "Dockerfile"),
        Good(_image(MADE, run=f"conda run -n trl {RUN}"), "Dockerfile"),
        Good(_image(MADE, "RUN pip install trl"), "Dockerfile"),
        Good(_image(MADE, 'RUN echo "conda activate trl" >> ~/.bashrc'), "Dockerfile"),
        Good(_azure(MADE, run=f"conda run -n trl {RUN}"), "job.yml"),
        Good(_azure(MADE, run=f"source activate trl && {RUN}"), "job.yml"),
        Good(_azure("RUN pip install trl"), "job.yml"),
    ),
)
