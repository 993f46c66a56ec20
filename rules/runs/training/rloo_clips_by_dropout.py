"""Dropout makes RLOO clip completions before the first update.

RLOO computes the log-probabilities of a completion twice: after generation, and for the loss. Both
times the model is in training mode, and dropout is different each time. The ratio of the two is
then not 1 even before the first update. RLOO takes the ratio of the whole completion, so the
differences of all tokens add up, completions are clipped, and clipped completions give no gradient.

Remedy: load the model without dropout: `model_init_kwargs: {attn_pdrop: 0.0, …}` with each key that
the finding names. `disable_dropout: true` does the same for models with dropout modules (GPT-2),
but not for OPT, which calls a function.

Versions: since RLOOConfig has `disable_dropout`, which is false by default; older releases switch
dropout off.

Seen: reproduced with `trl rloo` of 1.16.0 and 0.24.0, GPT-2 with its own 0.1: 12 % to 25 % of the
completions clipped in the first step and a loss of -0.01 to 0.08; without dropout 0 % and a loss of
2e-7. OPT the same. With two completions of three tokens both were clipped: no gradient at all.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.command_model import LOADING
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.model.dropout import OFF, dropout
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import RUN, TOKENIZER, candidate, config_files


def check(facts: Facts) -> Iterator[Finding]:
    trainer, arguments = known_to_trl(facts)
    if trainer.name != "rloo" or OFF not in arguments.config:
        raise NotConcerned("only RLOO computes these log-probabilities twice, in newer releases")
    if found := dropout(facts):
        yield Finding(
            found.place,
            f"dropout ({found.shown}) changes the log-probabilities that RLOO compares: "
            "completions are clipped before the first update",
            fix=found.fix,
            remedy=found.remedy,
        )


RLOO: dict[str, Json] = {**RUN, "trainer": "rloo"}
GPT2 = config_files({"model_type": "gpt2", "attn_pdrop": 0.1, "resid_pdrop": 0.1})
OPT = config_files({"model_type": "opt", "dropout": 0.1})
ZERO: dict[str, Json] = {"attn_pdrop": 0.0, "resid_pdrop": 0.0}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(RLOO, TOKENIZER, GPT2),
            versions=TRL,
            says="dropout (attn_pdrop 0.1, resid_pdrop 0.1)",
            fixed={"run.json": {**RLOO, LOADING: ZERO}},
        ),
        Bad(
            candidate({**RLOO, OFF: True}, TOKENIZER, OPT),
            versions=TRL,
            says="dropout (dropout 0.1)",
            fixed={"run.json": {**RLOO, OFF: True, LOADING: {"dropout": 0.0}}},
        ),
        Good(candidate({**RLOO, OFF: True}, TOKENIZER, GPT2), versions=TRL),
        Good(candidate(RLOO, TOKENIZER, config_files()), versions=TRL),
        Good(candidate(RLOO, TOKENIZER, GPT2), versions={"trl": "0.19.1"}),
        Good(candidate({**RLOO, "trainer": "grpo"}, TOKENIZER, GPT2), versions=TRL),
    ),
)
