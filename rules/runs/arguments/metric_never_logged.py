"""metric_for_best_model is a metric that no evaluation logs.

After the first evaluation, hours into the run, the trainer looks the metric up and fails: "The
`metric_for_best_model` training argument is set to 'eval_accuracy', which is not found". A trainer
of TRL logs its loss and the metrics of its own code; `accuracy` or `f1` need `compute_metrics`.

SFT before trl 0.15.0 does not log the loss either if it packs the training rows and not the
evaluation rows: `packing: true` with `eval_packing: false`.

Before trl 1.5.0 most trainers log their own metrics, but do not return them to the code that
chooses the best model: the log has a value of `eval_reward`, and the run fails with the same error.

Remedy: name a metric that is logged (`eval_loss`), or pass `compute_metrics`; remove
`eval_packing: false`.

Versions: every trl; the rule reads the logged metrics from the installed sources. A trainer's own
metrics are not returned by GRPO of 0.14.0 to 1.4.0, RLOO of 0.22.0 to 1.4.0, SFT of 0.15.0 to
0.21.0 and 0.27.0 to 1.4.0, Reward of 0.27.0 to 1.4.0, DPO of 0.29.0 to 1.4.0.

Seen: ms-swift#6701, Qwen3-Embedding#138, trl#5800, trl#5811: GRPO with `eval_reward` fails in trl
0.15.2, 0.19.1 and 0.24.0, SFT with `eval_mean_token_accuracy` in 0.15.2 and 0.19.1. Reproduced with
SFT with trl 0.12.2, 0.24.0 and 1.16.0 and `metric_for_best_model: accuracy`: all three fail with
this error at the first evaluation; with `loss` they go on. The same with `epoch` (ms-swift#4323,
trl 0.24.0). `eval_packing=False` (trl#1907) with trl 0.12.2 and 0.14.0: "set to 'eval_loss', which
is not found"; 0.15.2, 0.19.1 and 0.24.0 log it.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.evaluating import evaluates
from trl_doctor.facts.training.logged_metrics import ALWAYS, is_logged, logged

from ..._recorded.scripts import script

KEY, LOSS = "metric_for_best_model", "eval_loss"
UNTIL = Version("1.5.0")
KEPT = {
    "dpo": ("0.29.0",),
    "grpo": ("0.14.0",),
    "reward": ("0.27.0",),
    "rloo": ("0.22.0",),
    "sft": ("0.15.0", "0.22.0", "0.27.0"),
}
"""The releases from which on a trainer alternately keeps its own metrics back and returns them."""

LABELS = Version("0.15.0")
"""From this trl on rows that are not packed have labels."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    stated, strategy = run.arguments.get(KEY), run.arguments.get("eval_strategy", "no")
    if _unpacked(facts) and evaluates(strategy):
        yield Finding(
            run.place("eval_packing"),
            "eval_packing is false and packing true: no evaluation logs eval_loss, which "
            f"{KEY if stated else 'load_best_model_at_end'} needs",
            remedy="remove eval_packing, or upgrade trl to 0.15.0 or newer",
        )
        return
    if not isinstance(stated, str) or not evaluates(strategy):
        raise NotConcerned("the run uses no metric_for_best_model")
    if run.script.passed is not None and run.script.passed.has("compute_metrics"):
        raise NotConcerned("the script computes its own metrics")
    if run.script.passed is not None and run.script.passed.derived:
        raise NotConcerned("the trainer is a class of the script's own, which may log more")
    metric = stated.removeprefix("eval_")
    if metric == "epoch":
        yield _finding(facts, stated, "logs", "the epoch is in the log without the prefix eval_")
        return
    if rehearsed(facts):
        raise NotConcerned("the rehearsal evaluates with the script's own metrics")
    if metric in ALWAYS:
        return
    if _kept_back(facts):
        yield _finding(facts, stated, "returns", "it returns only eval_loss")
        return
    names = logged(facts)
    if not is_logged(metric, names):
        yield _finding(facts, stated, "logs", f"it logs {', '.join(sorted(names)[:12])}")


