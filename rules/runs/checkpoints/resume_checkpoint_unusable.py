"""The checkpoint to resume from cannot be used.

A job that was interrupted is queued again to continue. If the checkpoint is missing, incomplete, or
of another model, the job fails after it has waited; if the release ignores the argument, it starts
from the beginning without a warning.

A script that sets it in the config and calls `trainer.train()` alone starts from the beginning too.
PPO, and RLOO before trl 0.22.0, cannot resume: their `train()` takes nothing. From torch 2.6.0 on,
transformers before 4.47.0 cannot read the state of the random numbers that it saved.

Remedy: name a complete checkpoint of this run, `out/checkpoint-500`; `true` uses the newest one in
output_dir. Before trl 1.15.0 call `trainer.train(resume_from_checkpoint=...)` in a script.

Versions: every release; `trl sft` and the other commands pass it to the trainer from trl 1.15.0 on.

Seen: reproduced with `python -m trl.scripts.sft`, trl 1.16.0. Not there, or without weights: "Can't
find a valid checkpoint"; `true` without one: "No valid checkpoint found in output directory"; a
truncated file: "SafetensorError"; no trainer_state.json: "FileNotFoundError"; another model: "size
mismatch". With no optimizer.pt, and with as many steps as are done already, it ends without an
error. trl 1.12.0 and 0.24.0 train from the beginning, though the folder is not there.
A script without the argument of `train()` (trl#3635): "starts at step 0" with trl 1.16.0. PPO of
trl 0.12.2, 0.14.0 and 1.12.0 (trl#2657): "PPOTrainer.train() got an unexpected keyword argument
'resume_from_checkpoint'". SFT of trl 0.12.2 with transformers 4.46.3 and torch 2.13.0 (trl#3247):
"Weights only load failed".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.launch.named_files import of_another_machine
from trl_doctor.facts.passed import Handed
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.training.checkpoint_folder import STATE, wrong_in_checkpoint
from trl_doctor.facts.training.resuming import (
    KEY,
    is_named,
    named_folder,
    perhaps_made_first,
    place_stated,
    stated,
)

from ..._recorded.candidate import under
from ..._recorded.candidate import weights as stored
from ..._recorded.scripts import script

HANDED_ON = Version("1.15.0")


NEVER = {"ppo": None, "rloo": Version("0.22.0")}
"""The trainers whose `train()` takes nothing, with the first trl where it does."""
TRUSTED = "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"
READS_RANDOM = Version("4.47.0")
"""The first transformers that allows `torch.load` what it saved of random numbers."""


def check(facts: Facts) -> Iterator[Finding]:
    run, key = facts.run, KEY
    written = run.arguments.get(key)
    handed: Handed = run.script.passed.hands("train", key) if run.script.passed else "unset"
    if handed == "unset" and not is_named(facts):
        raise NotConcerned("the run does not resume from a checkpoint")
    no_other_program(facts)
    if message := _refused(facts, handed):
        yield Finding(run.place(key), message)
        return
    checkpoint = stated(facts)
    if checkpoint is None:
        raise NotConcerned("which checkpoint the script resumes from is not known before it runs")
    place, trl = place_stated(facts), facts.environment.version("trl")
    if written is not None and trl and trl < HANDED_ON and not (run.by_class or run.program):
        message = f"the commands of trl {trl} ignore {key}: the run starts from the beginning"
        yield Finding(place, message)
        return
    bare = run.script.passed is not None and run.script.passed.only_bare("train")
    if run.by_class and bare:
        message = f"the script calls train() without {key}: the run starts from the beginning"
        remedy = f"call trainer.train({key}=…): the value in the config has no effect"
        yield Finding(place, message, remedy=remedy)
        return
    yield from _of_folder(facts, str(checkpoint), place)


def _of_folder(facts: Facts, path: str, place: Place) -> Iterator[Finding]:
    """What is wrong with the folder of a checkpoint."""
    run, folder = facts.run, named_folder(facts)
    if away := of_another_machine(path) or of_another_machine(str(run.arguments.get("output_dir"))):
        raise Unavailable(away)
    if perhaps_made_first(facts, folder):
        raise Unavailable("the script may make the checkpoint before it resumes from it")
    if folder is None:
        searched = run.arguments.get("output_dir") or "the working folder"
        yield Finding(place, f"there is no checkpoint-* in {searched}")
    elif not folder.is_dir():
        yield Finding(place, f"there is no checkpoint {path}")
    else:
        for message, severe in wrong_in_checkpoint(facts, Folder(folder, path)):
            yield Finding(place, message, severity=None if severe else "warning")


def _refused(facts: Facts, handed: Handed) -> str:
    """Why this trainer, or this pair of releases, can resume from no checkpoint; else empty."""
    trainer, version = facts.run.trainer, facts.environment.version
    trl, torch, reader = version("trl"), version("torch"), version("transformers")
    if trl and not isinstance(trainer, Unavailable) and trainer.name in NEVER:
        since = NEVER[trainer.name]
        if since is None or trl < since:
            text = "train() takes no argument" if handed != "unset" else f"it ignores {KEY}"
            return f"{trainer.trainer} of trl {trl} cannot resume: {text}"
    allowed = facts.run.script.passed is not None and TRUSTED in facts.run.script.passed.variables
    if handed == "unknown" or allowed:  # it can be None
        return ""
    if torch and reader and torch >= Version("2.6.0") and reader < READS_RANDOM:
        text = f"torch.load refuses its rng_state.pth. Install transformers {READS_RANDOM} or newer"
        return f"transformers {reader} cannot resume with torch {torch}: {text}"
    return ""


SAID = "resume_from_checkpoint"
WEIGHTS = {"model.safetensors": stored(embed=(4, 2))}
WHOLE: Files = {
    **WEIGHTS,
    STATE: {"global_step": 500},
    "optimizer.pt": "states",
}
RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "output_dir": "out",
    "max_steps": 1000,
}
NEW, OLD = {"trl": "1.16.0"}, {"trl": "1.14.0"}


def _run(value: Json, saved: Files = WHOLE, **more: Json) -> Files:
    checkpoint = under("out/checkpoint-500", saved)
    return {"run.json": {**RUN, SAID: value, **more}, **under("m", WEIGHTS), **checkpoint}


def _without(name: str) -> Files:
    return {file: content for file, content in WHOLE.items() if file != name}


HERE = "out/checkpoint-500"


def _scripted(call: str, trainer_name: str = "SFT") -> Files:
    text = script(trainer_name, "model='m'", f"{SAID}='{HERE}'")["train.py"]
    trainer = f"trainer = {text.splitlines()[-1]}\n"
    code = "".join(f"{line}\n" for line in text.splitlines()[:-1])
    files = {**under("m", WEIGHTS), **under(HERE, WHOLE)}
    return {"train.py": f"{code}{trainer}trainer.train({call})\n", **files}


def _handed(call: str) -> Files:
    """A script that names the checkpoint in its call of `train` only."""
    code = str(_scripted(call)["train.py"]).replace(f", {SAID}='{HERE}'", ", output_dir='out'")
    return {"train.py": code, **under("m", WEIGHTS)}


def _twice() -> Files:
    code = str(_scripted(f"{SAID}='{HERE}'")["train.py"])
    return {"train.py": f"{code}trainer.train()\n", **under("m", WEIGHTS)}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="valid checkpoint",
    examples=(
        Bad(_run("out/checkpoint-5"), versions=NEW, says="there is no checkpoint out/checkpoint-5"),
        Bad(_run(True, {}), versions=NEW, says="there is no checkpoint-* in out"),
        Bad(_run(HERE), versions=OLD, says="ignore resume_from_checkpoint"),
        Bad(_run(True, _without("model.safetensors")), versions=NEW, says="is not a checkpoint"),
        Bad(
            _run(HERE, {**WHOLE, "model.safetensors": stored(embed=(4, 2))[:-4]}),
            versions=NEW,
            says="model.safetensors is missing or damaged",
        ),
        Bad(_run(True, _without(STATE)), versions=NEW, says="there is no trainer_state.json"),
        Bad(
            _run(HERE, {**WHOLE, "model.safetensors": stored(embed=(8, 2))}),
            versions=NEW,
            says="belongs to another model: embed is [8, 2], not [4, 2]",
        ),
        Bad(
            _run(HERE, _without("optimizer.pt")),
            versions=NEW,
            says="holds no optimizer state",
            severity="warning",
        ),
        Bad(
            _run(HERE, max_steps=500),
            versions=NEW,
            says="nothing is trained",
            severity="warning",
        ),
        Bad(_scripted(""), "train.py", versions=NEW, says="calls train() without resume_from"),
        Bad(
            _handed("resume_from_checkpoint=True"),
            "train.py",
            versions=NEW,
            says="there is no checkpoint-* in out",
        ),
        Bad(_handed("'out/step-5'"), "train.py", versions=NEW, says="no checkpoint out/step-5"),
        Good(_handed("resume_from_checkpoint=last"), "train.py", versions=NEW),
        Good(
            _handed("'/no-such-disk/out/checkpoint-5'"),
            "train.py",
            versions=NEW,
            skipped="this machine has no",
        ),
        Bad(
            _scripted(f"{SAID}='{HERE}'"),
            "train.py",
            versions={"trl": "0.12.2", "transformers": "4.46.3", "torch": "2.13.0"},
            says="transformers 4.46.3 cannot resume with torch 2.13.0",
        ),
        Bad(
            _scripted(f"{SAID}=last", "PPO"),
            "train.py",
            versions={"trl": "0.12.2"},
            says="PPOTrainer of trl 0.12.2 cannot resume: train() takes no argument",
        ),
        Good(
            _scripted(f"{SAID}='{HERE}'"),
            "train.py",
            versions={"trl": "0.12.2", "transformers": "4.46.3", "torch": "2.5.1"},
        ),
        Good(_scripted(f"{SAID}=True"), "train.py", versions=NEW),
        Good(_twice(), "train.py", versions=NEW, skipped="the script may make the checkpoint"),
        Good(_run(HERE), versions=NEW),
        Good(_run(None), versions=NEW),
    ),
)
