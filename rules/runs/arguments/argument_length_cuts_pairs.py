"""max_length cuts both answers of a pair by the longer one.

If the prompt and the longer answer do not fit into `max_length`, CPO and ORPO of these releases
keep only `max_length` minus the length of the longer answer, of both answers. If the longer answer
alone does not fit, that is negative: the shorter answer becomes empty, without a warning. SimPO
then has a loss of NaN.

Remedy: raise `max_length` above the longest row, or leave longer rows out.

Versions: trl 0.28.0 to 1.14.

Seen: trl#6548. Reproduced with CPO (simpo) of trl 1.12.0 and `max_length: 64`: no token of the
rejected answers is trained; with 1024 all are. The line is in the sources of 0.28.0, 1.3.0, 1.13.0
and 1.14.0, and not in 1.15.0.
"""

from collections.abc import Iterator
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.sizes import row_sizes
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

FIRST, FIXED = Version("0.28.0"), Version("1.15.0")
KEY, USUAL = "max_length", 1024


def check(facts: Facts) -> Iterator[Finding]:
    run, trl = facts.run, trl_of(facts)
    trainer = known_trainer(facts)
    if trainer not in ("cpo", "orpo") or trl is None or not FIRST <= trl < FIXED:
        raise NotConcerned("only CPO and ORPO of trl 0.28.0 to 1.14 cut pairs like that")
    limit = int(run.number(KEY, USUAL) or USUAL)
    sizes = facts[row_sizes]
    long = [row for row in sizes if row.whole > limit]
    emptied = [row for row in long if row.longest - row.shortest > limit]
    if long:
        yield Finding(
            run.place(KEY),
            f"{KEY} is {limit}, and {len(long)} of the first {len(sizes)} rows have more words: "
            f"{trainer.upper()} of trl {trl} cuts both answers of such a row"
            + (", the shorter one to nothing" if emptied else ""),
            severity=None if len(emptied) * 2 > len(sizes) else "warning",
        )


ORPO: dict[str, Json] = {"trainer": "orpo", "dataset_name": "rows.jsonl", KEY: 64}
THEN = {"trl": "1.12.0", "transformers": "5.23.0"}


def files(words: int, run: dict[str, Json] = ORPO) -> dict[str, Any]:
    long = " ".join(["good"] * words)
    row = f'{{"prompt": "Is it?", "chosen": "{long}", "rejected": "No."}}\n'
    return {"run.json": run, "rows.jsonl": row * 4}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            files(100),
            versions=THEN,
            says="max_length is 64, and 4 of the first 4 rows have more words: ORPO of trl 1.12.0",
        ),
        Bad(
            files(63),
            versions=THEN,
            says="cuts both answers of such a row",
            severity="warning",
        ),
        Good(files(20), versions=THEN),
        Good(files(100), versions={"trl": "1.16.0", "transformers": "5.23.0"}),
        Good(files(100, {**ORPO, "trainer": "dpo"}), versions=THEN),
        Good({"run.json": ORPO}, versions=THEN, skipped="rows.jsonl"),
    ),
)
