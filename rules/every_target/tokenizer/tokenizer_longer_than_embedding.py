"""The tokenizer has ids that the embedding lacks.

The first text with such a token ends the job: "index out of range in self" on a CPU, a device-side
assert on a GPU, often after hours. As long as the token does not occur, there is no warning.

PPO, and RLOO before trl 0.22.0, give the policy's ids to the reward, value and reference model too:
a model with another, smaller vocabulary fails in the same way.

Remedy: resize the model once and train from the result:
`model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64); model.save_pretrained(f)` and
`tokenizer.save_pretrained(f)`; or remove the added tokens. For PPO
use a reward model that was trained with the policy's tokenizer.

Versions: every release: GRPO, RLOO, PPO, SFT, DPO and Reward never compare the two.

Seen: transformers#24698, trl#2293; reproduced: trl 0.15.2, 0.24.0 and 1.16.0: "IndexError: index
out of range in self" once the token occurs, and no warning before. PPO of trl 0.12.2 with a reward
model of 64 tokens (trl#3595), and with a policy of 64 (trl#2641): the same error.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.vocabulary_rows import row_count, stored_row_count
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Role
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.tokenizer.changed import place_of_adding

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    config_files,
    tokenizer_files,
    under,
    weights,
)

SHARES = Version("0.22.0")
"""From this trl on RLOO gives texts to the reward model, not ids."""
RESIZE = (
    "call `model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)` behind it, on the "
    "model that the trainer is given; or leave the tokens out. For vLLM save model and tokenizer "
    "to a folder first, and train from it: the engine reads the files."
)
OTHERS: tuple[Role, ...] = ("reward", "value", "reference")


def check(facts: Facts) -> Iterator[Finding]:
    yield from _others(facts)
    view = facts.at(facts.run.folder_of("tokenizer"))
    model_tokenizer = view[tokenizer]
    size = row_count(facts)
    rows = size.rows
    beyond = {
        id: token.content for id, token in sorted(model_tokenizer.added.items()) if id >= rows
    }
    if not beyond and model_tokenizer.length <= rows:
        return
    names = ", ".join(f"{token} ({id})" for id, token in list(beyond.items())[:5])
    more = f" and {len(beyond) - 5} more" if len(beyond) > 5 else ""
    added = place_of_adding(view, model_tokenizer.token(rows))
    yield Finding(
        added or size.place,
        f"the tokenizer has {model_tokenizer.length:,} tokens, but {size.source} {rows:,} rows: "
        + (f"no row for {names}{more}" if beyond else "no row for the last ids"),
        evidence=(f"tokenizer: {view.folder.label}", f"embedding: {facts.folder.label}"),
        remedy=RESIZE if added else "",
    )


def _others(facts: Facts) -> Iterator[Finding]:
    """The models that PPO gives the policy's ids to."""
    run, trl = facts.run, facts.environment.version("trl")
    name = getattr(run.trainer, "name", "")
    if name != "ppo" and not (name == "rloo" and trl and trl < SHARES):
        return
    vocabulary = facts.at(run.folder_of("tokenizer")).get(tokenizer)
    for model in (run.models.get(role) for role in OTHERS):
        if vocabulary is None or model is None or isinstance(model.folder, Unavailable):
            continue
        size = facts.at(model.folder).get(stored_row_count)
        if size and size.rows < vocabulary.length:
            yield Finding(
                model.place,
                f"the tokenizer has {vocabulary.length:,} tokens, but the {model.role} model "
                f"{model.name} has rows for {size.rows:,}, and it is given the policy's ids",
            )


SCRIPT = """\
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer
tokenizer = AutoTokenizer.from_pretrained("model")
ADDED
trainer = SFTTrainer("model", args=SFTConfig("out"), train_dataset=rows, processing_class=tokenizer)
"""
PPO: dict[str, Json] = {
    "trainer": "ppo",
    "model_name_or_path": "model",
    "reward_model_path": "model",
    "value_model_name_or_path": "model",
}
LOOP = "for n in range(3):\n    tokenizer.add_tokens(f'<new_{n}>')"
LIST = "tokenizer.add_tokens([f'<new_{n}>' for n in ('a', 'b')])"
LONG = tokenizer_files(*(f"<new_{number}>" for number in range(2)))
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="index out of range in self",
    examples=(
        Bad(
            {"run.json": RUN, **under("model", LONG, CONFIG)},
            says="the tokenizer has 10 tokens, but vocab_size of config.json says 8 rows: "
            "no row for <new_0> (8), <new_1> (9)",
        ),
        Bad(
            {
                "run.json": RUN,
                **under("model", TOKENIZER, CONFIG),
                "model/model.safetensors": weights(model__embed_tokens__weight=(6, 2)),
            },
            says="model.embed_tokens.weight in model.safetensors has 6 rows",
        ),
        Bad(
            {"train.py": SCRIPT.replace("ADDED", LOOP), **under("model", TOKENIZER, CONFIG)},
            "train.py",
            says="no row for <new_0> (8), <new_1> (9), <new_2> (10)",
        ),
        Bad(
            {"train.py": SCRIPT.replace("ADDED", LIST), **under("model", TOKENIZER, CONFIG)},
            "train.py",
            says="no row for <new_a> (8), <new_b> (9)",
        ),
        Bad(
            {
                "run.json": {**PPO, "reward_model_path": "small"},
                **under("model", TOKENIZER, CONFIG),
                **under("small", config_files({"vocab_size": 4})),
            },
            versions={"trl": "0.12.2"},
            says="the tokenizer has 8 tokens, but the reward model small has rows for 4",
        ),
        Good({"run.json": PPO, **under("model", TOKENIZER, CONFIG)}, versions={"trl": "0.12.2"}),
        Good({"run.json": RUN, **under("model", TOKENIZER, CONFIG)}),
    ),
)
