"""The tokenizer names no eos token.

Most trainers fail without it, with an error that names something else, and only after the first
batch was generated. The others train no end of an answer.

Remedy: name the token that ends a turn or a text in tokenizer_config.json: `"eos_token":
"<|im_end|>"`. An eos_token_id in config.json is not used for this.

Versions: GRPO, RLOO, OnlineDPO, PPO, ORPO and CPO in every release; on conversations DPO before trl
0.27.2 and KTO before 1.3.0; on plain text DPO and KTO in every release, SFT from
0.17.0 on, the reward trainer from 0.24.0 on (a BERT's tokenizer has none: `"eos_token": "[SEP]"`).

Seen: reproduced: trl 0.15.2, 0.24.0, 1.12.0 and 1.16.0: "'bool' object has no attribute 'size'",
"'NoneType' object cannot be interpreted as an integer", "endswith first arg must be str", "Could
not infer dtype of NoneType".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Place, Severity
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import TOKENIZER as FILE
from trl_doctor.facts.special_tokens import (
    generation_stop_ids,
    token_edits,
    tokenizer_facts,
    turn_ends,
)
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate, tokenizer_files

DIE = frozenset({"grpo", "rloo", "online_dpo", "xpo", "nash_md", "ppo", "orpo", "cpo"})
DIED = {"dpo": "0.27.2", "kto": "1.3.0"}
"""The first trl in which a trainer works without an eos on conversations."""
REWARD_APPENDS = Version("0.24.0")
"""The first trl known to append the eos to the texts of a reward model."""


def check(facts: Facts) -> Iterator[Finding]:
    scores = _appended_by_reward_trainer(facts)
    if not scores:
        turn_ends.concerned(facts)
    view = tokenizer_facts(facts)
    model_tokenizer = view[tokenizer]
    if model_tokenizer.eos is not None or isinstance(facts.run.arguments.get("eos_token"), str):
        return
    if "mask_token" in model_tokenizer.roles and not scores:
        raise NotConcerned("the tokenizer is an encoder's: it has a mask_token")
    ids = turn_ends.shown_ids(facts, generation_stop_ids(facts))
    severity, consequence = (None, _fails(facts)) if scores else _judged(facts)
    yield Finding(
        Place(view.folder.file(FILE), "/eos_token"),
        f"the tokenizer names no eos token: {consequence}",
        evidence=(f"the model's own files stop at {ids}",) if ids != "none" else (),
        fix=_separator(facts) if scores else _fix(facts),
        severity=severity,
    )


def _appended_by_reward_trainer(facts: Facts) -> bool:
    """Whether RewardTrainer appends the eos to the run's texts: it does not to conversations."""
    trl = trl_of(facts)
    new = trl is None or trl >= REWARD_APPENDS
    return new and known_trainer(facts) == "reward" and turn_ends.data_kind(facts) == "text"


def _fails(facts: Facts) -> str:
    name, trl = known_trainer(facts), trl_of(facts)
    return f"{TRAINERS[str(name)].trainer}{f' of trl {trl}' if trl else ''} fails"


def _judged(facts: Facts) -> tuple[Severity | None, str]:
    name, trl, data = known_trainer(facts), trl_of(facts), turn_ends.data_kind(facts)
    if name is None:
        return "warning", "GRPO, RLOO, PPO and ORPO fail, SFT and DPO fail on plain text"
    trainer = f"{TRAINERS[name].trainer}{f' of trl {trl}' if trl else ''}"
    appends = name in DIED or (name == "sft" and (trl is None or trl >= Version("0.17.0")))
    old = name in DIED and trl is not None and trl < Version(DIED[name])
    if name in DIE or old or (appends and data == "text"):
        return None, f"{trainer} fails"
    if appends and data == "open":
        return "warning", f"{trainer} fails if the data are plain text"
    return "warning", f"{trainer} trains no end of an answer"


def _separator(facts: Facts) -> Fix | None:
    """Name the token that ends a text in an encoder's tokenizer."""
    separator = tokenizer_facts(facts)[tokenizer].roles.get("sep_token")
    if separator is None or separator.id is None:
        return None
    edits = token_edits(facts, "eos", separator.content, separator.id)
    return Fix(f'set eos_token to "{separator.content}"', edits, safe=False)


def _fix(facts: Facts) -> Fix | None:
    """Name the token that ends a turn, or the single token at which the model's files stop
    generation."""
    try:
        turn = turn_ends.turn(facts)
        token, id = (None, None) if turn.ends_others else (turn.token, turn.id)
    except Unavailable:
        token = id = None
    contents, ids = facts.get(turn_ends.trained_tokens) or {}, generation_stop_ids(facts)
    if token is None and len(ids) == 1:
        token, id = contents.get(ids[0]), ids[0]
    if token is None or id is None:
        return None
    return Fix(f'set eos_token to "{token}"', token_edits(facts, "eos", token, id))


NO_EOS = tokenizer_files(eos_token=None)
FIXED = {"model/tokenizer_config.json": TOKENIZER["tokenizer_config.json"]}
SFT = {**RUN, "trainer": "sft"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(candidate(RUN, NO_EOS, CONFIG), says="GRPOTrainer fails", fixed=FIXED),
        Bad(
            candidate({**SFT, "dataset_format": "text"}, NO_EOS, CONFIG),
            versions={"trl": "1.16.0"},
            says="SFTTrainer of trl 1.16.0 fails",
            fixed=FIXED,
        ),
        Bad(candidate(SFT, NO_EOS, CONFIG), severity="warning", fixed=FIXED),
        Good(candidate({**RUN, "trainer": "reward"}, NO_EOS, CONFIG)),
        Bad(
            candidate({**RUN, "trainer": "reward", "dataset_format": "text"}, NO_EOS, CONFIG),
            versions={"trl": "1.16.0"},
            says="RewardTrainer of trl 1.16.0 fails",
        ),
        Good(
            candidate({**RUN, "trainer": "reward", "dataset_format": "text"}, NO_EOS, CONFIG),
            versions={"trl": "0.19.0"},
        ),
        Good(candidate(RUN, TOKENIZER, CONFIG)),
    ),
)
