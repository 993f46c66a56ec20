"""The worst checkpoint counts as the best.

`greater_is_better` contradicts `metric_for_best_model`: a loss is better if it is smaller, an
accuracy or a reward if it is greater. Without `greater_is_better` a name that ends with `loss`
should be small and any other metric great, also `eval_perplexity` and `eval_wer`.
`load_best_model_at_end` then loads the worst checkpoint, `save_total_limit` keeps it, and early
stopping ends the run while it improves. No error is raised.

Remedy: set `greater_is_better` to the right value.

Versions: every transformers.

Seen: reproduced with SFT of trl 1.16.0 and 0.15.2, `metric_for_best_model: eval_loss` and
`greater_is_better: true`: the checkpoint with the highest `eval_loss` is loaded at the end.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.evaluating import KEYS, evaluates

KEY, METRIC = "greater_is_better", "metric_for_best_model"
SMALL = re.compile(r"(?:^|_)(?:loss|perplexity|ppl|error|wer|cer|mse|mae)$")
GREAT = re.compile(
    r"(?:^|[_/])(?:accuracy|accuracies|acc|f1|reward|margins?|bleu|rouge\w*|exact_match|precision|"
    r"recall|auc|mcc|win_?rate)$"
)
"""How the names of metrics end that should be small, and of those that should be great."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    stated, metric = run.arguments.get(KEY), run.arguments.get(METRIC)
    if stated is None and metric is None:
        raise NotConcerned("the run does not choose a best checkpoint itself")
    if not any(evaluates(run.arguments.get(key)) for key in KEYS):
        raise NotConcerned("the run does not evaluate")
    name = metric.lower() if isinstance(metric, str) else "loss"
    greater = not name.endswith("loss") if stated is None else run.flag(KEY)
    if not (SMALL if greater else GREAT).search(name):
        return
    now, corrected = str(greater).lower(), str(not greater).lower()
    becomes = f"not set and becomes {now}" if stated is None else now
    edit = Put(run.place(KEY).file, pointer(KEY), not greater)
    loads = run.flag("load_best_model_at_end")
    yield Finding(
        run.place(METRIC if stated is None else KEY),
        f"{KEY} is {becomes}, but {name} is better if it is {'smaller' if greater else 'greater'}: "
        + ("the worst checkpoint is loaded at the end" if loads else "the worst counts as best"),
        fix=Fix(f"set {KEY} to {corrected}", (edit,), safe=False),
        severity=None if loads else "warning",
    )


RUN: dict[str, Json] = {
    "trainer": "sft",
    "eval_strategy": "steps",
    "load_best_model_at_end": True,
    METRIC: "eval_loss",
}
ACCURATE: dict[str, Json] = {**RUN, METRIC: "eval_rewards/accuracies", KEY: False}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {**RUN, KEY: True}},
            says="eval_loss is better if it is smaller: the worst checkpoint is loaded at the end",
            fixed={"run.json": {**RUN, KEY: False}},
        ),
        Bad(
            {"run.json": ACCURATE},
            says="eval_rewards/accuracies is better if it is greater",
            fixed={"run.json": {**ACCURATE, KEY: True}},
        ),
        Bad(
            {"run.json": {**RUN, KEY: True, "load_best_model_at_end": False}},
            says="the worst counts as best",
            severity="warning",
            fixed={"run.json": {**RUN, KEY: False, "load_best_model_at_end": False}},
        ),
        Bad(
            {"run.json": {**RUN, METRIC: "eval_perplexity"}},
            says="greater_is_better is not set and becomes true, but eval_perplexity is better if",
            fixed={"run.json": {**RUN, METRIC: "eval_perplexity", KEY: False}},
        ),
        Good({"run.json": {**RUN, KEY: False}}),
        Good({"run.json": {**RUN, METRIC: "own_score", KEY: False}}),
        Good({"run.json": RUN}),
        Good({"run.json": {**RUN, KEY: True, "eval_strategy": "no"}}),
    ),
)
