"""The script uses weights that nobody has trained.

`from_pretrained` makes up what the folder lacks: the `lm_head` of a reward model that is loaded to
write, the `score` of a language model that is loaded to give rewards. There is a warning in the
log, and no error. Or the script puts a state dict into a model with `strict=False`, and the model
has none of its names (`module.` or `base_model.model.` is before each): nothing is loaded. The
answers, scores and figures are then those of random weights, or of the model before its training.

Remedy: load the folder with the class that saved it, and the model that does what it is used for.
Compare the names of a state dict with those of `model.state_dict()`, and look at what
`load_state_dict` returns.

Versions: every trl; only a rehearsal sees it. Told are models that the script loads from a folder
which it has saved, asks by itself, and never trains, and state dicts of which no name has a place,
if none comes later that has one.

Seen: RLHF-Reward-Modeling#22. Reproduced with trl 1.16.0: a reward model that is loaded with
AutoModelForCausalLM answers as a random one; a state dict with `module.` before its names leaves
all weights as they were.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

RANDOM, PLACELESS = "random weights asked", "state dict without place"
LOADS = "load it with the class that saved it, or the model that has these weights"
NAMES = "give the weights the names that the model has for them"


def check(facts: Facts) -> Iterator[Finding]:
    random = (
        "{place} loads a model from {1}, which has no weights for {0}: they are random, and the "
        "script uses the model without training them"
    )
    placeless = (
        "{place} loads {0} weights, and the model has a name of none of them: {1} is in the state "
        "dict, {2} in the model, and it stays as it was"
    )
    yield from mistake_findings(facts, {RANDOM: random}, remedy=LOADS)
    yield from mistake_findings(facts, {PLACELESS: placeless}, remedy=NAMES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    random = "train.py:30 loads a model from judge, which has no weights for lm_head.weight"
    placeless = "train.py:30 loads 20 weights, and the model has a name of none of them"
    names = ("20", "module.model.norm.weight", "model.norm.weight")
    return (
        mistake(RANDOM, ("lm_head.weight", "judge"), "train.py:30", random),
        mistake(PLACELESS, names, "train.py:30", placeless),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
