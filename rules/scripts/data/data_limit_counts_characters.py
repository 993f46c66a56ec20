"""A limit in tokens is used for characters.

The script keeps or drops rows by the length of their text, or cuts the text, with a limit that
counts tokens, as `max_length` does. `len` and slices of a text count characters: a token has three
or four of them in English. Rows that would fit are dropped or cut, often most of them. No error is
raised.

Remedy: count tokens: `len(tokenizer(row["text"])["input_ids"]) <= max_length`. Let the trainer cut
(`max_length`), or the tokenizer: `tokenizer(text, truncation=True, max_length=…)`.

Versions: any. Reported are comparisons of `len(row["…"])`, and slices such as `row["…"][:limit]`,
with a name that the script gives to `max_length` or a similar argument, or whose name says that it
counts tokens. Functions that also
count tokens, and columns that the script fills with tokens or lists, are left alone.

Seen: reproduced with rows of 30 to 60 tokens and a limit of 75: with characters 22 of 240 rows are
left, with tokens all of them.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.counting import characters_for_tokens

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if not (compared := facts[characters_for_tokens]):
        raise NotConcerned("the script compares no length of a text with a limit of tokens")
    for length in compared:
        if length.cuts:
            yield Finding(
                length.place,
                f"the slice takes {length.limit} characters of {length.what}, and {length.limit} "
                "counts tokens: most of a text that fits is cut off",
                remedy="cut tokens: `tokenizer(text, truncation=True, max_length=…)`",
            )
            continue
        text = length.what.removeprefix("len(").removesuffix(")")
        yield Finding(
            length.place,
            f"{length.what} counts characters, {length.limit} counts tokens: rows that fit are "
            "counted as too long",
            remedy=f'count tokens: len(tokenizer({text})["input_ids"])',
        )


def _script(condition: str, config: str = "max_length=LIMIT", before: str = "") -> dict[str, str]:
    before += f"LIMIT, MAX_TOKENS = 64, 64\nrows = rows.filter(lambda row: {condition})\n"
    return script("SFT", "model='org/m'", config, before)


TOKENS = "len(tok(row['text'])['input_ids'])"
ENCODED = "rows = rows.map(lambda row: {'query': tok.encode(row['text'])})\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("len(row['text']) <= LIMIT"),
            "train.py",
            TRL,
            says="len(row['text']) counts characters, LIMIT counts tokens",
        ),
        Bad(
            _script("MAX_TOKENS - 8 > len(row['answer'])", ""),
            "train.py",
            TRL,
            says="len(row['answer']) counts characters, MAX_TOKENS counts tokens",
        ),
        Bad(
            _script("row['text'][:MAX_TOKENS]", ""),
            "train.py",
            TRL,
            says="the slice takes MAX_TOKENS characters of row['text']",
        ),
        Bad(
            _script("len(row['text']) <= args.max_answer_tokens", ""),
            "train.py",
            TRL,
            says="args.max_answer_tokens counts tokens",
        ),
        Good(_script("len(row['text']) <= args.max_stories", ""), "train.py", TRL),
        Good(_script("row['text'][:4 * MAX_TOKENS]", ""), "train.py", TRL),
        Good(_script("tok.encode(row['text'])[:MAX_TOKENS]", ""), "train.py", TRL),
        Good(_script("len(tok(row['text'])['input_ids']) <= LIMIT"), "train.py", TRL),
        Good(_script("len(row['text']) <= 4 * LIMIT"), "train.py", TRL),
        Good(_script("len(row['text']) <= LIMIT", ""), "train.py", TRL),
        Good(_script("len(row['input_ids']) <= LIMIT"), "train.py", TRL),
        Good(_script(f"len(row['text']) <= LIMIT or {TOKENS} <= LIMIT"), "train.py", TRL),
        Good(_script("len(row['text']) <= MAX_TOKEN_CHARS", ""), "train.py", TRL),
        Good(_script("len(row['query']) <= LIMIT", before=ENCODED), "train.py", TRL),
        Good(_script("len(row['ask']) <= LIMIT", before="add = {'ask': [1]}\n"), "train.py", TRL),
    ),
)
