"""The padding token is the eos.

A trainer that treats every pad id as padding also hides the real eos: the model never learns to
stop, or the reward is read at the wrong position. There is no error, and the loss looks normal.

Remedy: use another token of the vocabulary as padding token, or upgrade trl.

Versions: SFT before trl 0.16.1, GKD and GOLD before 1.9.0, OnlineDPO before 0.23.0, RLOO before
0.22.0, PPO, XPO and Nash-MD in every release. DPO, KTO, GRPO and all later releases are not
affected.

Seen: trl#1623, trl#6357; reproduced: SFT of trl 0.15.2 has a label for 0 of 4 eos tokens, and for 4
with another pad token; GKD of 1.8.0 trains 0 of 2 ends that the student generates; PPO of 1.12.0
masks the eos of each prompt.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Severity
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer_stems, trl_of
from trl_doctor.facts.special_tokens import pad_choice, tokenizer_facts
from trl_doctor.facts.special_tokens.padding_masks import Masks, masks
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)


def check(facts: Facts) -> Iterator[Finding]:
    model_tokenizer = tokenizer_facts(facts)[tokenizer]
    pad, eos = model_tokenizer.pad, model_tokenizer.eos
    if pad is None or eos is None or (pad.content, pad.id) != (eos.content, eos.id):
        return
    hurt, fix = masks(facts), _fix(facts)
    name = known_trainer(facts)
    if not hurt and name:
        raise NotConcerned(f"{TRAINERS[name].trainer} distinguishes padding from the eos")
    if not hurt or (name is None and fix is None):
        return
    yield Finding(
        pad.place,
        f'pad_token is the eos "{eos.content}": {_consequence(facts, hurt)}',
        evidence=(f"both have id {pad.id}",),
        fix=fix,
        severity=_severity(facts, hurt),
    )


def _fix(facts: Facts) -> Fix | None:
    """Another pad token; None also where what the files of the model say is not known."""
    try:
        return pad_choice.pad_fix(facts, eos=False)
    except Unavailable:
        return None


def _consequence(facts: Facts, hurt: list[Masks]) -> str:
    trl, names = trl_of(facts), [mask.trainer for mask in hurt]
    if known_trainer(facts) is None and trl:
        return f"with trl {trl}, {trainer_stems(names)} treat it as padding"
    if known_trainer(facts) is None:
        always = trainer_stems([mask.trainer for mask in hurt if not mask.fixed])
        return f"{always} treat it as padding, SFT before trl 0.16.1 and GKD before 1.9.0 too"
    (mask,) = hurt
    before = f" of trl {trl}" if trl else f" before trl {mask.fixed}" if mask.fixed else ""
    return f"{TRAINERS[mask.trainer].trainer}{before} {mask.hides}"


def _severity(facts: Facts, hurt: list[Masks]) -> Severity:
    """An error if this run is affected; less if the trainer or its release is not known."""
    trl = trl_of(facts)
    if known_trainer(facts) is not None:
        return "error" if trl or not hurt[0].fixed else "note"
    return "warning" if trl and hurt[0].trainer == "sft" else "note"


SAME = tokenizer_files(pad_token="<|im_end|>")
FIXED = {f"model/{name}": content for name, content in {**TOKENIZER, **CONFIG}.items()}
SAME_IDS = config_files({"pad_token_id": 6}, pad_token_id=6)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**RUN, "trainer": "sft"}, SAME, SAME_IDS),
            versions={"trl": "0.15.2"},
            says="SFTTrainer of trl 0.15.2 hides it from the loss",
            fixed=FIXED,
        ),
        Bad(candidate({**RUN, "trainer": "ppo"}, SAME, SAME_IDS), says="PPO", fixed=FIXED),
        Bad(
            candidate(RUN, SAME, SAME_IDS),
            target="model",
            says="XPO, NashMD and PPO treat it as padding",
            severity="note",
            fixed=FIXED,
        ),
        Good(candidate({**RUN, "trainer": "sft"}, SAME, SAME_IDS), versions={"trl": "0.16.1"}),
        Good(candidate(RUN, SAME, SAME_IDS), versions={"trl": "0.15.2"}),
        Good(candidate({**RUN, "trainer": "ppo"}, TOKENIZER, CONFIG)),
    ),
)
