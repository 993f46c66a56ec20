"""PPO's reward or value model gives several scores.

PPOTrainer needs one number for each token from both models. `AutoModelForSequenceClassification`
makes a head of two labels where neither the model's config nor the call says how many. A reward
model of another framework may be such a model, and its head may have another name: then the head is
random, too, and the one that was trained is left out. The run fails in its first step, after
generation.

Remedy: load the model with `num_labels=1`. If the log says that `score.weight` is newly
initialized, load the trained head under this name as well, for example with `key_mapping`.

Versions: every trl with this PPOTrainer, 0.12.0 to 1.12.0. Only a rehearsal sees it: the objects
that the trainer gets are examined.

Seen: OpenRLHF#1039. Reproduced with trl 1.12.0: "output with shape [2] doesn't match the broadcast
shape [2, 2]"; with one label and the trained head it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Examples, Rule
from trl_doctor.facts.run_trainer import known_trainer

WHAT, KNOWN = "several scores", ("reward-head-not-asked-for", "ppo-model-of-wrong-class")
REMEDY = "load it with num_labels=1, and see that the log names no newly initialized score.weight"


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "ppo":
        raise NotConcerned("only PPO is affected")
    for mistake in rehearsal(facts).mistakes:
        if mistake.what == WHAT:
            role, scores = mistake.words
            yield Finding(
                facts.run.place(),
                f"the {role} that {mistake.place} gives PPOTrainer has {scores} scores for a token "
                "(num_labels), but a reward is one number: the first step fails",
                remedy=REMEDY,
                follows=KNOWN,
            )


def examples() -> Examples:
    from trl_doctor.facts.rule import Bad, Good
    from trl_doctor.probes.answers.rehearse import RehearsalMistake

    from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
    from ..._recorded.rehearsal import rehearsed
    from ..._recorded.step import TRL

    ppo = candidate({**RUN, "trainer": "ppo"}, TOKENIZER, CONFIG)
    two = rehearsed(mistakes=(RehearsalMistake(WHAT, ("reward_model", "2"), "train.py:8"),))
    says = "the reward_model that train.py:8 gives PPOTrainer has 2 scores for a token"
    old = {**TRL, "trl": "1.12.0"}
    return (
        Bad(ppo, versions=old, level="rehearsal", answers=two, says=says),
        Good(ppo, versions=old, level="rehearsal", answers=rehearsed()),
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"match(es)? the broadcast shape|must match the size of tensor",
    examples=examples,
)
