"""Prompts are cut to max_prompt_length.

The trainer keeps the last `max_prompt_length` tokens of a prompt, 512 by default, and there is no
warning. A longer prompt begins in the middle of a sentence: its system text and the beginning of
the question are gone. GRPO of trl 0.24 and 0.25 keeps the first tokens, if it does not generate
with vLLM: then the question is gone, and no assistant's turn is opened. The model is trained and
rewarded on questions that nobody asks.

Remedy: set `max_prompt_length` above the longest prompt, or to null; or leave longer rows out.

Versions: GRPO to trl 0.25, DPO to 0.28; newer releases have no such argument, or do not read it.
Each word is counted as one token, so only prompts that are surely too long are reported. Local JSON
files are examined, and in a rehearsal the rows that the trainer gets. A step, also that of a
rehearsal, counts the tokens that the model is asked.

Seen: reproduced with GRPO of trl 0.15.2 and a limit of 32: the ids that are given to `generate`
begin with "y and we go out", and have no system text. unsloth#3971: with 0.24.0 they end with
"careful assistant. Think ", and have no question; the source of 0.25.1 says the same.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
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

KEEPS_FIRST = Version("0.24.0")
"""From this release on GRPO lets the tokenizer cut, which keeps the first tokens."""

BEGINNINGS = "they lose their beginnings"
ENDS = "they lose their ends, where the question is and the assistant's turn opens"


def check(facts: Facts) -> Iterator[Finding]:
    trl, (first, free) = trl_of(facts), KEEPS.get(known_trainer(facts) or "", (None, None))
    if trl is None or first is None or free is None or not first <= trl < free:
        raise NotConcerned("this trainer does not cut prompts")
    arguments = facts.run.arguments
    if KEY in arguments and arguments[KEY] is None:
        raise NotConcerned(f"{KEY} is null: prompts are not cut")
    limit = whole_argument(facts, KEY, 512)
    asked = _asked(facts)
    rows = facts[own_rows] if asked is None else facts.get(own_rows) or []
    words = [words_of(row.get("prompt")) for row in rows]
    long = [number for number in words if number > limit]
    stated, lost = "" if KEY in arguments else " by default", _lost(facts, trl)
    if long:
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is {limit}{stated}, and {len(long)} of the first {len(rows)} prompts of "
            f"{file_name(facts)} are longer: {lost}",
            (f"the longest has {max(long)} words",),
        )
    elif asked is not None and asked >= limit:
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is {limit}{stated}, and the model is asked prompts of just as many tokens: "
            f"longer prompts are cut, and {lost}",
        )


def _asked(facts: Facts) -> int | None:
    """The tokens of the longest prompt that a step asked the model; None if there was none."""
    measured = facts.get(stepped)
    if measured is None or measured.completions is None or measured.rows_from == "made":
        return None
    return measured.completions.longest_prompt or None


def _lost(facts: Facts, trl: Version) -> str:
    """What a prompt loses; vLLM keeps the last tokens in every release."""
    first = known_trainer(facts) == "grpo" and trl >= KEEPS_FIRST
    return ENDS if first and not facts.run.flag("use_vllm") else BEGINNINGS


GRPO: dict[str, Json] = {"trainer": "grpo", "dataset_name": "rows.jsonl"}
SHORT = '{"prompt": "a word"}\n'
LONG = '{{"prompt": [{{"role": "user", "content": "{}"}}]}}\n'.format("a word " * 300)
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}


def examples() -> tuple[Bad | Good, ...]:
    """Runs whose prompts are longer than the limit, and runs whose are not."""
    from dataclasses import replace

    from ..._recorded.step import COMPLETIONS, answered, well

    def asked(tokens: int, rows_from: str = "own") -> Any:
        step = well(completions=replace(COMPLETIONS, longest_prompt=tokens), rows_from=rows_from)
        return answered(completions=step.completions, rows_from=rows_from)

    limited: dict[str, Json] = {**GRPO, KEY: 16}
    short: dict[str, Any] = {"run.json": limited, "rows.jsonl": SHORT}
    return (
        Bad(
            {"run.json": GRPO, "rows.jsonl": LONG * 2},
            versions=OLD,
            says="max_prompt_length is 512 by default, and 2 of the first 2 prompts of rows.jsonl "
            "are longer: they lose their ends",
        ),
        Bad(
            {"run.json": GRPO, "rows.jsonl": LONG * 2},
            versions={"trl": "0.23.1", "transformers": "4.57.6"},
            says="are longer: they lose their beginnings",
        ),
        Bad(
            {"run.json": {**GRPO, "use_vllm": True}, "rows.jsonl": LONG * 2},
            versions=OLD,
            says="are longer: they lose their beginnings",
        ),
        Good({"run.json": {**GRPO, KEY: 1024}, "rows.jsonl": LONG}, versions=OLD),
        Good({"run.json": {**GRPO, KEY: None}, "rows.jsonl": LONG}, versions=OLD),
        Good({"run.json": GRPO, "rows.jsonl": LONG}, versions={"trl": "1.16.0"}),
        Good({"run.json": GRPO}, versions=OLD, skipped="rows.jsonl"),
        Bad(
            short,
            versions=OLD,
            answers=asked(16),
            says="the model is asked prompts of just as many tokens: longer prompts are",
        ),
        Good(short, versions=OLD, answers=asked(15)),
        Good(short, versions=OLD, answers=asked(16, "made")),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
