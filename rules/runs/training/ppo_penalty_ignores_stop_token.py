"""missing_eos_penalty looks for another token than the stop.

The penalty is for responses that do not end. PPOTrainer and the old RLOOTrainer look for the
tokenizer's eos in them, even if the run stops at another token: every response gets the penalty,
also the finished ones, and the penalty teaches nothing.

Remedy: stop at the eos (`stop_token: eos`), or make the stop token the tokenizer's eos_token.

Versions: PPO of trl 0.12.0 to 1.12.0, the last with PPO; RLOO before 0.22.0.

Seen: trl#3750; reproduced with trl 0.12.2 and 1.12.0 with a policy that always generates its stop
token, a reward of 0 and a penalty of 1: the score is -1 if the stop token is not the eos, 0 if it
is. With RLOO of trl 0.14.0 that stops at `}`, rewards above 0 and a penalty of 1000, the mean score
of the responses is -679.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, Remove, pointer
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.ppo import release
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, TOKENIZER, candidate

PENALTY, STOP, ID = "missing_eos_penalty", "stop_token", "stop_token_id"
NEW_RLOO = Version("0.22.0")
"""The first release whose RLOOTrainer has no stop token."""


def _release(facts: Facts) -> Version:
    """The target's trl. Raises `NotConcerned` for a trainer without this penalty."""
    if known_trainer(facts) != "rloo":
        return release(facts)
    trl = trl_of(facts)
    if trl is None or trl >= NEW_RLOO:
        raise NotConcerned("RLOOTrainer of this release has no stop token")
    return trl


def check(facts: Facts) -> Iterator[Finding]:
    trl, run = _release(facts), facts.run
    penalty, id = run.number(PENALTY), run.number(ID)
    if not penalty or id is None or run.arguments.get(STOP) is not None:
        return
    eos = facts.at(run.folder_of("tokenizer"))[tokenizer].eos
    if eos is None or eos.id is None:
        raise Unavailable("the tokenizer's eos is not known")
    if eos.id == id:
        return
    file = run.target.path
    trainer = TRAINERS[known_trainer(facts) or "ppo"].trainer
    edits = (Remove(file, pointer(ID)), Put(file, pointer(STOP), "eos"))
    yield Finding(
        run.place(PENALTY),
        f"{PENALTY} takes {penalty:g} from each response without {eos.content} ({eos.id}), but "
        f"responses stop at {id:g}: {trainer} of trl {trl} punishes finished responses too",
        fix=Fix("stop at the eos instead", edits, safe=False),
    )


RUN: dict[str, Json] = {"trainer": "ppo", "model_name_or_path": "model", PENALTY: 1.0}
FILES = (TOKENIZER, CONFIG)
LAST = {"trl": "1.12.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**RUN, ID: 4}, *FILES),
            versions=LAST,
            says="missing_eos_penalty takes 1 from each response without <|im_end|> (6), but "
            "responses stop at 4: PPOTrainer of trl 1.12.0",
            fixed={"run.json": {**RUN, STOP: "eos"}},
        ),
        Bad(
            candidate({**RUN, "trainer": "rloo", ID: 4}, *FILES),
            versions={"trl": "0.15.2"},
            says="RLOOTrainer of trl 0.15.2 punishes finished responses too",
            fixed={"run.json": {**RUN, "trainer": "rloo", STOP: "eos"}},
        ),
        Good(candidate({**RUN, "trainer": "rloo", ID: 4}, *FILES), versions={"trl": "1.16.0"}),
        Good(candidate({**RUN, ID: 6}, *FILES), versions=LAST),
        Good(candidate({**RUN, STOP: "eos"}, *FILES), versions=LAST),
        Good(candidate({**RUN, ID: 4, PENALTY: None}, *FILES), versions=LAST),
        Good(candidate({**RUN, "trainer": "grpo", ID: 4}, *FILES)),
    ),
)
