"""max_length leaves nothing of the answers.

The prompts alone are as long as `max_length`, and rows are cut at their end: no token of an answer
is left. Newer releases drop such rows, and the run ends before its first step or makes none
("num_samples should be a positive integer value"); older ones train on them: the loss stays at
0.693 (DPO) or is 0 or NaN (SFT), and no weight moves.

Remedy: set `max_length` above the longest prompt and its answer, or leave longer rows out. With DPO
`truncation_mode="keep_end"` keeps the answers.

Versions: SFT with prompt and completion from trl 0.19 on; DPO that keeps the start of a row; KTO
from 1.12 on. Counted are the words of the first rows, each of which has at least one token; at
level tiny and in a rehearsal the tokens of DPO's prompts, up to trl 0.28.

Seen: trl#6321. Reproduced with prompts of 72 words and `max_length: 64`: SFT of 0.19.1, 0.24.0,
1.12.0 and 1.16.0, DPO of 0.12.2, KTO of 1.12.0 and 1.16.0; DPO of 0.15.2, 0.19.1 and 0.24.0 with
`keep_start`, and of 1.12.0 and 1.16.0 by default. With 512 all of them train.
"""

from collections.abc import Iterator
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library import Accepted
from trl_doctor.facts.measured.data import training_rows
from trl_doctor.facts.rows.sizes import row_sizes
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of

KEY, PROMPT, MODE = "max_length", "max_prompt_length", "truncation_mode"
MASKS = "completion_only_loss"
KTO_DROPS, DPO_IGNORES_MODE = Version("1.12"), Version("0.13")


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, accepted) = facts.run, known_to_trl(facts)
    trl = trl_of(facts)
    if trl is None or not _cuts_answers(facts, trainer.name, accepted, trl):
        raise NotConcerned("the trainer keeps the ends of its rows, or asks for no answers")
    limit = run.number(KEY, _usual(accepted, KEY))
    most = run.number(PROMPT, _usual(accepted, PROMPT))
    if not limit or (most is not None and most < limit):
        raise NotConcerned("no prompt is as long as a row may be")
    full, rows, units = _full(facts, limit)
    if 2 * full > rows:
        yield Finding(
            run.place(KEY),
            f"{KEY} is {limit:g}, and {full} of the first {rows} prompts alone have as many "
            f"{units}: nothing of their answers is left",
            remedy=f"set {KEY} above the longest prompt and its answer, or leave longer rows out",
            severity=None if full == rows else "warning",
        )


def _full(facts: Facts, limit: float) -> tuple[int, int, str]:
    """The prompts that fill a row, of how many, and what was counted: words, or the tokens of the
    trainer's own rows."""
    tried = facts.get(training_rows)
    if tried and tried.labels and tried.labels.full_prompts:
        return tried.labels.full_prompts, tried.labels.rows, "tokens"
    sizes = facts[row_sizes]
    return sum(row.whole - row.longest >= limit for row in sizes), len(sizes), "words"


def _cuts_answers(facts: Facts, trainer: str, accepted: Accepted, trl: Version) -> bool:
    """Whether rows with a prompt are cut at their end, and only answers are learned."""
    if trainer == "sft":
        return MASKS in accepted.fields and facts.run.arguments.get(MASKS) is not False
    if trainer == "kto":
        return trl >= KTO_DROPS
    usual = accepted.fields[MODE].literal if MODE in accepted.fields else "keep_end"
    mode = facts.run.arguments.get(MODE, usual)
    return trainer == "dpo" and (mode == "keep_start" or trl < DPO_IGNORES_MODE)


def _usual(accepted: Accepted, key: str) -> float | None:
    """The default of an argument, None where it has none."""
    value = accepted.fields[key].literal if key in accepted.fields else None
    return float(value) if isinstance(value, int) else None


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}


def _files(run: dict[str, Json], words: int = 80) -> dict[str, Any]:
    prompt = " ".join(["good"] * words)
    row = f'{{"prompt": "{prompt}", "chosen": "Yes.", "rejected": "No."}}\n'
    if run["trainer"] == "sft":
        row = f'{{"prompt": "{prompt}", "completion": "Yes."}}\n'
    return {"run.json": run, "rows.jsonl": row * 4}


SFT: dict[str, Json] = {**DPO, "trainer": "sft", KEY: 64}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"num_samples should be a positive integer value, but got num_samples=0",
    examples=(
        Bad(
            _files({**DPO, KEY: 64}),
            versions=NEW,
            says="max_length is 64, and 4 of the first 4 prompts alone have as many words",
        ),
        Bad(
            _files({**DPO, KEY: 64, PROMPT: None, MODE: "keep_start"}), versions=OLD, says="is left"
        ),
        Bad(_files(SFT), versions=OLD, says="nothing of their answers is left"),
        Good(_files({**DPO, KEY: 64}), versions=OLD),
        Good(_files({**DPO, KEY: 256}), versions=NEW),
        Good(_files({**SFT, MASKS: False}), versions=OLD),
        Good(_files(SFT, 20), versions=OLD),
    ),
)
