"""PPO's missing_eos_penalty looks for another token.

The penalty is for responses that do not end. PPOTrainer looks for the tokenizer's eos in them, even
if the run stops at another token: every response gets the penalty, also the finished ones, and the
penalty teaches nothing.

Remedy: stop at the eos (`stop_token: eos`), or make the stop token the tokenizer's eos_token.

Versions: trl 0.12.0 to 1.12.0, the last with PPO.

Seen: trl#3750; reproduced with trl 0.12.2 and 1.12.0 with a policy that always generates its stop
token, a reward of 0 and a penalty of 1: the score is -1 if the stop token is not the eos, 0 if it
is.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, Remove, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.ppo import release
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, TOKENIZER, candidate

PENALTY, STOP, ID = "missing_eos_penalty", "stop_token", "stop_token_id"


def check(facts: Facts) -> Iterator[Finding]:
    trl, run = release(facts), facts.run
    penalty, id = run.number(PENALTY), run.number(ID)
    if not penalty or id is None or run.arguments.get(STOP) is not None:
        return
    eos = facts.at(run.folder_of("tokenizer"))[tokenizer].eos
    if eos is None or eos.id is None:
        raise Unavailable("the tokenizer's eos is not known")
    if eos.id == id:
        return
    file = run.target.path
    edits = (Remove(file, pointer(ID)), Put(file, pointer(STOP), "eos"))
    yield Finding(
        run.place(PENALTY),
        f"responses stop at {id:g}, and PPOTrainer of trl {trl} takes {penalty:g} from each that "
        f"has no {eos.content} ({eos.id}): finished responses are punished too",
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
            says="responses stop at 4, and PPOTrainer of trl 1.12.0 takes 1 from each that has no "
            "<|im_end|> (6)",
            fixed={"run.json": {**RUN, STOP: "eos"}},
        ),
        Good(candidate({**RUN, ID: 6}, *FILES), versions=LAST),
        Good(candidate({**RUN, STOP: "eos"}, *FILES), versions=LAST),
        Good(candidate({**RUN, ID: 4, PENALTY: None}, *FILES), versions=LAST),
        Good(candidate({**RUN, "trainer": "grpo", ID: 4}, *FILES)),
    ),
)
