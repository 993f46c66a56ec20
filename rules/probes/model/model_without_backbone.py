"""The model has no backbone that returns hidden states.

From trl 1.15.0 on the trainers read the hidden states of `model.base_model` and multiply them with
the output layer themselves. If base_model_prefix names no part of the model, base_model is the
model itself, which returns logits: the first step fails.

Remedy: in the model's class set `base_model_prefix` to the name of the part that returns
last_hidden_state, or install trl 1.14.2.

Versions: trl 1.15.0 and later: GRPO, RLOO, SFT, DPO and KTO.

Seen: reproduced, with trl 1.16.0 and transformers 5.23.0: a model with its own code, which trains
with 0.24.0; Llama4ForCausalLM and Mllama's text model, of all decoders of that transformers.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.forward import forward, trainer_named
from trl_doctor.facts.measured.forward_place import place
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.forward import answer


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[forward]
    if answer.has_backbone or not answer.error or answer.keyword:
        return
    yield Finding(
        place(facts),
        f"{answer.architecture} has no backbone at {answer.base!r} that returns hidden states: "
        f"{trainer_named(facts)} fails in its first step",
        (f"{answer.called}: {answer.error}", f"raised at {answer.at}"),
    )


METHOD = "GRPOTrainer._get_per_token_logps_and_entropies"
WITHOUT = answer(
    "OwnForCausalLM",
    None,
    hidden=False,
    prefix="body",
    called=METHOD,
    error="AttributeError: 'CausalLMOutput' object has no attribute 'last_hidden_state'",
    at="trl/trainer/utils.py:1618 in _fused_forward",
)
WITH = answer("Qwen2ForCausalLM", None, wrong_by=0.0, called=METHOD)
OLDER = answer("OwnForCausalLM", None, hidden=False, prefix="body", wrong_by=0.0, called=METHOD)
FILES = candidate(RUN, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="last_hidden_state",
    examples=(
        Bad(
            FILES,
            versions={"trl": "1.16.0"},
            answers=WITHOUT,
            says="has no backbone at 'body' that returns hidden states: GRPOTrainer of trl 1.16.0",
        ),
        Good(FILES, versions={"trl": "1.16.0"}, answers=WITH),
        Good(FILES, versions={"trl": "0.24.0"}, answers=OLDER),
    ),
)