def _finding(facts: Facts, stated: str, verb: str, evidence: str) -> Finding:
    run = facts.run
    edit = Put(run.place(KEY).file, pointer(KEY), LOSS)
    name = getattr(run.trainer, "trainer", "the trainer")
    return Finding(
        run.place(KEY),
        f"{KEY} is {stated!r:.60}, which no evaluation of {name} {verb}",
        (evidence,),
        Fix(f"set {KEY} to {LOSS}", (edit,), safe=False),
    )


def _kept_back(facts: Facts) -> bool:
    """Whether this release logs the trainer's own metrics, and returns the loss alone."""
    trl = facts.environment.version("trl")
    bounds = KEPT.get(getattr(facts.run.trainer, "name", ""), ())
    passed = sum(trl >= Version(bound) for bound in bounds) if trl else 0
    return bool(trl and trl < UNTIL and passed % 2)


def _unpacked(facts: Facts) -> bool:
    """Whether an SFT that packs evaluates rows without labels, and needs the loss of that."""
    run, trl = facts.run, facts.environment.version("trl")
    if trl is None or trl >= LABELS or getattr(run.trainer, "name", "") != "sft":
        return False
    loss = str(run.arguments.get(KEY, "loss")).removeprefix("eval_") == "loss"
    needs = loss and (KEY in run.arguments or run.flag("load_best_model_at_end"))
    return bool(needs and run.flag("packing") and run.arguments.get("eval_packing") is False)


GIVEN = "model='org/m', eval_dataset=rows"
STEPS = "eval_strategy='steps', metric_for_best_model='{}'"
BAD = script("SFT", GIVEN, STEPS.format("accuracy"))
EPOCH = script("SFT", GIVEN, STEPS.format("epoch"))
REWARD = script("GRPO", f"{GIVEN}, reward_funcs=[len]", STEPS.format("eval_reward"))
ACCURACY = script("SFT", GIVEN, STEPS.format("mean_token_accuracy"))
OWN = {
    "train.py": ACCURACY["train.py"]
    .replace("mean_token_accuracy", "eval_perplexity")
    .replace("SFTTrainer(args", "Own(args")
    .replace(
        "rows = load", "class Own(SFTTrainer):\n    def evaluate(self):\n        pass\nrows = load"
    )
}
"""A trainer of the script's own: what it logs is not read."""

UNPACKED = f"{STEPS.format('eval_loss')}, packing=True, eval_packing=False"
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
        Bad(
            script("SFT", GIVEN, UNPACKED),
            "train.py",
            versions={"trl": "0.14.0"},
            says="eval_packing is false and packing true: no evaluation logs eval_loss",
        ),
        Good(
            script("SFT", GIVEN, UNPACKED.replace("False", "True")),
            "train.py",
            versions={"trl": "0.14.0"},
        ),
        Good(script("SFT", GIVEN, UNPACKED), "train.py", versions={"trl": "0.15.2"}),
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
        Good(OWN, "train.py", versions=TRL),
        Bad(
            EPOCH,
            "train.py",
            versions=TRL,
            says="metric_for_best_model is 'epoch', which no evaluation of SFTTrainer logs",
            fixed={"train.py": EPOCH["train.py"].replace("'epoch'", '"eval_loss"')},
        ),
        Bad(
            REWARD,
            "train.py",
            versions={"trl": "0.19.1"},
            says="is 'eval_reward', which no evaluation of GRPOTrainer returns",
            fixed={"train.py": REWARD["train.py"].replace("'eval_reward'", '"eval_loss"')},
        ),
        Good(
            ACCURACY,
            "train.py",
            versions={"trl": "0.24.0"},
        ),
        Bad(
            ACCURACY,
            "train.py",
            versions={"trl": "1.4.0"},
            says="which no evaluation of SFTTrainer returns",
            fixed={
                "train.py": ACCURACY["train.py"].replace("'mean_token_accuracy'", '"eval_loss"')
            },
        ),
    ),
)
