"""The run is meant to evaluate, but never does.

`eval_steps` only counts if `eval_strategy` is `steps`. Its default is `no`: no evaluation takes
place, whatever `eval_steps` and the evaluation data are. `eval_strategy: no` in the file counts as
intended.

With `eval_strategy: steps` the first evaluation comes after `eval_steps` steps of the optimizer
(without it after `logging_steps`). If the run is shorter, none comes: gradient accumulation and
large batches make few steps of many rows.

There is no warning, and the run ends without a number that shows whether it learned.

Remedy: set `eval_strategy: steps`, or remove `eval_steps`. In a short run set `eval_steps` to a
part of it (`eval_steps: 0.25`), or `eval_strategy: epoch`.

Versions: every trl. From transformers 5.4.0 on a run with `eval_strategy: steps` evaluates at its
end, too. PPO evaluates in its own way and is not examined. The steps are `max_steps`, or those of
a local file of rows, or of a small data set in a rehearsal, in one process: with more processes the
run has fewer. A script that evaluates in another place, or changes `max_steps`, is left alone.

Seen: trl#1420. Reproduced with DPOTrainer of trl 0.12.2, `eval_steps=1` and an `eval_dataset`: no
evaluation in the log; with `eval_strategy="steps"` each step has one. transformers#12618:
reproduced with SFT of trl 0.12.2, 0.15.2 and 0.24.0, four steps and `eval_steps=10`: no
evaluation; with trl 1.16.0 and transformers 5.23.0 there is one, after the last step.
"""

import ast
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl, no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.totals import known_steps
from trl_doctor.facts.training.evaluating import KEYS, strategy

from ..._recorded.scripts import script

STEPS, STRATEGY, EVERY = "eval_steps", "eval_strategy", "logging_steps"
OTHERS = ("evaluation_strategy", "eval_on_start", "do_eval")
"""Arguments by which a run evaluates, or means to, without `eval_strategy`."""

ASKS = ("evaluate", "should_evaluate")
"""The methods and attributes by which a script evaluates when it likes."""

AT_END = Version("5.4.0")
"""The first transformers that evaluates after the last step."""


def check(facts: Facts) -> Iterator[Finding]:
    run, arguments = facts.run, facts.run.arguments
    by_steps = next((key for key in KEYS if strategy(arguments.get(key)) == "steps"), None)
    if not arguments.get(STEPS) and by_steps is None:
        raise NotConcerned("the run does not set eval_steps")
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    _, accepted = known_to_trl(facts)
    if run.trainer.name == "ppo" or STRATEGY not in accepted.fields:
        raise NotConcerned("this trainer evaluates in its own way")
    if by_steps is not None:
        yield from _too_late(facts, by_steps)
    elif _counts_itself(facts):
        raise NotConcerned(f"the script's own trainer reads {STEPS}")
    elif arguments.get(STRATEGY) is None and not any(map(arguments.get, OTHERS)):
        edit = Put(run.place(STEPS).file, pointer(STRATEGY), "steps")
        yield Finding(
            run.place(STEPS),
            f"{STEPS} is set, but {STRATEGY} is not: the run never evaluates",
            fix=Fix(f"set {STRATEGY} to steps", (edit,), safe=False),
        )


def _counts_itself(facts: Facts) -> bool:
    """Whether a class of the script that derives from the trainer's evaluates by `eval_steps`."""
    own = facts.run.script.passed.methods.values() if facts.run.script.passed else ()
    return any(
        isinstance(node, ast.Attribute) and node.attr == STEPS
        for method in own
        for node in ast.walk(method.function.node)
    )


def _decides(node: ast.AST) -> bool:
    """Whether a script evaluates after the training or in a callback, or changes the steps."""
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr in ASKS or (node.attr == "max_steps" and isinstance(node.ctx, ast.Store))


