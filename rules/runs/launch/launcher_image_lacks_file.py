"""The image does not have a file that its command names.

A container sees the files that the Dockerfile copies into its image, and those that are mounted
when it is started. The command of the image names a file of the project that no `COPY` takes: the
container ends at once, "No such file or directory".

Remedy: copy it, `COPY configs/ configs/`, or mount its folder when the container is started.

Versions: Dockerfiles with `COPY` or `ADD`. Not reported: if a command of the image may make the
file, if a variable names what is copied, and if a file beside the Dockerfile mounts the folder.

Seen: not run with Docker. Its reference says that the command sees the file system of the image.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.image import image_of, lacking_files, named_files
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    launch = facts.run.target.launch
    if launch is None:
        raise NotConcerned("no Dockerfile starts this run")
    image, _ = image_of(facts)
    for name in lacking_files(facts, named_files(launch)):
        yield Finding(
            place_of_line(facts.run.target),
            f"no COPY takes {name} into the image: the command does not find it in {image.folder}",
            remedy=f"copy it: COPY {name} {name}",
        )


RUN: Json = {"model_name_or_path": "org/m", "dataset_name": "org/d", "output_dir": "out"}


def _image(*lines: str, name: str = "runs/a.yaml", **more: Json) -> dict[str, Json]:
    text = ["FROM python:3.11", "WORKDIR /app", *lines, f'CMD ["trl", "sft", "--config", "{name}"]']
    return {"Dockerfile": "\n".join([*text, ""]), "runs/a.yaml": RUN, "src/a.py": "", **more}


MOUNTS = {"compose.yaml": "services: {a: {build: ., volumes: ['./runs:/app/runs']}}\n"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _image("COPY src src"),
            "Dockerfile",
            says="no COPY takes runs/a.yaml into the image: the command does not find it in /app",
        ),
        Bad(_image("COPY runs /runs"), "Dockerfile", says="no COPY takes runs/a.yaml"),
        Good(_image("COPY src src", "COPY runs runs"), "Dockerfile"),
        Good(_image("COPY runs/ ./runs/"), "Dockerfile"),
        Good(_image("COPY runs/*.yaml /app/runs/"), "Dockerfile"),
        Good(_image("COPY . ."), "Dockerfile"),
        Good(_image("COPY . /app", "RUN pip install trl"), "Dockerfile"),
        Good(_image("COPY src src", "RUN git clone x"), "Dockerfile", skipped="may make"),
        Good(_image("COPY src src", **MOUNTS), "Dockerfile"),
        Good({"a.sh": "trl sft --config runs/a.yaml\n", "runs/a.yaml": RUN}, "a.sh"),
    ),
)
