"""The best model of GRPO is chosen by its loss.

With `load_best_model_at_end` and no `metric_for_best_model` the run ends with the model of the
lowest `eval_loss`. The loss of GRPO and RLOO is made of advantages, which are relative to a group:
it says nothing of the rewards. A model with worse rewards is loaded at the end, and saved.

Remedy: set `metric_for_best_model: eval_reward`, from trl 1.5.0 on. Older releases do not return
their rewards to the code that chooses: remove `load_best_model_at_end` there, keep all checkpoints,
and choose one by the `eval_reward` in the log.

Versions: every trl with GRPO or RLOO that evaluates.

Seen: ms-swift#8030. Reproduced with GRPO of trl 1.16.0: the model that is loaded has not the best
`eval_reward`; with `metric_for_best_model="eval_reward"` it has.
"""

import ast
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.training.evaluating import KEYS, evaluates

from ..._recorded.scripts import script

BEST, METRIC, REWARD = "load_best_model_at_end", "metric_for_best_model", "eval_reward"
RETURNED = Version("1.5.0")
"""From this trl on the rewards are returned to the code that chooses."""


def check(facts: Facts) -> Iterator[Finding]:
    run, trl = facts.run, trl_of(facts)
    if known_trainer(facts) not in ("grpo", "rloo") or not run.flag(BEST):
        raise NotConcerned("only GRPO and RLOO with load_best_model_at_end are affected")
    if not any(evaluates(run.arguments.get(key)) for key in KEYS):
        raise NotConcerned("the run does not evaluate")
    if run.script.passed is not None and (run.script.passed.derived or _sets_loss(facts)):
        return  # the script may log a loss of its own
    if run.arguments.get(METRIC) not in (None, "loss", "eval_loss"):
        return
    returned = trl is None or trl >= RETURNED
    edit = Put(run.place(BEST).file, pointer(METRIC), REWARD)
    by_class = run.by_class or not returned
    yield Finding(
        run.place(METRIC if METRIC in run.arguments else BEST),
        "the best model is that of the lowest eval_loss, which says nothing of the rewards: "
        f"{METRIC} is not set to {REWARD}",
        remedy=f"set {METRIC}: {REWARD}" if returned else OLD,
        fix=None if by_class else Fix(f"set {METRIC} to {REWARD}", (edit,), safe=False),
    )


def _sets_loss(facts: Facts) -> bool:
    """Whether the script has metrics of its own, or writes another value into `eval_loss`."""
    return bool(facts.run.script.passed and facts.run.script.passed.has("compute_metrics")) or any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and getattr(node.slice, "value", "") in ("loss", "eval_loss")
        for node in facts[code].nodes
    )


OLD = f"remove {BEST}, and choose a checkpoint by the eval_reward in the log"
RUN: dict[str, Json] = {
    "trainer": "grpo",
    "model_name_or_path": "m",
    "eval_strategy": "steps",
    BEST: True,
}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=NEW,
            says="the best model is that of the lowest eval_loss, which says nothing of the",
            fixed={"run.json": {**RUN, METRIC: REWARD}},
        ),
        Bad({"run.json": RUN}, versions={"trl": "0.24.0"}, says="says nothing of the rewards"),
        Bad(
            script("GRPO", "reward_funcs=len", f"{BEST}=True, eval_strategy='epoch'"),
            "train.py",
            versions=NEW,
            says="metric_for_best_model is not set to eval_reward",
        ),
        Good(
            script("GRPO", "reward_funcs=len", f"{BEST}=True, eval_strategy='epoch'",
                   before="def f(metrics):\n    metrics['eval_loss'] = -metrics['eval_reward']\n"),
            "train.py",
            versions=NEW,
        ),
        Good({"run.json": {**RUN, METRIC: REWARD}}, versions=NEW),
        Good({"run.json": {**RUN, "trainer": "sft"}}, versions=NEW),
        Good({"run.json": {**RUN, BEST: False}}, versions=NEW),
    ),
)  # fmt: skip
