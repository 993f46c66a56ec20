"""TRL's own script does not hand the reward functions on.

The script of some releases collects the reward functions and then gives the trainer the reward
model alone. Without a reward model the run dies when it starts; with one it trains, and the
functions are never called: their names are not even in the log.

Remedy: install trl 0.24.0 or newer, whose script was seen to call them, or start the run from a
script of your own.

Versions: trl 0.19.0 and 0.19.1 do so; which others do is read from the installed script.

Seen: ran `python -m trl.scripts.grpo` of trl 0.19.1: reward_funcs alone: "UnboundLocalError: cannot
access local variable 'reward_model'"; with a reward model: one step, rewarded by the model alone.
The script of trl 0.24.0 trains with the functions.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.unknown_arguments import strange

from .._recorded.rewards import FILES, RUN, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    handed_on, named = facts[rewards].handed_on, facts.run.trainer
    if isinstance(named, Unavailable):
        raise named
    if handed_on in (None, "reward_funcs"):
        raise NotConcerned("releases of trl whose script keeps the functions to itself")
    if script := strange(facts).script:
        raise Unavailable(f"another script than TRL's reads this file: it has {script}")
    scored = facts.run.models.get("reward")
    then = "never calls them" if scored else "dies with them"
    trl = facts.environment.version("trl")
    yield Finding(
        facts.run.place("reward_funcs"),
        f"`trl {named.name}` of trl {trl} {then}: it hands {handed_on} on, not reward_funcs",
        severity="warning" if scored else None,
    )


RELEASE = {"trl": "0.19.1"}
NOT_HANDED_ON = answers(returned(), handed_on="reward_model")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=RELEASE,
            answers=NOT_HANDED_ON,
            says="`trl grpo` of trl 0.19.1 dies with them: it hands reward_model on",
        ),
        Bad(
            {**FILES, "run.json": {**RUN, "reward_model_name_or_path": "model"}},
            versions=RELEASE,
            answers=NOT_HANDED_ON,
            says="`trl grpo` of trl 0.19.1 never calls them",
            severity="warning",
        ),
        Good(
            {**FILES, "run.json": {**RUN, "system_prompt": "Think."}},
            versions=RELEASE,
            answers=NOT_HANDED_ON,
            skipped="another script than TRL's reads this file: it has system_prompt",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
