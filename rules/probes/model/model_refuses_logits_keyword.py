"""The model refuses a keyword that the trainer passes to it.

The forward pass of every training step raises a TypeError. This mostly affects models with code of
their own: their forward has the arguments that its author needed, and the trainer passes more.

Remedy: add `**kwargs`, or this keyword, to the model's forward. trl from 0.20.0 on passes
logits_to_keep only if the forward accepts it, and from 1.15.0 on never.

Versions: trl 0.14.0 passes num_logits_to_keep, 0.15.0 to 0.19.1 logits_to_keep, to every model.
GPT-2 refuses the first up to transformers 4.47.

Seen: reproduced: a model with its own code with trl 0.15.2 and transformers 4.48.3, in the first
step.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.forward import forward, trainer_named
from trl_doctor.facts.measured.forward_place import place
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.forward import answer

REFUSAL = "got an unexpected keyword argument"


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[forward]
    if not answer.error.startswith("TypeError") or REFUSAL not in answer.error:
        return
    keyword = answer.error.partition(REFUSAL)[2].strip(" '")
    yield Finding(
        place(facts),
        f"{answer.architecture} does not accept {keyword}: "
        f"{trainer_named(facts)} fails in its first step",
        (f"{answer.called}: {answer.error}", f"raised at {answer.at}"),
    )


REFUSED = answer(
    "OwnForCausalLM",
    "logits_to_keep",
    error="TypeError: OwnForCausalLM.forward() got an unexpected keyword argument 'logits_to_keep'",
    at="torch/nn/modules/module.py:1790 in _call_impl",
)
TAKEN = answer("Qwen2ForCausalLM", "logits_to_keep", returned=6, wrong_by=0.0)
OTHER = answer("GPT2LMHeadModel", "logits_to_keep", returned=12, error="RuntimeError: sizes differ")
FILES = candidate(RUN, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="logits_to_keep",
    examples=(
        Bad(
            FILES,
            versions={"trl": "0.15.2"},
            answers=REFUSED,
            says="OwnForCausalLM does not accept logits_to_keep: GRPOTrainer of trl 0.15.2 fails",
        ),
        Good(FILES, versions={"trl": "0.17.0"}, answers=TAKEN),
        Good(FILES, versions={"trl": "0.19.1"}, answers=OTHER),
    ),
)
