"""Prompts lose their beginnings to max_prompt_length.

The trainer keeps the last `max_prompt_length` tokens of a prompt, 512 by default, and there is no
warning. A longer prompt begins in the middle of a sentence: its system text and the beginning of
the question are gone. The model is trained and rewarded on questions that nobody asks.

Remedy: set `max_prompt_length` above the longest prompt, or to null; or leave longer rows out.

Versions: GRPO to trl 0.25, DPO to 0.28; newer releases have no such argument, or do not read it.
Each word is counted as one token, so only prompts that are surely too long are reported. Local JSON
files are examined, and in a rehearsal the rows that the trainer gets.

Seen: reproduced with GRPO of trl 0.15.2 and 0.24.0 and a limit of 32: the ids that are given to
`generate` begin with "y and we go out", and have no system text.
"""

from collections.abc import Iterator, Mapping

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import file_name, own_rows
from trl_doctor.facts.rows.sizes import words_of
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.training.generations import whole_argument

KEY = "max_prompt_length"
KEEPS: Mapping[str, tuple[Version, Version]] = {
    "grpo": (Version("0.14.0"), Version("0.26.0")),
    "dpo": (Version("0.12.0"), Version("0.29.0")),
}
"""The first release of each trainer that cuts prompts so, and the first that does not."""


def check(facts: Facts) -> Iterator[Finding]:
    trl, (first, free) = trl_of(facts), KEEPS.get(known_trainer(facts) or "", (None, None))
    if trl is None or first is None or free is None or not first <= trl < free:
        raise NotConcerned("this trainer does not cut prompts")
    arguments = facts.run.arguments
    if KEY in arguments and arguments[KEY] is None:
        raise NotConcerned(f"{KEY} is null: prompts are not cut")
    limit = whole_argument(facts, KEY, 512)
    rows = facts[own_rows]
    words = [words_of(row.get("prompt")) for row in rows]
    long = [number for number in words if number > limit]
    if long:
        stated = "" if KEY in arguments else " by default"
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is {limit}{stated}, and {len(long)} of the first {len(rows)} prompts of "
            f"{file_name(facts)} are longer: they lose their beginnings",
            (f"the longest has {max(long)} words",),
        )


GRPO: dict[str, Json] = {"trainer": "grpo", "dataset_name": "rows.jsonl"}
LONG = '{{"prompt": [{{"role": "user", "content": "{}"}}]}}\n'.format("a word " * 300)
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": GRPO, "rows.jsonl": LONG * 2},
            versions=OLD,
            says="max_prompt_length is 512 by default, and 2 of the first 2 prompts of rows.jsonl",
        ),
        Good({"run.json": {**GRPO, KEY: 1024}, "rows.jsonl": LONG}, versions=OLD),
        Good({"run.json": {**GRPO, KEY: None}, "rows.jsonl": LONG}, versions=OLD),
        Good({"run.json": GRPO, "rows.jsonl": LONG}, versions={"trl": "1.16.0"}),
        Good({"run.json": GRPO}, versions=OLD, skipped="rows.jsonl"),
    ),
)
