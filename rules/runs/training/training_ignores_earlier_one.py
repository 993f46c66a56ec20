"""Two trainings of one script do not fit together.

One of six things happens. SFT trains a model, and the trainer after it begins with the weights that
SFT has begun with: the result of SFT is not used. An adapter of an earlier stage is merged, and the
trainer begins with its base: nothing uses the merged model. A reward model is trained, and the
rewards of the trainer after it come from the model as it was before. The policy is the model that
SFT has trained, and the reference the one that SFT has begun with: the penalty pulls the policy
back to before SFT. A loop compares settings and trains one model again and again: each training
begins where the one before has ended. A second training resumes in the folder of the first one: it
takes the first one's checkpoint and step, and trains too little or nothing. A second training that
has more `max_steps` than the first one goes on with it on purpose. There is no error.

Remedy: load what the first stage has saved; load the model inside of the loop; give each training
an `output_dir` of its own, or a second one as many `max_steps` as both take together.

Versions: every trl. Only a rehearsal sees it, where the trainings are in one script. A merged
model counts as used if it is called, read, loaded from its folder, or given to the trainer.

Seen: reproduced with SFT and DPO, and a reward model and GRPO, of trl 1.16.0. In a loop over three
learning rates the losses before training are 6.24, 6.22 and 6.04. A second stage that resumes in
the first one's folder ends after 0 steps, with loss 0.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "from base": "{1} at {place} begins with the weights that {0} began with: what {0} has learned "
    "is not used",
    "merged stage unused": "{0} at {place} begins with the base of the adapter that was merged at "
    "{1}: nothing uses the merged model{2}",
    "reward from base": "the rewards of {1} at {place} come from the weights that {0} began with: "
    "what {0} has learned is not used",
    "reference from base": "the reference of {1} at {place} has the weights that {0} began with, "
    "and the policy those that it has trained: they differ before the first step",
    "same model": "{1} at {place} trains the model that {0} has trained on the same rows: it does "
    "not begin with the loaded weights",
    "resumes at its end": "the training at {place} has max_steps={1}, and resumes in {0}, where "
    "one before it has taken as many: the steps of both count, and it ends at once",
    "same folder": "{1} at {place} may resume in {0}, where a training before it has saved its "
    "checkpoints",
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    sft, at = "SFTTrainer", "train.py:9"
    return (
        mistake("from base", (sft, "DPOTrainer"), at, f"what {sft} has learned is not used"),
        mistake(
            "merged stage unused",
            ("GRPOTrainer", "train.py:22", ", which is in merged"),
            "train.py:59",
            "begins with the base of the adapter that was merged at train.py:22: nothing uses the",
        ),
        mistake("reward from base", ("RewardTrainer", "GRPOTrainer"), at, "come from the weights"),
        mistake(
            "reference from base", (sft, "DPOTrainer"), at, "they differ before the first step"
        ),
        mistake("same model", (sft, sft), at, f"trains the model that {sft} has"),
        mistake("same folder", ("out/a", sft), at, "may resume in out/a, where a training before"),
        mistake("resumes at its end", ("out", "40"), at, "it ends at once"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
