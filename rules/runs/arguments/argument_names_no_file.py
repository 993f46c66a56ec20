"""An argument names a file that does not exist.

The job starts on every node, reads its arguments, and fails when it looks for the template or the
settings of the launcher.

Remedy: correct the path. A relative path starts at the folder in which the job is started.

Versions: every release.

Seen: reproduced with `trl sft` of trl 1.16.0: "The passed configuration file `acc.yaml` does not
exist"; an OSError of the Hub for a chat template, of 0.24.0 too.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl, no_other_program
from trl_doctor.facts.launch.named_files import uncertain
from trl_doctor.facts.rule import Bad, Good, Rule

TEMPLATE = "chat_template_path"
PATHS = {
    TEMPLATE: "file or model folder",
    "deepspeed": "DeepSpeed file",
    "config_file": "file of accelerate",
    "fsdp_config": "FSDP file",
}
"""Arguments that name something on this machine, with its kind."""

NAMED = frozenset({"single_gpu", "multi_gpu", "fsdp1", "fsdp2", "zero1", "zero2", "zero3"})
"""The names of TRL's own files in `accelerate_config`."""

FILE = re.compile(r"\.[A-Za-z]\w*$")
"""The end of a file's name; that of `Qwen2.5-0.5B` is a version."""

TRUTHS = ("true", "yes", "false", "no", "1", "0", "last", "latest", "none", "auto", "")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.target.kind == "model":
        raise NotConcerned("a model folder has no arguments")
    no_other_program(facts)
    accepted, unsure = facts.get(known_to_trl), ""
    for key, kind in PATHS.items():
        if accepted and key == TEMPLATE and key not in accepted[1].fields:
            continue  # this release does not read it
        if (name := _path(run.arguments.get(key))) and not _is_there(facts, name):
            if key == TEMPLATE and "/" in name and not FILE.search(name):
                continue  # a model on the Hub
            if why := uncertain(facts, name):
                unsure = why
                continue
            yield Finding(run.place(key), f"{key}: there is no {kind} {name}")
    settings = _path(run.arguments.get("accelerate_config"))
    if settings and settings not in NAMED and not _is_there(facts, settings):
        message = f"accelerate_config: there is no file {settings}"
        remedy = f"name a file, or one of TRL's own: {', '.join(sorted(NAMED))}"
        yield Finding(run.place("accelerate_config"), message, remedy=remedy)
    if unsure:
        raise Unavailable(unsure)


def _path(value: Json) -> str:
    """The path that a value names; "" if it names none that can be looked for."""
    text = value.strip() if isinstance(value, str) else ""
    strange = text.lower() in TRUTHS or text.startswith("{") or is_placeholder(text)
    return "" if strange else text


def _is_there(facts: Facts, name: str) -> bool:
    return dataset.existing_path(facts, name) is not None


def _run(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "sft", "model_name_or_path": "m", **arguments}}


SCRIPT = (
    "from trl import SFTConfig, SFTTrainer\n"
    "SFTTrainer('org/m', args=SFTConfig('o', chat_template_path='my.jinja'))\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"configuration file .* does not exist",
    examples=(
        Good(
            {"train.py": f"open('my.jinja', 'w').write('x')\n{SCRIPT}"},
            "train.py",
            skipped="train.py may make my.jinja itself",
        ),
        Bad({"train.py": SCRIPT}, "train.py", says="there is no file or model folder my.jinja"),
        Bad(_run(deepspeed="ds.json"), says="deepspeed: there is no DeepSpeed file ds.json"),
        Bad(_run(accelerate_config="zero4"), says="accelerate_config: there is no file zero4"),
        Good({**_run(deepspeed="ds.json", accelerate_config="zero2"), "ds.json": {}}),
        Good(_run(chat_template_path="org/model")),
        Good(_run(chat_template_path="Qwen/Qwen2.5-0.5B-Instruct")),
        Bad(_run(chat_template_path="org/t.j2"), says="there is no file or model folder org/t.j2"),
        Bad(_run(chat_template_path="t.jinja"), says="there is no file or model folder t.jinja"),
        Good(_run(chat_template_path="t.jinja"), versions={"trl": "0.15.2"}),
    ),
)
