"""Two trainings of one script do not fit together.

One of three things happens. SFT trains a model, and the trainer after it begins with the weights
that SFT has begun with: the result of SFT is not used. A loop compares settings and trains one
model again and again: each training begins where the one before has ended. A second training
resumes in the folder of the first one: it takes the first one's checkpoint and step, and trains too
little or nothing. There is no error.

Remedy: load what the first stage has saved; load the model inside of the loop; give each training
an `output_dir` of its own.

Versions: every trl. Only a rehearsal sees it, where the trainings are in one script.

Seen: reproduced with SFT and DPO of trl 1.16.0. In a loop over three learning rates the losses
before training are 6.24, 6.22 and 6.04. A second stage that resumes in the first one's folder ends
after 0 steps, with loss 0.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule

MESSAGES = {
    "from base": "{1} at {place} begins with the weights that {0} began with: what {0} has learned "
    "is not used",
    "same model": "{1} at {place} trains the model that {0} has trained on the same rows: it does "
    "not begin with the loaded weights",
    "same folder": "{1} at {place} may resume in {0}, where a training before it has saved its "
    "checkpoints",
}


def check(facts: Facts) -> Iterator[Finding]:
    for slip in facts[rehearsal].slips:
        if slip.what in MESSAGES:
            message = MESSAGES[slip.what].format(*slip.words, place=slip.place)
            yield Finding(facts.run.place(), message)


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import Slip

    from ..._recorded.rehearsal import FILES, TRL, rehearsed

    def bad(what: str, before: str, now: str, says: str) -> Bad:
        answers = rehearsed(slips=(Slip(what, (before, now), "train.py:9"),))
        return Bad(FILES, versions=TRL, level="rehearsal", answers=answers, says=says)

    return (
        bad("from base", "SFTTrainer", "DPOTrainer", "what SFTTrainer has learned is not used"),
        bad("same model", "SFTTrainer", "SFTTrainer", "trains the model that SFTTrainer has"),
        bad("same folder", "out/a", "SFTTrainer", "may resume in out/a, where a training before"),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
