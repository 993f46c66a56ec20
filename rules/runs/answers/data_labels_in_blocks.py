"""All rows of one label come before those of the other.

KTO and BCO read the rows in their order and do not shuffle them. If the rows are sorted by their
label, or come in blocks of one label, the model first learns from wanted answers alone, for many
steps, and then unlearns from the others. The rewards of both kinds are never in one batch, KTO's KL
term is that of one kind alone, and the log shows no margin.

Pairs (`chosen` and `rejected`) are always such rows: `unpair_preference_dataset`, which the
trainers also call themselves, writes the chosen answers of 1,000 pairs and then their rejected
ones.

Remedy: shuffle the rows before the trainer gets them: `dataset.shuffle(seed=42)`. Make rows of
pairs first: `unpair_preference_dataset(dataset).shuffle(seed=42)`.

Versions: KTO and BCO of every trl. Local files of rows are examined, their first 20,000 rows,
what a script calls, and in a rehearsal the rows that the trainer gets. Not reported: rows that all
fit into one step, blocks that are shorter than a step, and classes with a sampler of their own.

Seen: axolotl#2040, LlamaFactory#4045. Reproduced with KTO of trl 1.16.0 on rows that
`concatenate_datasets` joined: each batch has one label alone, and the log has no `rewards/margins`;
shuffled, they have both. With 12 pairs and a batch of four, KTO of trl 1.16.0 and 0.24.0 and BCO of
1.12.0 and 0.24.0 take three steps with `rewards/chosen` alone, then three with `rewards/rejected`.
"""

from collections.abc import Iterator
from itertools import groupby
from math import comb

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rows.own import data_key, file_name, many_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer
from trl_doctor.facts.script.passed import chain

from ..._recorded.scripts import LOCAL, script

ORDERS = frozenset({"shuffle", "train_test_split", "sort", "interleave_datasets"})
"""Functions of data sets after which their rows stand in another order."""

UNPAIRS = "unpair_preference_dataset"
OWN_ORDER = ("_get_train_sampler", "get_train_dataloader")
AT_ONCE = 1000
"""Pairs that `map` hands to a function in a batch."""

FEWEST, BLOCK = 12, 4
"""Rows that tell something, and the least of one label: a mixed order is rarely like that."""

