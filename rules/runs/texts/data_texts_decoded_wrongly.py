"""Texts were read with the wrong encoding.

A file in UTF-8 was read as Latin-1 or Windows-1252, or the other way round and written again: `ü`
became `Ã¼`, `’` became `â€™`. The model learns these signs, cuts them into many tokens, and writes
them in its answers. No error is raised.

Remedy: read the file with `encoding="utf-8"`. If the file itself has such signs,
`text.encode("cp1252").decode("utf-8")` restores it, or the package `ftfy` does.

Versions: every trl. Signs that are UTF-8 if they are read as Windows-1252 are reported from two
rows on, in local files and, in a rehearsal, in the rows as the trainer gets them.

Seen: reproduced with SFT of trl 1.16.0: `open(…, encoding="latin-1")` on a file in UTF-8; the rows
of the trainer have `KÃ¶ln`.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.texts import rows_with
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rows import asking

HIGH = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
"""What Windows-1252 reads for bytes from 0x80 to 0x9f; Latin-1 reads controls."""

AFTER = f"[\x80-\xbf{HIGH}]"
SIGNS = re.compile(f"(?:[ÂÃÄÅÎÏÐÑ×ØÙ]{AFTER}|[âãäåæçèé]{AFTER}{{2}}|ð{AFTER}{{3}})")
"""Two to four bytes of one character of UTF-8, each read as a character."""

SHOWN = 40
"""Characters of a word that a finding shows: texts without spaces are one word."""

FEWEST = 2
"""Rows that have it, at least: one may quote it."""


def check(facts: Facts) -> Iterator[Finding]:
    rows = facts[own_rows]
    having = [(row, word) for row, match in rows_with(facts, SIGNS) if (word := _restored(match))]
    if len(having) >= FEWEST:
        row, (read, meant) = having[0]
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{len(having)} of {len(rows)} rows of {file_name(facts)} were read with the wrong "
            f"encoding, first row {row}: {read[:SHOWN]!r} is {meant[:SHOWN]!r}",
            remedy='read the file with encoding="utf-8"',
        )


def _restored(match: re.Match[str]) -> tuple[str, str] | None:
    """The word, and the one that its bytes are in UTF-8; None if they are none."""
    text, begin, end = match.string, match.start(), match.end()
    while begin and not text[begin - 1].isspace():
        begin -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    word = text[begin:end]
    try:
        return word, b"".join(map(_bytes, word)).decode()
    except UnicodeDecodeError:
        return None


def _bytes(char: str) -> bytes:
    """The byte that was read as a character; of others those of UTF-8."""
    for encoding in ("latin-1", "cp1252"):
        try:
            return char.encode(encoding)
        except UnicodeEncodeError:
            continue
    return char.encode()


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            asking("Wo liegt KÃ¶ln?"),
            says="2 of 2 rows of rows.jsonl were read with the wrong encoding, first row 1: "
            "'KÃ¶ln?' is 'Köln?'",
        ),
        Bad(asking("It isnâ€™t so."), says="'isnâ€™t' is 'isn’t'"),
        Bad(asking("Ð¿Ñ€Ð¸Ð²ÐµÑ‚"), says="is 'привет'"),
        Good(asking("Wo liegt Köln? SÃO PAULO, à côté, naïve, 5 × 3 ≥ 10, “so”")),
        Good(asking("Wo liegt KÃ¶ln?", 1)),
    ),
)
