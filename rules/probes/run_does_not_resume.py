"""A run cannot resume from its own checkpoint.

After the first real step on a small model of the same architecture, the trainer saved a checkpoint,
and a second trainer of the same arguments took one more step from it, as `resume_from_checkpoint`
does. That raised an error, or the second trainer began with other weights than the first one had at
its end: a job that is interrupted cannot be continued. It is only a warning if the run does not ask
to resume, and either no model can be resumed in this installation or only weights differ: the job
trains to its end if nothing interrupts it. `load_best_model_at_end` loads in the same way.

Remedy: correct what the error names. `--keep DIR` saves `repeat.py`; `python repeat.py resume`
raises the same error. If checkpoints are not needed, set `save_strategy: "no"`. If weights differ,
name the checkpoint as the model (`model_name_or_path: out/checkpoint-100`): it is then read
correctly, and the optimizer starts from zero.

Versions: any; the rule uses the installed release. transformers before 4.47.0 with torch 2.6.0 and
newer cannot read the random numbers' state that it saved. transformers 5 saves the experts of
Mixtral, Qwen3-MoE and others one by one, and does not put them together when it resumes: they start
with the base model's weights.

Seen: trl#3247, transformers#48805. Reproduced with DPO, KTO and the reward trainer of trl 0.12.2
with transformers 4.46.3 and torch 2.13.0: "Weights only load failed". 29 pairs of a trainer and a
release from trl 0.14.0 to 1.16.0 with newer transformers resume, and 44 variants of SFT, GRPO and
the reward trainer under 1.16.0 (adapters, optimizers, `save_only_model`): the rule reports none of
them. SFT of a Qwen3-MoE with transformers 5.19.0 and 5.23.0: after resuming, and in the best model
at the end, all experts differ; loaded as the model, the checkpoint is what was trained.
"""

import re
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.error_place import named_in
from trl_doctor.facts.measured.step import control, step, stepped
from trl_doctor.facts.measured.step_failure import calls_of
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.surroundings import output_dir
from trl_doctor.facts.training.resuming import KEY, is_named, newest
from trl_doctor.probes.answers.error import Error
from trl_doctor.probes.answers.step import Resumed

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .._recorded.step import FILES, TRL, answered, answers, well

MODEL, BEST = "model_name_or_path", "load_best_model_at_end"


def check(facts: Facts) -> Iterator[Finding]:
    resumed = facts[stepped].resumed
    if resumed is None:
        raise NotConcerned("no second trainer was tried: no checkpoints, or a step that takes long")
    raised = resumed.raised
    if raised and (raised.contained or raised.memory or raised.disk):
        raise Unavailable(f"resuming the small model: {raised.line}")
    if raised:
        installation = _healthy_fails(facts, raised)
        error = f"{raised.type}: {raised.message}"
        yield Finding(
            named_in(facts, error),
            f"{trainer(facts)} cannot resume from its own checkpoint: {raised.line}",
            (
                *(("a healthy model cannot be resumed here either",) if installation else ()),
                *calls_of(raised.frames),
                *_repeated(facts),
            ),
            remedy=_remedy(facts, error),
            severity=_severity(facts) if installation else None,
            error=error,
            follows=("resume-checkpoint-unusable",),
        )
    elif resumed.count:
        best = facts.run.flag(BEST)
        yield Finding(
            facts.run.place(),
            f"{trainer(facts)} resumes with other weights than it had: {resumed.count} of those "
            f"that are trained{' (load_best_model_at_end loads in the same way)' * best}",
            (f"they differ: {', '.join(resumed.differing)}", *_repeated(facts)),
            remedy="go on from the checkpoint's folder as the model, with a new optimizer: "
            f"{MODEL}: OUTPUT_DIR/checkpoint-N{', without load_best_model_at_end' * best}",
            severity=None if best else _severity(facts),
        )


def _healthy_fails(facts: Facts, raised: Error) -> bool:
    """Whether a healthy model cannot be resumed in this installation with the same error."""
    healthy = facts.get(control)
    other = healthy.value.resumed if healthy and healthy.value else None
    return other is not None and other.raised is not None and other.raised.type == raised.type


def _severity(facts: Facts) -> Severity | None:
    """A warning if nothing says that the run is to be resumed."""
    run = facts.run
    handed = run.script.passed.hands("train", KEY) if run.script.passed else "unset"
    has_checkpoint = newest(output_dir(facts)) is not None
    return None if is_named(facts) or has_checkpoint or handed != "unset" else "warning"


def _remedy(facts: Facts, message: str) -> str:
    version = facts.environment.version
    reads, torch = version("transformers"), version("torch")
    old = reads and torch and reads < Version("4.47.0") and torch >= Version("2.6.0")
    if old and re.search("Weights only load failed|weights_only", message):
        return (
            f"transformers {reads} cannot read its rng_state.pth with torch {torch}: install "
            "transformers 4.47.0 or newer, or torch 2.5.1"
        )
    return "correct what the last calls point at"


def _repeated(facts: Facts) -> tuple[str, ...]:
    repeat = facts[step].repeat
    return (f"again: {repeat} resume",) if repeat else ()


PICKLED = Resumed(Error("UnpicklingError", "Weights only load failed. This file can still be"))
OLD = {"trl": "0.14.0", "transformers": "4.46.3", "torch": "2.13.0"}
GROUPS = Resumed(Error("ValueError", "loaded state dict contains a parameter group that does not"))
EXPERTS = Resumed(None, ("model.layers.0.mlp.experts.down_proj",), 1)
RESUMES = candidate({**RUN, KEY: True}, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(well(resumed=GROUPS), well()),
            says="cannot resume from its own checkpoint: ValueError: loaded state dict contains",
        ),
        Bad(
            FILES,
            versions=OLD,
            answers=answers(well(resumed=PICKLED), well(resumed=PICKLED)),
            says="cannot resume from its own checkpoint: UnpicklingError: Weights only load failed",
            severity="warning",
        ),
        Bad(
            RESUMES,
            versions=OLD,
            answers=answers(well(resumed=PICKLED), well(resumed=PICKLED)),
            says="UnpicklingError: Weights only load failed",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(well(resumed=EXPERTS), well()),
            says="resumes with other weights than it had: 1 of those that are trained",
            severity="warning",
        ),
        Bad(
            candidate({**RUN, BEST: True}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answers(well(resumed=EXPERTS), well()),
            says="of those that are trained (load_best_model_at_end loads in the same way)",
        ),
        Bad(
            RESUMES,
            versions=TRL,
            answers=answers(well(resumed=EXPERTS), well()),
            says="resumes with other weights than it had: 1 of those",
        ),
        Good(FILES, versions=TRL, answers=answered(resumed=Resumed(None))),
        Good(FILES, versions=TRL, answers=answered(resumed=None)),
        Good(
            FILES,
            versions=TRL,
            answers=answered(resumed=Resumed(Error("OSError", "No space left", disk=True))),
            skipped="resuming the small model: OSError: No space left",
        ),
    ),
)
