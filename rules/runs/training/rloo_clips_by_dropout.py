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

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.command_model import LOADING
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import RUN, TOKENIZER, candidate, config_files

KEYS = ("attn_pdrop", "embd_pdrop", "resid_pdrop", "dropout", "attention_dropout", "hidden_dropout")
"""The probabilities in config.json that decoders use between their layers."""

OFF = "disable_dropout"


def check(facts: Facts) -> Iterator[Finding]:
    trainer, arguments = known_to_trl(facts)
    if trainer.name != "rloo" or OFF not in arguments.config:
        raise NotConcerned("only RLOO computes these log-probabilities twice, in newer releases")
    config, loading = facts[model_config], facts.run.arguments.get(LOADING)
    stated = {**config.mapping(), **(loading if isinstance(loading, dict) else {})}
    drops = {key: stated[key] for key in KEYS if _above_zero(stated.get(key))}
    if facts.run.flag(OFF):
        drops = {key: value for key, value in drops.items() if key == "dropout"}
    if not drops:
        return
    shown = ", ".join(f"{key} {value}" for key, value in drops.items())
    yield Finding(
        Place(config.path, f"/{next(iter(drops))}"),
        f"dropout ({shown}) changes the log-probabilities that RLOO compares: completions are "
        "clipped before the first update",
        fix=_fix(facts, loading, list(drops)),
        remedy=f"set {LOADING}: {{{', '.join(f'{key}: 0.0' for key in drops)}}}",
    )


def _above_zero(value: Json) -> bool:
    return isinstance(value, float) and value > 0


def _fix(facts: Facts, loading: Json, keys: list[str]) -> Fix | None:
    """Load the model without dropout, where the run's file has the options of loading, or none."""
    if facts.run.by_class or not isinstance(loading, dict | None):
        return None
    value: Json = {**(loading or {}), **dict.fromkeys(keys, 0.0)}
    edit = Put(facts.run.target.path, pointer(LOADING), value)
    return Fix("load the model without dropout", (edit,), safe=False)


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
