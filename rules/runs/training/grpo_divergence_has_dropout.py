"""Dropout moves GRPO's policy away from its reference.

With `beta` above 0, GRPO adds the divergence between policy and reference model to its loss. The
policy is in training mode, with dropout, the reference is not. So the divergence is not 0 before
the first update, and a part of each gradient only makes the model less sensitive to dropout.

Remedy: `disable_dropout: true`, or load the model without dropout: `model_init_kwargs:
{attn_pdrop: 0.0, …}` with each key that the finding names. `disable_dropout` does nothing for OPT,
which calls a function.

Versions: since GRPOConfig has `disable_dropout`, which is false by default.

Seen: reproduced with GRPO of trl 1.16.0 and a small GPT-2 with its own 0.1: with `beta=0.04` the
divergence of the first step is above 1e-5; with `disable_dropout=True` it is 0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.command_model import LOADING
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library import releases
from trl_doctor.facts.model.dropout import OFF, dropout
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of

from ..._recorded.candidate import RUN, TOKENIZER, candidate, config_files


def check(facts: Facts) -> Iterator[Finding]:
    trainer, arguments = known_to_trl(facts)
    if trainer.name != "grpo" or OFF not in arguments.config:
        raise NotConcerned("only GRPO compares so, in newer releases")
    default = releases.default(trl, trainer.config, "beta") if (trl := trl_of(facts)) else None
    beta = facts.run.number("beta", float(default or 0))
    if beta and (found := dropout(facts)):
        yield Finding(
            found.place,
            f"dropout ({found.shown}) makes the policy differ from its reference before the first "
            f"update, and beta {beta:g} punishes that",
            fix=found.fix,
            remedy=f"set {OFF}: true, or {found.remedy.removeprefix('set ')}",
        )


GRPO: dict[str, Json] = {**RUN, "trainer": "grpo", "beta": 0.04}
GPT2 = config_files({"model_type": "gpt2", "attn_pdrop": 0.1, "resid_pdrop": 0.1})
ZERO: dict[str, Json] = {"attn_pdrop": 0.0, "resid_pdrop": 0.0}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(GRPO, TOKENIZER, GPT2),
            versions=TRL,
            says="dropout (attn_pdrop 0.1, resid_pdrop 0.1) makes the policy differ",
            fixed={"run.json": {**GRPO, LOADING: ZERO}},
        ),
        Good(candidate({**GRPO, OFF: True}, TOKENIZER, GPT2), versions=TRL),
        Good(candidate({**GRPO, "beta": 0.0}, TOKENIZER, GPT2), versions=TRL),
        Good(candidate(GRPO, TOKENIZER, config_files()), versions=TRL),
        Good(candidate({**GRPO, "trainer": "rloo"}, TOKENIZER, GPT2), versions=TRL),
    ),
)
