"""What the probes answered of healthy runs; history/record_answers.py recorded it."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from trl_doctor.core.finding import Json
from trl_doctor.core.question import T, converted

from .candidate import RUN, TOKENIZER, candidate, config_files, weights

FOLDER = Path(__file__).parent / "answers"

SMALL: dict[str, Json] = {
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
}
LAYER = "model__layers__0__"
WEIGHTS = weights(
    model__embed_tokens__weight=(8, 64),
    model__norm__weight=(64,),
    lm_head__weight=(8, 64),
    **{
        f"{LAYER}input_layernorm__weight": (64,),
        f"{LAYER}post_attention_layernorm__weight": (64,),
        f"{LAYER}self_attn__q_proj__weight": (64, 64),
        f"{LAYER}self_attn__k_proj__weight": (32, 64),
        f"{LAYER}self_attn__v_proj__weight": (32, 64),
        f"{LAYER}self_attn__o_proj__weight": (64, 64),
        f"{LAYER}mlp__gate_proj__weight": (64, 64),
        f"{LAYER}mlp__up_proj__weight": (64, 64),
        f"{LAYER}mlp__down_proj__weight": (64, 64),
    },
)
"""Of a Llama with one layer of those sizes."""

PROMPTS = [
    {"prompt": [{"role": "user", "content": text}], "solution": "bad"} for text in ("a", "c")
]
TALKS = [
    {"messages": [{"role": "user", "content": "ab"}, {"role": "assistant", "content": "cd"}]},
    {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "bcd"}]},
]
SCORE = """\
def score(completions, solution, **_):
    texts = [completion[0]["content"] for completion in completions]
    return [float(gold in text) for text, gold in zip(texts, solution)]
"""


def _run(rows: Sequence[Mapping[str, Any]], **arguments: Json) -> dict[str, Any]:
    run: dict[str, Json] = {
        **RUN,
        "dataset_name": "rows.jsonl",
        "reward_funcs": ["mine.score"],
        **arguments,
    }
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    files = candidate(run, TOKENIZER, config_files(SMALL), {"model.safetensors": WEIGHTS})
    return {**files, "rows.jsonl": lines, "mine.py": SCORE}


RUNS = {
    "grpo": _run(PROMPTS),
    "sft": _run(TALKS, trainer="sft", use_peft=True, lora_target_modules=["q_proj", "v_proj"]),
    "vllm": _run(PROMPTS, use_vllm=True, vllm_mode="colocate"),
}
"""The runs that were asked about."""


def recorded(run: str, probe: str, into: type[T]) -> T:
    """What a probe answered of one of the runs."""
    return converted(_answers(run)[probe], into)


@cache
def _answers(run: str) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((FOLDER / f"{run}.json").read_text("utf-8"))
    return answers
