"""The tokenizer has ids that the embedding lacks.

The first text with such a token ends the job: "index out of range in self" on a CPU, a device-side
assert on a GPU, often after hours. As long as the token does not occur, there is no warning.

Remedy: resize the model once and train from the result:
`model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64); model.save_pretrained(f)` and
`tokenizer.save_pretrained(f)`; or remove the added tokens.

Versions: every release: GRPO, RLOO, SFT, DPO and Reward never compare the two.

Seen: transformers#24698, trl#2293; reproduced: trl 0.15.2, 0.24.0 and 1.16.0: "IndexError: index
out of range in self" once the token occurs, and no warning before.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.vocabulary_rows import row_count

from ._recorded.candidate import CONFIG, RUN, TOKENIZER, tokenizer_files, under, weights


def check(facts: Facts) -> Iterator[Finding]:
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
    yield Finding(
        size.place,
        f"the tokenizer has {model_tokenizer.length:,} tokens, but {size.source} {rows:,} rows: "
        + (f"no row for {names}{more}" if beyond else "no row for the last ids"),
        evidence=(f"tokenizer: {view.folder.label}", f"embedding: {facts.folder.label}"),
    )


SCRIPT = """\
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer
tokenizer = AutoTokenizer.from_pretrained("model")
ADDED
trainer = SFTTrainer("model", args=SFTConfig("out"), train_dataset=rows, processing_class=tokenizer)
"""
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
        Good({"run.json": RUN, **under("model", TOKENIZER, CONFIG)}),
    ),
)
