"""The learning rate is too small for the steps of the run.

Adam moves each weight by at most about the learning rate in a step. LoRA's B matrices begin at 0,
so after the whole run they are at most the sum of the rates. If that is next to nothing, the model
answers as before: DPO's loss stays at 0.693, and no error is raised. Rates for all weights, such as
5e-7, are too small for an adapter and a small data set.

Remedy: raise `learning_rate` (1e-5 to 2e-4 are usual for LoRA), or train on more rows or epochs.

Versions: every release, with the optimizers of the Adam family, which are the default. If the run
sets no rate, that of its trainer counts: 1e-6 for GRPO, DPO, KTO and RLOO. Only runs with an
adapter whose steps are counted from rows and epochs are examined: in a run with `max_steps` a few
steps may be a trial.

Seen: CoursIA#12429. Reproduced with DPO of trl 1.16.0, LoRA, 50 rows and 5e-7: the loss stays
within 0.002 of log(2) for all 7 steps; with 1e-3 and three epochs it falls to 0.3.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.trained_with import default_number
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.totals import known_steps
from trl_doctor.facts.training.schedule import refuse_other_schedules

KEY = "learning_rate"
LEAST = 2e-5
"""The distance that a weight of an adapter has to be able to move in the run."""

ADAM = ("adamw", "paged_adamw", "adam_")
OWN_LOOP = ("ppo", "rloo")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    _, accepted = known_to_trl(facts)
    rate = run.number(KEY, default_number(accepted, KEY))
    optimizer = run.arguments.get("optim", "adamw")
    if rate is None or rate <= 0:
        raise NotConcerned("the learning rate is not known")
    if not isinstance(optimizer, str) or not optimizer.lower().startswith(ADAM):
        raise NotConcerned("the optimizer is not Adam or one of its relatives")
    if not run.flag("use_peft"):
        raise NotConcerned("the run has no new adapter")
    if (run.number("max_steps") or 0) > 0 or known_trainer(facts) in OWN_LOOP:
        raise NotConcerned("the steps are not those of rows and epochs")
    refuse_other_schedules(facts)
    total = known_steps(facts)
    if rate * total < LEAST:
        default = "" if run.number(KEY) else " (its default)"
        steps = f"{total:,} step{'s' * (total > 1)}"
        yield Finding(
            run.place(KEY),
            f"{KEY} is {rate:g}{default} and the run has {steps}: no weight of the adapter can "
            f"move by more than {rate * total:.2g}, so next to nothing is learned",
        )


RUN: dict[str, Json] = {
    "trainer": "dpo",
    "dataset_name": "rows.jsonl",
    "num_train_epochs": 1,
    "use_peft": True,
}
ROWS = '{"prompt": "a", "chosen": "b", "rejected": "c"}\n' * 40
SCRIPT = """from datasets import load_dataset
from trl import DPOConfig, DPOTrainer, ModelConfig, TrlParser, get_peft_config
args, model_args = TrlParser((DPOConfig, ModelConfig)).parse_args_and_config()
rows = load_dataset("json", data_files="rows.jsonl", split="train")
lora = get_peft_config(model_args)
trainer = DPOTrainer("org/m", args=args, train_dataset=rows, peft_config=lora)
"""
LINE = "python train.py --output_dir out --learning_rate 5e-7 --num_train_epochs 1"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN, "rows.jsonl": ROWS},
            versions={"trl": "1.16.0"},
            says="learning_rate is 1e-06 (its default) and the run has 5 steps",
        ),
        Bad(
            {"run.json": {**RUN, KEY: 5e-7}, "rows.jsonl": ROWS},
            says="learning_rate is 5e-07 and the run has 5 steps: no weight of the adapter can "
            "move by more than 2.5e-06",
        ),
        Bad(
            {"job.sh": f"{LINE} --use_peft\n", "train.py": SCRIPT, "rows.jsonl": ROWS},
            "job.sh",
            says="no weight of the adapter can move",
        ),
        Good({"job.sh": f"{LINE}\n", "train.py": SCRIPT, "rows.jsonl": ROWS}, "job.sh"),
        Good({"run.json": {**RUN, KEY: 5e-6}, "rows.jsonl": ROWS}),
        Good({"run.json": {**RUN, KEY: 5e-7, "use_peft": False}, "rows.jsonl": ROWS}),
        Good({"run.json": {**RUN, KEY: 5e-7, "max_steps": 2}, "rows.jsonl": ROWS}),
        Good({"run.json": {**RUN, KEY: 5e-7}}, skipped="how many steps the run has is not known"),
    ),
)
