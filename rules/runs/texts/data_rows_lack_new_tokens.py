"""Rows were tokenized before new tokens were added.

The script tokenizes its rows and adds tokens to the tokenizer after that. The texts of the new
tokens are in the rows in pieces, as they were before: the new rows of the embeddings never learn.
At inference the same texts become the new tokens, which the model has never seen. No error is
raised.

Remedy: add the tokens before `map` tokenizes the rows. If `map` read its result from the cache,
nothing else has to be done: the changed tokenizer gives it a new fingerprint.

Versions: any. Only a rehearsal sees it: it reads the trainer's own rows with the tokenizer that the
trainer gets.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: `<think>` is three ids in each row, and one id
in the tokenizer that is saved.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import listed
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Examples, Rule

WHAT = "added tokens in pieces"


def check(facts: Facts) -> Iterator[Finding]:
    for mistake in rehearsal(facts).mistakes:
        if mistake.what == WHAT:
            tokens = listed(list(mistake.words))
            yield Finding(
                facts.run.place(),
                f"the rows have {tokens} in pieces: they were tokenized before these tokens were "
                "added",
                remedy="add the tokens before the rows are tokenized",
            )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the rows have <think> and </think> in pieces: they were tokenized before these tokens"
    return mistake(WHAT, ("<think>", "</think>"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