def _too_late(facts: Facts, asked: str) -> Iterator[Finding]:
    """The first evaluation that a run plans comes after its last step."""
    run, parsed = facts.run, facts.get(code)
    if run.flag("eval_on_start") or facts.environment.known_version("transformers") >= AT_END:
        return
    if parsed and any(map(_decides, parsed.nodes)):
        return
    key = STEPS if run.number(STEPS) else EVERY
    every = run.number(key) or 0
    if every < 1:
        return
    total = known_steps(facts)
    if every > total:
        yield Finding(
            run.place(key if run.number(key) else asked),
            f"the first evaluation comes after {every:,.0f} steps ({key}), but the run has "
            f"{total:,}: it never evaluates",
            remedy=f"set {STEPS} to {max(1, total // 4)}, or {asked} to epoch",
        )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", STEPS: 100}
PLANNED: dict[str, Json] = {**RUN, STRATEGY: "steps"}
ROWS = '{"text": "The sea was calm."}\n' * 40
LOCAL: dict[str, Json] = {**PLANNED, "dataset_name": "rows.jsonl", "num_train_epochs": 2}
SHORT: dict[str, Json] = {**PLANNED, "max_steps": 99}
LATE = "eval_strategy='steps', eval_steps=50, max_steps=8"
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
OLD = {"trl": "0.24.0", "transformers": "5.3.0"}
OWN = (
    "from trl import DPOConfig, DPOTrainer\n\n\nclass Own(DPOTrainer):\n"
    "    def log(self, logs):\n        if self.state.global_step % self.args.eval_steps == 0:\n"
    "            print('a benchmark')\n\n\n"
    "Own('org/m', args=DPOConfig('out', eval_steps=50)).train()\n"
)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="eval_steps is set, but eval_strategy is not",
            fixed={"run.json": PLANNED},
        ),
        Bad(
            {"run.json": SHORT},
            versions=OLD,
            says="the first evaluation comes after 100 steps (eval_steps), but the run has 99",
        ),
        Bad(
            {"run.json": {**LOCAL, "gradient_accumulation_steps": 4}, "rows.jsonl": ROWS},
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="(eval_steps), but the run has 4: it never evaluates",
        ),
        Bad(
            {"run.json": {**SHORT, STEPS: None, EVERY: 100}},
            versions=OLD,
            says="the first evaluation comes after 100 steps (logging_steps), but the run has 99",
        ),
        Good({"run.json": {**RUN, STRATEGY: "no"}}, versions=TRL),
        Good({"run.json": {**RUN, "do_eval": True}}, versions=TRL),
        Good({"run.json": {**RUN, "trainer": "ppo"}}, versions={"trl": "0.12.2"}),
        Good({"run.json": {"trainer": "sft"}}, versions=TRL),
        Good({"run.json": SHORT}, versions=TRL),
        Good({"run.json": {**SHORT, "max_steps": 100}}, versions=OLD),
        Good({"run.json": {**SHORT, STEPS: 0.5}}, versions=OLD),
        Good({"run.json": {**SHORT, "eval_on_start": True}}, versions=OLD),
        Bad(
            script("SFT", "model='org/m'", LATE),
            "train.py",
            versions=OLD,
            says="the first evaluation comes after 50 steps (eval_steps), but the run has 8",
        ),
        *(
            Good(script("SFT", "model='org/m'", LATE, before=code), "train.py", versions=OLD)
            for code in (
                "def finish(trainer):\n    print(trainer.evaluate())\n",
                "def on_step_end(control):\n    control.should_evaluate = True\n",
                "def again(trainer):\n    trainer.args.max_steps = 100\n",
            )
        ),
        Good({"train.py": OWN}, "train.py", versions=TRL),
        Good({"run.json": PLANNED}, versions=OLD, skipped="how many steps the run has"),
        Good(
            {"run.json": {**LOCAL, "packing": True}, "rows.jsonl": ROWS},
            versions=OLD,
            skipped="how many steps packed rows make",
        ),
    ),
)
