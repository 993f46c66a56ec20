"""The prompt alone shows the label.

All prompts of the wanted answers begin in one way, and no prompt of the others does: they have a
system message, or an instruction at the front. KTO compares each answer with its prompt. It makes
the wanted answers likelier behind one kind of prompt, and the others less likely behind the other
kind. Behind the prompts that the model gets later, the unwanted answers stay as likely as before.

Remedy: begin all prompts alike, as they will begin later.

Versions: KTO and BCO of every trl. Local files of rows are examined, their first 20,000 rows,
and in a rehearsal the rows that the trainer gets; from 16 rows on, with 6 of each label.

Seen: reproduced with KTO of trl 1.16.0: the prompts of wanted answers alone have a system message.
Behind such a prompt the unwanted answers do not become less likely; where all prompts have it, they
do.
"""

from collections.abc import Iterator
from itertools import takewhile

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, many_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("kto", "bco")
FEWEST, EACH = 16, 6
"""Rows that tell something, and those of each label."""

WORDS, DIFFERENT = 4, 6
"""Words of a beginning that is no chance, and the different prompts that have it, at least."""

SYSTEM = "system"


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("only KTO and BCO learn from a label")
    prompts: dict[bool, list[Json]] = {True: [], False: []}
    for row in many_rows(facts):
        label, prompt = row.get("label"), row.get("prompt")
        if not isinstance(label, bool) or not isinstance(prompt, str | list):
            return
        prompts[label].append(prompt)
    few = min(map(len, prompts.values())) < EACH or sum(map(len, prompts.values())) < FEWEST
    for label in () if few else (True, False):
        begins = _begins(prompts[label], prompts[not label])
        if begins:
            yield Finding(
                facts.run.place(data_key(facts)),
                f"all {len(prompts[label])} prompts with the label {str(label).lower()} begin with "
                f"{begins} in {file_name(facts)}, and none of the {len(prompts[not label])} others",
                remedy="begin the prompts of both labels alike",
            )
            return


def _begins(prompts: list[Json], others: list[Json]) -> str:
    """How these prompts begin, if none of the others does so; else ""."""
    if all(map(_has_system, prompts)) and not any(map(_has_system, others)):
        return "a system message"
    texts, other_texts = [*map(_text, prompts)], [*map(_text, others)]
    if len(set(texts)) < DIFFERENT or len(set(other_texts)) < DIFFERENT:
        return ""
    common = _common(texts)
    common = common[: max(common.rfind(" "), common.rfind("\n")) + 1].strip()
    if len(common.split()) < WORDS or any(text.startswith(common) for text in other_texts):
        return ""
    return repr(excerpt(common))


def _common(texts: list[str]) -> str:
    """What all of them begin with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(texts), max(texts), strict=False))
    return "".join(one for one, _ in same)


def _has_system(prompt: Json) -> bool:
    first = prompt[0] if isinstance(prompt, list) and prompt else None
    return isinstance(first, dict) and first.get("role") == SYSTEM


def _text(prompt: Json) -> str:
    """The beginning of a prompt."""
    first = prompt[0] if isinstance(prompt, list) and prompt else prompt
    return str(first.get("content") if isinstance(first, dict) else first)


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
TOLD = '{"role": "system", "content": "Be short."}, '


def _rows(wanted: str, other: str, rows: int = 8) -> dict[str, Json]:
    row = '{{"prompt": {}, "completion": "So.", "label": {}}}\n'
    both = (
        row.format(wanted.replace("#", str(n)), "true")
        + row.format(other.replace("#", str(n)), "false")
        for n in range(rows)
    )
    return {"run.json": KTO, "rows.jsonl": "".join(both)}


def _talk(before: str = "") -> str:
    return f'[{before}{{"role": "user", "content": "What is #?"}}]'


PLAIN, INSTRUCTED = '"# of them, why?"', '"You are a good helper. # of them, why?"'
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _rows(_talk(TOLD), _talk()),
            says="all 8 prompts with the label true begin with a system message in rows.jsonl, and "
            "none of the 8 others",
        ),
        Bad(_rows(_talk(), _talk(TOLD)), says="the label false begin with a system message"),
        Bad(_rows(INSTRUCTED, PLAIN), says="begin with 'You are a good helper.' in rows.jsonl"),
        Good(_rows(_talk(TOLD), _talk(TOLD))),
        Good(_rows(_talk(), _talk())),
        Good(_rows(INSTRUCTED, INSTRUCTED)),
        Good(_rows(PLAIN, PLAIN)),
        Good(_rows(_talk(TOLD), _talk(), 5)),
        Good({**_rows(_talk(TOLD), _talk()), "run.json": {**KTO, "trainer": "sft"}}),
    ),
)
