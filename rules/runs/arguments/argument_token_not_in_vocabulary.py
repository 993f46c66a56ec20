"""eos_token or pad_token is not in the vocabulary.

The trainer looks the token up and fails when it is created: "The specified `eos_token`
('<EOS_TOKEN>') is not found in the vocabulary". Unsloth's `<EOS_TOKEN>` appears if trl is imported
before unsloth.

Remedy: use a token of the tokenizer, or remove the argument.

Versions: SFT from trl 0.19.0 on, DPO and the reward trainer from 0.24.0 on; read in the sources of
0.19.1, 0.24.0 and 1.16.0.

Seen: unsloth#2797. Reproduced with SFT with `eos_token="<EOS_TOKEN>"`, trl 0.19.1 and 1.16.0, and
with such a `pad_token`, 1.16.0: they fail with this error; with a token of the vocabulary they
train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files

KEYS = ("eos_token", "pad_token")
FROM = {"sft": Version("0.19.0"), "dpo": Version("0.24.0"), "reward": Version("0.24.0")}


def check(facts: Facts) -> Iterator[Finding]:
    run, trl, name = facts.run, trl_of(facts), known_trainer(facts) or ""
    if name not in FROM or (trl is not None and trl < FROM[name]):
        raise NotConcerned("this trainer looks up no tokens by name")
    named_tokens = {key: value for key in KEYS if isinstance(value := run.arguments.get(key), str)}
    if not named_tokens:
        raise NotConcerned("the run names no tokens")
    model_tokenizer = tokenizer_facts(facts)[tokenizer]
    for key, token in named_tokens.items():
        if model_tokenizer.vocabulary.id(token) is None:
            near = similar(token, model_tokenizer.special)
            yield Finding(
                run.place(key),
                f"{key} is {token!r:.60}, which is not in the tokenizer's vocabulary: "
                f"{getattr(run.trainer, 'trainer', 'the trainer')} fails when it is created",
                evidence=(f"most like it: {near[0]}",) if near else (),
            )


SFT: dict[str, Json] = {**RUN, "trainer": "sft"}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**SFT, "eos_token": "<EOS_TOKEN>"}, CONFIG, tokenizer_files()),
            versions=TRL,
            says="eos_token is '<EOS_TOKEN>', which is not in the tokenizer's vocabulary",
        ),
        Good(
            candidate({**SFT, "eos_token": "<|im_end|>"}, CONFIG, tokenizer_files()), versions=TRL
        ),
        Good(candidate(SFT, CONFIG, tokenizer_files()), versions=TRL),
    ),
)
