"""The tokenizer names no padding token.

Some trainers then refuse the first batch that needs padding, after the model was loaded on every
GPU; others silently pad with the eos.

Remedy: name a token of the vocabulary in tokenizer_config.json: `"pad_token": "<|fim_pad|>"`. Do
not add a new token: it would need a new row in the embedding.

Versions: these use the eos instead: from trl 0.16.1 on SFT, 0.17.0 GRPO, 0.22.0 RLOO, 0.23.0
OnlineDPO, 0.24.0 DPO and Reward, 1.3.0 KTO. PPO, GKD, GOLD, ORPO, CPO, BCO and PRM refuse in every
release. Without an eos all of them refuse. The commands `trl dpo` and `trl kto` of the releases
before make the eos the pad token themselves.

Seen: trl#3287; reproduced: trl 0.12.2, 0.15.2, 0.24.0, 1.12.0 and 1.16.0: "Asking to pad but the
tokenizer does not have a padding token", "Padding is enabled, but the tokenizer is not configured
with a padding token".
"""

from collections.abc import Iterator, Sequence

from packaging.version import Version

from trl_doctor.core.finding import Finding, Place, Severity
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer_stems, trl_of
from trl_doctor.facts.special_tokens import TOKENIZER as FILE
from trl_doctor.facts.special_tokens import pad_choice, tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)
from ..._recorded.scripts import script

TAKES_EOS = {
    **{"sft": "0.16.1", "grpo": "0.17.0", "rloo": "0.22.0", "dpo": "0.24.0", "reward": "0.24.0"},
    **{"online_dpo": "0.23.0", "xpo": "0.23.0", "nash_md": "0.23.0", "kto": "1.3.0"},
}
"""The first trl whose trainer pads with the eos by default; the trainers that are not listed never
do."""

BY_COMMAND = ("dpo", "kto")
"""Trainers that refuse in older releases, where TRL's command makes the eos the pad token."""

USUAL = ("grpo", "rloo", "dpo", "kto", "reward", "gkd", "gold", "orpo", "cpo", "ppo")


def check(facts: Facts) -> Iterator[Finding]:
    view = tokenizer_facts(facts)
    model_tokenizer = view[tokenizer]
    if model_tokenizer.pad is not None or isinstance(facts.run.arguments.get("pad_token"), str):
        return
    severity, consequence = _judged(facts) if model_tokenizer.eos else ("error", _nothing(facts))
    eos = (
        f'its eos_token is "{model_tokenizer.eos.content}"'
        if model_tokenizer.eos
        else "it names no eos_token either"
    )
    pad = pad_choice.pad_choice(facts)
    free = pad is not None and not pad.ends
    if severity == "note" and not free:
        return
    choice = f"can be the pad token: {pad.token} (id {pad.id})" if pad and free else ""
    yield Finding(
        Place(view.folder.file(FILE), "/pad_token"),
        f"the tokenizer names no pad token: {consequence}",
        evidence=(eos, *filter(None, [choice])),
        fix=pad_choice.pad_fix(facts),
        severity=severity,
    )


def _judged(facts: Facts) -> tuple[Severity, str]:
    """The severity for this run, and what happens."""
    name, trl = known_trainer(facts), trl_of(facts)
    if name is None:
        return _any_trainer(trl, BY_COMMAND if facts.run.target.kind == "run" else ())
    trainer, since = TRAINERS[name].trainer, TAKES_EOS.get(name)
    if since is None:
        return "error", f"{trainer} refuses to train in every release"
    if trl is None:
        return "note", f"{trainer} before trl {since} refuses to train, later ones pad with the eos"
    if trl >= Version(since):
        return "note", f"{trainer} of trl {trl} pads with the eos"
    if name in BY_COMMAND and facts.run.target.kind == "run":
        return "note", f"`trl {name}` of trl {trl} pads with the eos"
    if name == "sft":
        return "error", f"{trainer} of trl {trl} refuses, or pads with the eos and never trains it"
    return "error", f"{trainer} of trl {trl} refuses to train"


def _any_trainer(trl: Version | None, helped: Sequence[str]) -> tuple[Severity, str]:
    """The same if the trainer is not known; `helped` are those whose command sets a pad token."""
    names = [name for name in USUAL if name not in helped]
    refusing = [n for n in names if n not in TAKES_EOS or (trl and trl < Version(TAKES_EOS[n]))]
    if trl is None:
        releases = "GRPO before trl 0.17.0, DPO and Reward before 0.24.0, KTO before 1.3.0"
        return (
            "warning",
            f"{trainer_stems(refusing)} refuse to train, {releases}; later ones use the eos",
        )
    severity: Severity = "error" if "grpo" in refusing else "warning"
    return (
        severity,
        f"with trl {trl}, {trainer_stems(refusing)} refuse to train, others take the eos",
    )


def _nothing(facts: Facts) -> str:
    name = known_trainer(facts)
    subject = TRAINERS[name].trainer if name else "every trainer"
    return f"and there is no eos to use instead, so {subject} has nothing to pad with"


BARE = tokenizer_files(pad_token=None)
NO_PAD = config_files({"pad_token_id": None}, pad_token_id=None)
FIXED = {
    "model/tokenizer_config.json": TOKENIZER["tokenizer_config.json"],
    "model/config.json": CONFIG["config.json"],
    "model/generation_config.json": CONFIG["generation_config.json"],
}
PPO = {"trainer": "ppo", "model_name_or_path": "model"}
NO_EOS = tokenizer_files(pad_token=None, eos_token=None)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"pad(ding)?[ _]token",
    examples=(
        Bad(
            candidate(RUN, BARE, NO_PAD),
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            says="GRPOTrainer of trl 0.15.2 refuses to train",
            fixed=FIXED,
        ),
        Bad(candidate(PPO, BARE, NO_PAD), versions={"trl": "1.12.0"}, says="PPO", fixed=FIXED),
        Bad(
            candidate(RUN, NO_EOS, NO_PAD),
            versions={"trl": "1.16.0"},
            says="there is no eos to use instead",
            fixed={
                **FIXED,
                "model/tokenizer_config.json": tokenizer_files(eos_token=None)[
                    "tokenizer_config.json"
                ],
            },
        ),
        Bad(
            candidate(RUN, BARE, NO_PAD),
            versions={"trl": "1.16.0"},
            says="pads with the eos",
            severity="note",
            fixed=FIXED,
        ),
        Bad(
            candidate(RUN, BARE, NO_PAD),
            target="model",
            says="GKD, GOLD, ORPO, CPO and PPO refuse to train, GRPO before trl 0.17.0",
            severity="warning",
            fixed=FIXED,
        ),
        Bad(
            {**script("DPO", "model='model'"), **candidate(RUN, BARE, NO_PAD)},
            "train.py",
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            says="DPOTrainer of trl 0.15.2 refuses to train",
            fixed=FIXED,
        ),
        Bad(
            candidate({**RUN, "trainer": "dpo"}, BARE, NO_PAD),
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            says="`trl dpo` of trl 0.15.2 pads with the eos",
            severity="note",
            fixed=FIXED,
        ),
        Good(candidate(RUN, TOKENIZER, CONFIG)),
    ),
)
