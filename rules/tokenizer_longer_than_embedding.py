"""The tokenizer has ids for which the model has no embedding.

The first text with such a token ends the job: "index out of range in self" on a CPU, a
device-side assert on a GPU, often hours in. As long as the token does not occur, nothing is said.

Remedy: resize once and train from the result:
`model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64); model.save_pretrained(f)`
and `tokenizer.save_pretrained(f)`; or take the added tokens out.

Versions: every release: none compares the two in GRPO, RLOO, SFT, DPO or Reward.

Seen: transformers#24698, trl#2293; ran: trl 0.15.2, 0.24.0 and 1.16.0: "IndexError: index out of
range in self" once the token occurs, and not a word before.
"""

from collections.abc import Iterator

from trl_doctor.checkpoint import weights
from trl_doctor.embedding import embedding_rows
from trl_doctor.facts import Facts, Unavailable
from trl_doctor.finding import Finding, Place
from trl_doctor.model_files import model_config
from trl_doctor.rule import Bad, Good, Rule
from trl_doctor.tokenizer import tokenizer

from ._examples import CONFIG, RUN, TOKENIZER, tokenizer_files


def check(facts: Facts) -> Iterator[Finding]:
    trained = facts.at(facts.run.folder_of("tokenizer"))
    known = trained[tokenizer]
    rows, source, place = _rows(facts)
    beyond = {id: token.content for id, token in sorted(known.added.items()) if id >= rows}
    if not beyond and known.length <= rows:
        return
    names = ", ".join(f"{token} ({id})" for id, token in list(beyond.items())[:5])
    more = f" and {len(beyond) - 5} more" if len(beyond) > 5 else ""
    yield Finding(
        place,
        f"the tokenizer has {known.length:,} tokens, {source} {rows:,} rows: "
        + (f"no row for {names}{more}" if beyond else "no row for the last ids"),
        evidence=(f"tokenizer: {trained.folder.label}", f"embedding: {facts.folder.label}"),
    )


def _rows(facts: Facts) -> tuple[int, str, Place]:
    stored = facts.get(weights)
    found = embedding_rows(stored) if stored else None
    if found:
        return found.rows, f"{found.tensor} in {found.file} has", Place(facts.folder.path)
    config = facts[model_config]
    for route in (("vocab_size",), ("text_config", "vocab_size")):
        size = config.get(*route)
        if isinstance(size, int):
            pointer = "/" + "/".join(route)
            return size, f"{pointer[1:]} of config.json says", Place(config.path, pointer)
    raise Unavailable("config.json gives no vocab_size, and there are no weights to count rows in")
