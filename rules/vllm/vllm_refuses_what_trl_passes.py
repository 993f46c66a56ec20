"""This vLLM refuses arguments that this TRL passes.

TRL calls vLLM's LLM and SamplingParams with the argument names of its own time. A name that this
vLLM no longer has, or does not have yet, ends the run at its start or at the first completion.

Remedy: install a vLLM within the range that trl supports.

Versions: trl from 0.18.0 on, vLLM from 0.10.2 on. trl before 0.27.0 passes `guided_decoding`, which
vLLM removed in 0.12.0. If vLLM is installed, its sources are read.

Seen: read from the wheels of both; they were not run together.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.library import vllm_releases
from trl_doctor.facts.library.vllm_classes import engine_arguments, sampling_arguments
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import colocated

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under


def check(facts: Facts) -> Iterator[Finding]:
    trl = colocated(facts).trl
    here = facts.environment
    for part, accepted, name in (
        ("engine", engine_arguments(here), "LLM"),
        ("sampling", sampling_arguments(here), "SamplingParams"),
    ):
        passed = vllm_releases.passed("engine" if part == "engine" else "sampling", trl)
        if lacks := sorted(passed - accepted.keys()):
            yield Finding(
                facts.run.place("use_vllm"),
                f"trl {trl} passes {', '.join(lacks)} to {name}, which vllm "
                f"{here.version('vllm')} does not accept",
                follows=("vllm-outside-trl-window",),
            )


FILES = {"run.json": RUN_VLLM, **under("model", TOKENIZER, CONFIG)}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions={"trl": "0.24.0", "vllm": "0.22.0"},
            says="trl 0.24.0 passes guided_decoding, truncate_prompt_tokens to SamplingParams",
        ),
        Good(FILES, versions={"trl": "0.24.0", "vllm": "0.10.2"}),
        Good(FILES, versions={"trl": "1.16.0", "vllm": "0.32.0"}),
        Good(FILES, versions={"trl": "1.16.0"}, skipped="the version of vLLM is not known"),
    ),
)
