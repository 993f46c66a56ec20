"""metric_for_best_model is a metric that no evaluation logs.

After the first evaluation, hours into the run, the trainer looks the metric up and fails: "The
`metric_for_best_model` training argument is set to 'eval_accuracy', which is not found". A trainer
of TRL logs its loss and the metrics of its own code; `accuracy` or `f1` need `compute_metrics`.

Remedy: name a metric that is logged (`eval_loss`), or pass `compute_metrics`.

Versions: every trl; the rule reads the logged metrics from the installed sources.

Seen: ms-swift#6701, Qwen3-Embedding#138, trl#5800. Reproduced with SFT with trl 0.12.2, 0.24.0 and
1.16.0 and `metric_for_best_model: accuracy`: all three fail with this error at the first
evaluation; with `loss` they go on.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.logged_metrics import logged
from trl_doctor.facts.rule import Bad, Good, Rule

from ._recorded.scripts import script

KEY, LOSS = "metric_for_best_model", "eval_loss"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    stated, evaluates = run.arguments.get(KEY), run.arguments.get("eval_strategy", "no")
    if not isinstance(stated, str) or str(evaluates).lower() not in ("steps", "epoch"):
        raise NotConcerned("the run uses no metric_for_best_model")
    if run.passes is not None and run.passes.has("compute_metrics"):
        raise NotConcerned("the script computes its own metrics")
    metric = stated.removeprefix("eval_")
    names = logged(facts)
    if not any(metric.startswith(name) or metric.endswith(name) for name in names):
        edit = Put(run.place(KEY).file, pointer(KEY), LOSS)
        yield Finding(
            run.place(KEY),
            f"{KEY} is {stated!r:.60}, which no evaluation of "
            f"{getattr(run.trainer, 'trainer', 'the trainer')} logs",
            (f"it logs {', '.join(sorted(names)[:12])}",),
            Fix(f"set {KEY} to {LOSS}", (edit,), safe=False),
        )


GIVEN = "model='org/m', eval_dataset=rows"
STEPS = "eval_strategy='steps', metric_for_best_model='{}'"
BAD = script("SFT", GIVEN, STEPS.format("accuracy"))
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            BAD,
            "train.py",
            versions=TRL,
            says="metric_for_best_model is 'accuracy', which no evaluation of SFTTrainer logs",
            fixed={"train.py": BAD["train.py"].replace("'accuracy'", '"eval_loss"')},
        ),
        Good(script("SFT", GIVEN, STEPS.format("eval_loss")), "train.py", versions=TRL),
        Good(
            script("SFT", f"{GIVEN}, compute_metrics=f", STEPS.format("f1")),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("DPO", GIVEN, STEPS.format("rewards/margins")),
            "train.py",
            versions=TRL,
            skipped="what this trainer logs is not known",
        ),
        Good(script("SFT", GIVEN), "train.py", versions=TRL),
    ),
)
