"""Rows can be longer than the positions that the model has.

Some architectures have a table with an entry for each position. A row with more tokens ends the
job as soon as it comes: "index out of range in self", on a GPU a device-side assert, or sizes that
do not match. `max_length` cuts rows, and it is larger than the table, or None. Models with rotary
embeddings have no table and run, but behind `max_position_embeddings` they were never trained: what
they learn from the end of a longer row is poor, and so is what they write there. That is a warning.

Remedy: set `max_length` to the number of positions, or less. For long rows take a model with more
positions, or extend those of a rotary model (`rope_scaling`, a larger `rope_theta`).

Versions: every release. Of rotary models only rows with more words than positions are reported, and
no model whose config scales them.

Seen: reproduced with each model type that this rule knows, with transformers 4.48.3 and 5.23.0: as
many tokens as positions pass, and one more fails. `trl sft` of 1.16.0 with a gpt2 of 512 positions
and longer rows fails in its first step, and trains with `max_length: 512`. open-r1#545: reasoning
that is longer than the 4096 positions of the model.
"""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.trainer import ONLINE
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.documents import Document
from trl_doctor.facts.library import releases
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rows.sizes import fewest_tokens
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of

KEYS = ("max_length", "max_seq_length")
LONG = "max_position_embeddings"
POSITIONS: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("gpt2", "gpt_bigcode", "openai-gpt", "gptj", "ctrl"), ("n_positions", 0)),
    **dict.fromkeys(
        ("opt", "gpt_neo", "biogpt", "bert", "distilbert", "electra", "albert"), (LONG, 0)
    ),
    **dict.fromkeys(("roberta", "xlm-roberta"), (LONG, 2)),
    "mpt": ("max_seq_len", 0),
}
"""The key of config.json that sizes the table, and how many entries no token of a row takes."""

ROTARY = ("rope_theta", "rope_parameters")
"""Keys of config.json that a model with rotary embeddings has."""


def check(facts: Facts) -> Iterator[Finding]:
    run, (key, limit) = facts.run, _limit(facts)
    config = facts[model_config]
    kind = config.get("model_type")
    rotary = any(config.get(name) for name in ROTARY) and not _scaled(config)
    if not isinstance(kind, str) or not (kind in POSITIONS or rotary):
        raise NotConcerned("the model has no table of positions that is known here")
    name, unused = POSITIONS.get(kind, (LONG, 0))
    size = config.get(name)
    if not isinstance(size, int) or limit is None or limit <= size - unused:
        return
    rows = facts.get(own_rows) or []
    long = [row for row in rows if fewest_tokens(row) > size - unused]
    stated = key in run.arguments
    if kind not in POSITIONS:
        if long:
            yield Finding(
                run.place(*([key] if stated else [])),
                f"{len(long)} of the first {len(rows)} rows have more words than the {size} "
                f"positions of the {kind}: it never saw positions beyond these",
                evidence=(f"{name} in config.json: {size}",),
                severity="warning",
            )
        return
    if not long and not stated:
        return
    many = f"{len(long)} of the first {len(rows)} rows have more words: such" if long else "longer"
    shown = "None" if limit == inf else f"{limit:.0f}"
    edit = Put(run.place(key).file, pointer(key), size - unused)
    yield Finding(
        run.place(*([key] if stated else [])),
        f"{key} is {shown}{'' if stated else ' by default'}, but a {kind} of this size has "
        f"{size - unused} positions: {many} rows end the job",
        evidence=(f"{name} in config.json: {size}",),
        fix=Fix(f"set {key} to {size - unused}", (edit,), safe=False),
        severity=None if long else "warning",
    )


def _scaled(config: Document) -> bool:
    """Whether the config extends the positions of its rotary embeddings."""
    for key in ("rope_scaling", "rope_parameters"):
        scaling = config.get(key)
        kind = scaling.get("rope_type", scaling.get("type")) if isinstance(scaling, dict) else None
        if scaling and kind not in ("default", None):
            return True
    return False


def _limit(facts: Facts) -> tuple[str, float | None]:
    """The argument that cuts rows, and its value or default; None if it cuts none."""
    run, (trainer, accepted), trl = facts.run, known_to_trl(facts), trl_of(facts)
    if trainer.name in ONLINE:
        raise NotConcerned("completions are not cut by max_length")
    if run.flag("packing"):
        raise NotConcerned("packed rows count their positions anew")
    offered = [key for key in KEYS if key in accepted.fields] or [KEYS[0]]
    key = next((key for key in offered if key in run.arguments), offered[0])
    if key in run.arguments:
        uncut = run.arguments.get(key) is None
        return key, inf if uncut else run.number(key)
    default = releases.default(trl, trainer.config, key) if trl else None
    if default == "None":
        return key, inf
    return key, float(default) if default and default.isdigit() else None


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "dataset_name": "rows.jsonl"}
THEN = {"trl": "1.16.0", "transformers": "5.23.0"}


def files(words: int, model: Mapping[str, Json], run: Mapping[str, Json] = RUN) -> dict[str, Any]:
    text = " ".join(["word"] * words)
    rows = f'{{"text": "{text}"}}\n' * 4
    return {"run.json": run, "rows.jsonl": rows, "m/config.json": model}


GPT2: dict[str, Json] = {"model_type": "gpt2", "n_positions": 64, "vocab_size": 320}
ROBERTA: dict[str, Json] = {"model_type": "roberta", LONG: 66, "vocab_size": 320}
LLAMA: dict[str, Json] = {"model_type": "llama", LONG: 64, ROTARY[0]: 10000.0}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="index out of range in self|must match the (existing )?size|out of bounds for dim",
    examples=(
        Bad(
            files(80, GPT2),
            versions=THEN,
            says="max_length is 1024 by default, but a gpt2 of this size has 64 positions: "
            "4 of the first 4 rows have more words: such rows end the job",
            fixed={"run.json": {**RUN, KEYS[0]: 64}},
        ),
        Bad(
            files(65, ROBERTA, {**RUN, KEYS[0]: 66}),
            versions=THEN,
            says="has 64 positions",
            fixed={"run.json": {**RUN, KEYS[0]: 64}},
        ),
        Bad(
            files(80, GPT2, {**RUN, KEYS[0]: None}),
            versions=THEN,
            says="max_length is None, but a gpt2 of this size has 64 positions: 4 of the first 4",
            fixed={"run.json": {**RUN, KEYS[0]: 64}},
        ),
        Bad(
            files(20, GPT2, {**RUN, KEYS[0]: 128}),
            versions=THEN,
            says="longer rows end the job",
            severity="warning",
            fixed={"run.json": {**RUN, KEYS[0]: 64}},
        ),
        Good(files(64, ROBERTA, {**RUN, KEYS[0]: 64}), versions=THEN),
        Good(files(20, GPT2), versions=THEN),
        Bad(
            files(80, LLAMA),
            versions=THEN,
            says="4 of the first 4 rows have more words than the 64 positions of the llama",
            severity="warning",
        ),
        Good(files(80, LLAMA, {**RUN, KEYS[0]: 64}), versions=THEN),
        Good(files(20, LLAMA, {**RUN, KEYS[0]: 4096}), versions=THEN),
        Good(
            files(80, {**LLAMA, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}),
            versions=THEN,
        ),
        Good(files(80, GPT2, {**RUN, "packing": True}), versions=THEN),
    ),
)
