"""The run has rows for evaluation, but never evaluates.

A trainer evaluates when `eval_strategy` says so, and its default is `no`. Neither an `eval_dataset`
nor `do_eval` changes that: no trainer reads `do_eval`, it is there for scripts. The log has no
`eval_loss`, and the rows that were kept for it are of no use. There is no warning.

Remedy: set `eval_strategy` to `steps` or `epoch`, or call `trainer.evaluate()` after the training.
If no evaluation is wanted, train on these rows, too, or say `eval_strategy="no"`.

Versions: every trl. PPO and RLOO, which may sample for these rows, are not examined. A script is
left alone if it evaluates in another place, reads `do_eval`, has callbacks or a trainer class of
its own, or says `eval_strategy`, `eval_on_start` or `do_eval=False`. With `eval_steps`,
`evaluation-never-runs` tells it.

Seen: trl#2203, an `eval_dataset` with SFT of trl 0.12.2; llms_tool#60, `do_eval` and an
`eval_dataset` with SFT of trl 1.16.0. Reproduced with both: no evaluation in the log; with
`eval_strategy` there are some.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import (
    known_to_trl,
    no_other_program,
    unknown_arguments,
)
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script

STRATEGY, STEPS, ASKED, ROWS = "eval_strategy", "eval_steps", "do_eval", "eval_dataset"
SAYS = (STRATEGY, "evaluation_strategy", "eval_on_start")
"""Arguments that say when a run evaluates."""

OWN_WAYS = (
    ASKED, ROWS, "evaluate", "predict", "should_evaluate", "get_eval_dataloader", "add_callback",
)  # fmt: skip
"""Attributes by which a script may use its rows for evaluation in its own way."""

SAMPLES = ("ppo", "rloo")
"""Trainers that take texts from these rows, and do not ask `eval_strategy`."""


NEVER = {
    "rows never evaluated": f"the {{0}} at {{place}} gets an {ROWS}, but {STRATEGY} is not set: "
    "the run never evaluates",
}
REMEDY = f"set {STRATEGY} to steps or epoch, or call evaluate() after the training"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        seen = list(mistake_findings(facts, NEVER, remedy=REMEDY))
        yield from seen
        if not seen:
            passed(facts)  # the source is examined
        return
    no_other_program(facts)
    if _in_its_own_way(facts):
        return
    run, arguments = facts.run, facts.run.arguments
    asked = arguments.get(ASKED)
    place = _rows(facts) or (run.place(ASKED) if asked else None)
    if place is None:
        raise NotConcerned("the run has no rows for evaluation")
    if any(arguments.get(key) is not None for key in SAYS) or asked is False:
        raise NotConcerned("the run says when it evaluates")
    if arguments.get(STEPS) and not asked:
        raise NotConcerned("the run sets eval_steps: evaluation-never-runs examines it")
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    if run.script.passed is None and unknown_arguments(facts).script:
        raise Unavailable("the run file is for another script than TRL's own")
    _, accepted = known_to_trl(facts)
    if run.trainer.name in SAMPLES or STRATEGY not in accepted.fields:
        raise NotConcerned("this trainer evaluates in its own way")
    what = f"{ASKED} is set, which no trainer reads" if asked else f"the trainer gets an {ROWS}"
    yield Finding(
        place,
        f"{what}, but {STRATEGY} is not set: the run never evaluates",
        remedy=REMEDY,
    )


def _rows(facts: Facts) -> Place | None:
    """Where a script gives its trainer rows for evaluation; None if it does not."""
    values = facts.run.script.passed
    return values.places.get(ROWS) if values and values.has(ROWS) else None


def _in_its_own_way(facts: Facts) -> bool:
    """Whether a script may evaluate without the trainer's own plan."""
    values, parsed = facts.run.script.passed, facts.get(code)
    if values is None or parsed is None:
        return False
    given = values.derived or bool(values.rest) or "callbacks" in values.values
    return given or any(
        isinstance(node, ast.Attribute) and node.attr in OWN_WAYS for node in parsed.nodes
    )


def _script(given: str = f"{ROWS}=rows", config: str = "", before: str = "") -> dict[str, Json]:
    return script("SFT", f"model='org/m', {given}", config, before)


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", ASKED: True}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    return (
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="do_eval is set, which no trainer reads, but eval_strategy is not set",
        ),
        Bad(
            _script(),
            "train.py",
            versions=TRL,
            says="the trainer gets an eval_dataset, but eval_strategy is not set: the run never",
        ),
        Bad(
            _script(config="do_eval=True"), "train.py", versions=TRL, says="which no trainer reads"
        ),
        Good({"run.json": {**RUN, STRATEGY: "epoch"}}, versions=TRL),
        Good({"run.json": {**RUN, "eval_on_start": True}}, versions=TRL),
        Good({"run.json": {**RUN, "trainer": "ppo"}}, versions={"trl": "0.12.2"}),
        mistake(
            "rows never evaluated",
            ("SFTTrainer",),
            "train.py:40",
            "the SFTTrainer at train.py:40 gets an eval_dataset, but eval_strategy is not set",
        ),
        *(
            Good(_script(f"{ROWS}={value}", config, before), "train.py", versions=TRL)
            for value, config, before in (
                ("rows", "eval_strategy='no'", ""),
                ("rows", "eval_strategy='epoch'", ""),
                ("rows", "eval_on_start=True", ""),
                ("rows", "do_eval=False", ""),
                ("rows", "eval_steps=10", ""),
                ("rows, callbacks=[own()]", "", ""),
                ("None", "", ""),
                ("rows", "", "def finish(trainer):\n    print(trainer.evaluate())\n"),
                ("rows", "", "def on_step_end(control):\n    control.should_evaluate = True\n"),
            )
        ),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
