"""TRL's own script ignores the reward functions.

The script of some releases collects the reward functions and then passes only the reward model to
the trainer. Without a reward model the run fails when it starts; with one it trains, but never
calls the functions: their names are not in the log.

Remedy: install trl 0.24.0 or newer, whose script calls them, or start the run from a script of your
own.

Versions: trl 0.19.0 and 0.19.1; for other releases the rule reads the installed script.

Seen: reproduced with `python -m trl.scripts.grpo` of trl 0.19.1: reward_funcs alone:
"UnboundLocalError: cannot access local variable 'reward_model'"; with a reward model: one step,
rewarded by the model alone. The script of trl 0.24.0 trains with the functions.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import unknown_arguments
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.by_class:
        raise NotConcerned("the script hands its reward functions to the trainer itself")
    trainer_gets, trainer = facts[rewards].measured.trainer_gets, facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer_gets in (None, "reward_funcs"):
        raise NotConcerned("only releases of trl whose script ignores the functions are affected")
    if script := unknown_arguments(facts).script:
        raise Unavailable(f"the run file is for another script than TRL's: it has {script}")
    scored = facts.run.models.get("reward")
    then = "never calls them" if scored else "fails with them"
    trl = facts.environment.version("trl")
    yield Finding(
        facts.run.place("reward_funcs"),
        f"`trl {trainer.name}` of trl {trl} {then}: it passes {trainer_gets} to the "
        "trainer, not reward_funcs",
        severity="warning" if scored else None,
    )


RELEASE = {"trl": "0.19.1"}
NOT_HANDED_ON = answers(returned(), trainer_gets="reward_model")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=RELEASE,
            answers=NOT_HANDED_ON,
            says="`trl grpo` of trl 0.19.1 fails with them: it passes reward_model to the trainer",
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
            skipped="the run file is for another script than TRL's: it has system_prompt",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
