"""An argument names a file that does not exist.

The job starts on every node, reads its arguments, and fails when it looks for the checkpoint, the
template or the settings of the launcher.

Remedy: correct the path. A relative path starts at the folder in which the job is started;
`resume_from_checkpoint: true` uses the last checkpoint in `output_dir`.

Versions: every release. Commands that cannot resume (those of 0.24.0) ignore a missing checkpoint:
then this is a warning. The rule reads the installed command.

Seen: reproduced with `trl sft` of trl 1.16.0: "Can't find a valid checkpoint at out/checkpoint-5",
"No valid checkpoint found in output directory"; "The passed configuration file `acc.yaml` does not
exist"; an OSError of the Hub for a chat template, of 0.24.0 too.
"""

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Json, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.model_class import resumes
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.unknown_arguments import no_other_program

RESUME = "resume_from_checkpoint"
PATHS = {
    RESUME: "checkpoint",
    "chat_template_path": "file or model folder",
    "deepspeed": "DeepSpeed file",
    "config_file": "file of accelerate",
    "fsdp_config": "FSDP file",
}
"""Arguments that name something on this machine, with its kind."""

NAMED = frozenset({"single_gpu", "multi_gpu", "fsdp1", "fsdp2", "zero1", "zero2", "zero3"})
"""The names of TRL's own files in `accelerate_config`."""

TRUTHS = ("true", "yes", "false", "no", "1", "0", "last", "latest", "none", "auto", "")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.target.kind == "model":
        raise NotConcerned("a model folder has no arguments")
    no_other_program(facts)
    for key, kind in PATHS.items():
        if (name := _path(run.arguments.get(key))) and not _is_there(facts, name):
            if key == "chat_template_path" and "/" in name and not Path(name).suffix:
                continue  # a model on the Hub
            severity = _severity(facts) if key == RESUME else None
            yield Finding(run.place(key), f"{key}: there is no {kind} {name}", severity=severity)
    settings = _path(run.arguments.get("accelerate_config"))
    if settings and settings not in NAMED and not _is_there(facts, settings):
        message = f"accelerate_config: there is no file {settings}"
        remedy = f"name a file, or one of TRL's own: {', '.join(sorted(NAMED))}"
        yield Finding(run.place("accelerate_config"), message, remedy=remedy)
    last = run.arguments.get(RESUME)
    if last is True or (isinstance(last, str) and last.lower() == "true"):
        yield from _last(facts)


def _path(value: Json) -> str:
    """The path that a value names; "" where it names none that can be looked for."""
    text = value.strip() if isinstance(value, str) else ""
    strange = text.lower() in TRUTHS or text.startswith("{") or "${" in text or "{{" in text
    return "" if strange else text


def _is_there(facts: Facts, name: str) -> bool:
    return dataset.existing_path(facts, name) is not None


def _severity(facts: Facts) -> Severity | None:
    """A warning where the command of this release does not look at the checkpoint, or may not."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable) or facts.run.by_class:
        return "warning"
    return None if resumes(facts, trainer) else "warning"


def _last(facts: Facts) -> Iterator[Finding]:
    """The last checkpoint of a run that has saved none here."""
    out = facts.run.arguments.get("output_dir")
    folder = dataset.existing_path(facts, out) if isinstance(out, str) else None
    if folder is None or not any(folder.glob("checkpoint-*")):
        yield Finding(
            facts.run.place(RESUME),
            f"resume_from_checkpoint is true, but {out or 'the output folder'} has no checkpoint "
            "here",
            severity="warning",
            remedy="remove the key from the file of the first run",
        )


def _run(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "sft", "model_name_or_path": "m", **arguments}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"valid checkpoint|configuration file .* does not exist",
    examples=(
        Bad(
            _run(resume_from_checkpoint="out/checkpoint-5"),
            says="no checkpoint out/checkpoint-5",
            severity="warning",
        ),
        Bad(_run(deepspeed="ds.json"), says="deepspeed: there is no DeepSpeed file ds.json"),
        Bad(_run(accelerate_config="zero4"), says="accelerate_config: there is no file zero4"),
        Bad(
            _run(resume_from_checkpoint=True, output_dir="out"),
            says="out has no checkpoint here",
            severity="warning",
        ),
        Good({**_run(deepspeed="ds.json", accelerate_config="zero2"), "ds.json": {}}),
        Good(_run(resume_from_checkpoint=False, chat_template_path="org/model")),
    ),
)
