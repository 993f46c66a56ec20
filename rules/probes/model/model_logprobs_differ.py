"""The trainer's log-probabilities are not the model's.

From trl 1.15.0 on the trainers multiply the hidden states with the output layer themselves. If a
model applies something more around that layer (a cap, a scale, a dense layer), trl has to know it.
If trl does not, there is no error: the loss belongs to another distribution than the one from which
the model generates, in training and in the reference model.

Remedy: install trl 1.14.2, and for SFT set `loss_type: nll`: then the logits are the model's own.

Versions: trl 1.15.0 and later: GRPO, RLOO, SFT, DPO and KTO. SFT from 1.4.0 on with the loss
chunked_nll, which is the default from 1.7.0 on. 1.16.0 recognises the caps and scales of Gemma,
Cohere, Granite and others by the names of their settings.

Seen: tested 143 decoders of transformers 5.23.0 with GRPO of trl 1.16.0: RecurrentGemma and xLSTM
(a cap that has another name), Inkling, ModernBERT's decoder, and RoFormer and BERT-like decoders (a
dense layer) are off by several nats; RecurrentGemma is right with trl 1.14.2, 1.12.0 and 0.24.0.
SFT of it with 1.12.0, on sharp logits: a loss of 310 instead of 27, and 27 with `loss_type: nll`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Put
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.forward import WRONG, forward, trainer_named
from trl_doctor.facts.measured.forward_place import place
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.forward import answer


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[forward]
    if answer.swallowed or answer.wrong_by is None or answer.wrong_by <= WRONG:
        return
    apart = f"{answer.wrong_by:.1f} nats apart"
    yield Finding(
        place(facts),
        f"{trainer_named(facts)} computes other log-probabilities than "
        f"{answer.architecture} gives: "
        + (f"{apart} on average" if answer.called == CHUNKED else f"up to {apart}"),
        (
            f"measured: {answer.called}, with random weights and the settings of config.json",
            "compared with: log_softmax of the logits of the model's own forward",
        ),
        fix=_own_loss(facts)
        if answer.called == CHUNKED and facts.run.target.kind == "run"
        else None,
    )


def _own_loss(facts: Facts) -> Fix:
    place = facts.run.place("loss_type")
    return Fix("set loss_type to nll, the model's own", (Put(place.file, "/loss_type", "nll"),))


CHUNKED = "chunked_nll"
"""The first loss of SFT that trl computes from hidden states itself."""

OWN = "the model's own loss"
METHOD = "GRPOTrainer._get_per_token_logps_and_entropies"
CAPPED = answer("RecurrentGemmaForCausalLM", None, wrong_by=10.9717, called=METHOD)
KNOWN = answer("Gemma2ForCausalLM", None, wrong_by=0.0, called=METHOD)
OLDER = answer(
    "RecurrentGemmaForCausalLM", "logits_to_keep", returned=6, wrong_by=0.0, called=METHOD
)
SWALLOWED = answer("Qwen2ForCausalLM", "num_logits_to_keep", returned=12, wrong_by=4.4087)
DIES = answer("OwnForCausalLM", None, called=METHOD, error="AttributeError: no last_hidden_state")
FILES = candidate(RUN, TOKENIZER, CONFIG)
SFT_RUN = {**RUN, "trainer": "sft"}
SFT = candidate(SFT_RUN, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions={"trl": "1.16.0"},
            answers=CAPPED,
            says="GRPOTrainer of trl 1.16.0 computes other log-probabilities than "
            "RecurrentGemmaForCausalLM gives: up to 11.0 nats apart",
        ),
        Bad(
            SFT,
            versions={"trl": "1.12.0"},
            answers=answer("RecurrentGemmaForCausalLM", None, wrong_by=7.2, called=CHUNKED),
            says="SFTTrainer of trl 1.12.0 computes other log-probabilities",
            fixed={"run.json": {**SFT_RUN, "loss_type": "nll"}},
            fixed_answers=answer("RecurrentGemmaForCausalLM", None, called=OWN),
        ),
        Good(FILES, versions={"trl": "1.16.0"}, answers=KNOWN),
        Good(FILES, versions={"trl": "1.12.0"}, answers=OLDER),
        Good(FILES, versions={"trl": "0.14.0"}, answers=SWALLOWED),
        Good(FILES, versions={"trl": "1.16.0"}, answers=DIES),
    ),
)
