"""The model ignores how many logits the trainer asks for.

The trainer asks only for the logits of the completion. A forward that accepts any keyword but does
not know this one also returns those of the prompt. Some releases of trl cut them off, and only
memory is lost; others pair completion tokens with prompt positions, or fail in the first step.

Remedy: upgrade trl: from 0.20.0 on it passes the keyword only to models that know it.

Versions: trl 0.14.0 trains on wrong log-probabilities; 0.15.0 to 0.18.2 cut what comes back; 0.19.0
and 0.19.1 fail in float32. Which models ignore it changes with transformers: Qwen2 and Llama know
num_logits_to_keep up to 4.51 and logits_to_keep from 4.49 on, GPT-2 neither before 4.53.

Seen: trl#2770; reproduced: Qwen2 with trl 0.14.0 and transformers 4.53.3, GPT-2 with 0.19.1 and
4.51.3, Qwen2 with 0.15.2 and 4.48.3.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.sizes import GIB
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.forward import WRONG, Forward, forward, logits, trainer_named
from trl_doctor.facts.measured.forward_place import place
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.forward import answer

MUCH, WORTH_A_NOTE = GIB, GIB // 10
"""Below this size the finding is a note."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[forward]
    if not answer.swallowed:
        return
    does = f"{answer.architecture} ignores {answer.keyword}={answer.kept} and returns all positions"
    name = trainer_named(facts)
    if answer.error:
        yield Finding(place(facts), f"{does}: {name} fails in its first step", _evidence(answer))
    elif answer.wrong_by is None or answer.wrong_by > WRONG:
        trains = f"{name} trains on log-probabilities of the wrong tokens"
        yield Finding(place(facts), f"{does}: {trains}", _evidence(answer))
    elif (more := facts[logits].all - facts[logits].of_completions) >= WORTH_A_NOTE:
        yield _cost(facts, more / GIB, does, name)


def _evidence(answer: Forward) -> tuple[str, ...]:
    came = (
        f"{answer.called} returned {answer.returned} of {answer.positions} "
        f"positions instead of {answer.kept}"
    )
    if answer.error:
        return came, f"{answer.error} ({answer.at})"
    return came, f"on random weights they are wrong by up to {answer.wrong_by} nats"


def _cost(facts: Facts, more: float, does: str, name: str) -> Finding:
    sizes = facts[logits]
    return Finding(
        place(facts),
        f"{does}, which {name} cuts off again: {more:.1f} GiB more in every forward pass",
        (
            f"{sizes.all / GIB:.1f} GiB of float32 logits, "
            f"{sizes.of_completions / GIB:.1f} GiB needed: "
            f"{sizes.rows} rows of {sizes.prompt} + {sizes.completion} tokens, "
            f"{sizes.vocabulary:,} logits each",
        ),
        severity="warning" if more * GIB >= MUCH else "note",
    )


SILENT = answer("Qwen2ForCausalLM", "num_logits_to_keep", returned=12, wrong_by=4.4087)
DIES = answer(
    "GPT2LMHeadModel",
    "logits_to_keep",
    returned=12,
    error="RuntimeError: The size of tensor a (5) must match the size of tensor b (11) at "
    "non-singleton dimension 1",
    at="trl/trainer/utils.py:1772 in selective_log_softmax",
)
CUT = answer("Qwen2ForCausalLM", "logits_to_keep", returned=12, wrong_by=0.0)
LARGE = answer("Qwen2ForCausalLM", "logits_to_keep", returned=12, wrong_by=0.0, vocabulary=151936)
KEPT = answer("Qwen2ForCausalLM", "logits_to_keep", returned=6, wrong_by=0.0)
NOTHING = answer("Qwen2ForCausalLM", None, returned=None, wrong_by=0.0)
FILES = candidate(RUN, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="size of tensor",
    examples=(
        Bad(
            FILES,
            versions={"trl": "0.14.0"},
            answers=SILENT,
            says="GRPOTrainer of trl 0.14.0 trains on log-probabilities of the wrong tokens",
        ),
        Bad(
            FILES,
            versions={"trl": "0.19.1"},
            answers=DIES,
            says="ignores logits_to_keep=6 and returns all positions: "
            "GRPOTrainer of trl 0.19.1 fails",
        ),
        Bad(
            FILES,
            versions={"trl": "0.15.2"},
            answers=LARGE,
            severity="warning",
            says="2.3 GiB more in every forward pass",
        ),
        Good(FILES, versions={"trl": "0.15.2"}, answers=CUT),
        Good(FILES, versions={"trl": "0.17.0"}, answers=KEPT),
        Good(FILES, versions={"trl": "1.16.0"}, answers=NOTHING),
        Good(FILES, versions={"trl": "0.15.2"}, skipped="no answers of probes"),
    ),
)