MOST, RARE = 0.8, 1e-3
"""The share of batches with one label that is reported, and how rarely a mixed order has it."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("kto", "bco"):
        raise NotConcerned("only KTO and BCO read their rows in their order")
    run = facts.run
    if run.flag("shuffle_dataset"):
        raise NotConcerned("the run shuffles its rows")
    if run.script.passed and any(name in run.script.passed.methods for name in OWN_ORDER):
        raise NotConcerned("the script's own class draws the rows")
    given = run.script.value("train_dataset")
    calls = [call.short for call in chain(given)]
    if UNPAIRS in calls and not ORDERS & {*calls[: calls.index(UNPAIRS)]}:
        yield Finding(
            run.place("train_dataset"),
            f"{UNPAIRS} puts all chosen answers before the rejected ones, and {trainer(facts)} "
            "does not shuffle them",
            remedy=f"shuffle them: {UNPAIRS}(…).shuffle(seed=42)",
        )
        return
    exact = rehearsed(facts)
    if UNPAIRS in calls and not exact:
        raise NotConcerned("the script puts its rows into another order")
    rows = list(many_rows(facts))
    pairs = bool(rows) and "label" not in rows[0] and {"chosen", "rejected"} <= {*rows[0]}
    if not exact and not pairs and ORDERS & {*calls}:
        raise NotConcerned("the script puts its rows into another order")
    step = int(run.number("per_device_train_batch_size", 8) or 8)
    step *= int(run.number("gradient_accumulation_steps", 1) or 1)
    if words := _in_blocks(_unpaired(len(rows)) if pairs else _labels(rows), step):
        subject = "rows that the trainer makes of the pairs" if pairs else "rows"
        yield Finding(
            run.place(data_key(facts)),
            f"the {subject} of {file_name(facts)} {words}, and {trainer(facts)} does not shuffle "
            "them",
            remedy=f"shuffle them: {f'{UNPAIRS}(' * pairs}dataset{')' * pairs}.shuffle(seed=42)",
        )


def _unpaired(count: int) -> list[bool]:
    """The labels of so many pairs after TRL has made two rows of each."""
    parts = [min(AT_ONCE, count - at) for at in range(0, count, AT_ONCE)]
    return [label for part in parts for label in [True] * part + [False] * part]


def _labels(rows: list[dict[str, Json]]) -> list[bool]:
    """The labels in the order of the rows; none if one is no label."""
    labels = [row.get("label") for row in rows]
    known = all(label in (True, False) for label in labels)
    return [bool(label) for label in labels] if known else []


def _in_blocks(labels: list[bool], step: int) -> str:
    """How rows are in blocks of one label, as a clause; "" if each step may have both labels."""
    blocks = [(str(label).lower(), len([*same])) for label, same in groupby(labels)]
    if len(blocks) < 2 or len(labels) <= step:
        return ""
    (first, count), (other, rest), *more = blocks
    least = min(count, rest)
    if not more and least >= BLOCK and (len(labels) >= FEWEST or least >= step):
        return f"are sorted by their label: {count} rows with {first}, then {rest} with {other}"
    batches = [labels[at : at + step] for at in range(0, len(labels) - step + 1, step)]
    alone = sum(len({*batch}) == 1 for batch in batches)
    if alone < MOST * len(batches) or _chance(alone, len(batches), _share(labels, step)) > RARE:
        return ""
    return (
        f"come in {len(blocks)} blocks of one label: {alone} of {len(batches)} steps of {step} "
        "rows have one label alone"
    )


def _share(labels: list[bool], step: int) -> float:
    """The share of steps with one label in rows that were shuffled."""
    ones, rows = sum(labels), len(labels)
    return (comb(ones, step) + comb(rows - ones, step)) / comb(rows, step)


def _chance(least: int, tries: int, share: float) -> float:
    """The probability of at least so many of the tries."""
    many = range(least, tries + 1)
    return sum(comb(tries, n) * share**n * (1 - share) ** (tries - n) for n in many)


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
SMALL: dict[str, Json] = {**KTO, "per_device_train_batch_size": 4}
WANTED = '{"prompt": "Why?", "completion": "So.", "label": true}\n'
OTHER = WANTED.replace("true", "false")
PAIR = '{"prompt": "Why?", "chosen": "So.", "rejected": "No."}\n'
SORTED = {"rows.jsonl": WANTED * 8 + OTHER * 8}
PAIRED = {"rows.jsonl": PAIR * 20}
SHUFFLED = "rows = rows.shuffle(seed=3)\n"
UNPAIRED = "from trl import unpair_preference_dataset\nrows = unpair_preference_dataset(rows)\n"
OWN = "class Own(KTOTrainer):\n    def get_train_dataloader(self):\n        return mixed\n"
MIXED = script("KTO", "model='m'", rows=LOCAL, before=OWN)
MIXED["train.py"] = MIXED["train.py"].replace("\nKTOTrainer(", "\nOwn(")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": KTO, "rows.jsonl": WANTED * 8 + OTHER * 8},
            says="are sorted by their label: 8 rows with true, then 8 with false",
        ),
        Bad({"run.json": SMALL, "rows.jsonl": WANTED * 4 + OTHER * 4}, says="then 4 with false"),
        Bad(
            {"run.json": SMALL, "rows.jsonl": (WANTED * 16 + OTHER * 16) * 3},
            says="come in 6 blocks of one label: 24 of 24 steps of 4 rows have one label alone",
        ),
        Bad({"run.json": KTO, **PAIRED}, 
            says="the rows that the trainer makes of the pairs of rows.jsonl are sorted"),
        Bad({"run.json": {**KTO, "trainer": "bco"}, **SORTED}, says="sorted by their label"),
        Bad({"run.json": KTO, "rows.jsonl": SORTED["rows.jsonl"].replace("true", "1").replace(
            "false", "0")}, says="8 rows with true"),
        Bad(script("KTO", "model='m'", rows=LOCAL) | SORTED, "train.py", says="are sorted by"),
        Bad(script("KTO", "model='m'", before=UNPAIRED), "train.py",
            says="puts all chosen answers before the rejected ones"),
        Bad(script("KTO", "model='m'", rows=LOCAL, before=SHUFFLED) | PAIRED, "train.py",
            says="sorted by their label: 20 rows with true"),
        Good(script("KTO", "model='m'", before=UNPAIRED + SHUFFLED), "train.py"),
        Good(script("KTO", "model='m'", rows=LOCAL, before=SHUFFLED) | SORTED, "train.py"),
        Good({**MIXED, **SORTED}, "train.py"),
        Good({"run.json": KTO, "rows.jsonl": (WANTED + OTHER) * 8}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 4 + OTHER * 4}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 16}),
        Good({"run.json": SMALL, "rows.jsonl": WANTED * 60 + OTHER + WANTED * 30}),
        Good({"run.json": {**KTO, "trainer": "dpo"}, **PAIRED}),
    ),
)  # fmt: skip
