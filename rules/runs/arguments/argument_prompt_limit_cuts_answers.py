"""max_prompt_length leaves too little room for the answers.

If a row is longer than `max_length`, these trainers keep `max_length - max_prompt_length` tokens of
its answer, however short the prompt is. If `max_length` is the smaller one, the number is negative:
a short answer becomes empty, a long one loses its end, and the row stays longer than `max_length`.
KTO and BCO then write an eos, so the model learns to stop there. There is no warning.

Remedy: set `max_prompt_length` to what the longest prompt needs; its default is 512.

Versions: KTO before trl 0.27, ORPO, CPO and BCO before 0.28. CPO refuses it in later ones.

Seen: reproduced with KTO and ORPO with trl 0.15.2 and 0.24.0. Of an answer of 589 tokens after a
prompt of 20, `max_length: 256` trains 332 and 600 trains 87; 256 with `max_prompt_length: 128`
trains 127. The line is in the sources of 0.8.6 to 0.27.2.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library import releases
from trl_doctor.facts.rows.sizes import RowSize, row_sizes
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of

KEY, WHOLE = "max_prompt_length", "max_length"
TRAINERS = ("kto", "bco", "orpo", "cpo")
USUAL = {KEY: 128, WHOLE: 512}
"""What the trainers take where the release's default is None."""

CPO_REFUSES = Version("0.16")
"""From about this release on CPO raises an error instead; only 0.15.2 was seen to cut."""

WASTED = 256
"""A finding reports this many tokens or more of an answer that would fit and are cut."""


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, accepted) = facts.run, known_to_trl(facts)
    trl = trl_of(facts)
    if trainer.name not in TRAINERS or KEY not in accepted.fields or trl is None:
        raise NotConcerned("only KTO, BCO, ORPO and CPO of older releases cut answers like that")
    if trainer.name == "cpo" and trl >= CPO_REFUSES:
        raise NotConcerned("CPO of this release refuses such limits")
    whole, prompt = (_limit(facts, trl, trainer.config, key) for key in (WHOLE, KEY))
    rows = facts.get(row_sizes) or []
    if rows and not any(row.most > whole for row in rows):
        return
    cut = [row for row in rows if row.whole > whole]
    room = whole - prompt
    wasted = [row for row in cut if whole - row.prompt_most - room > max(room, WASTED)]
    if room > 0 and len(wasted) * 2 < max(1, len(rows)):
        return
    longest = max((row.prompt_most for row in rows), default=whole)
    value = min(whole // 2, 64 * (longest // 64 + 1))
    edit = Put(run.place(KEY).file, pointer(KEY), value)
    yield Finding(
        run.place(KEY if run.arguments.get(KEY) is not None else WHOLE),
        _message(trainer.trainer, whole, prompt, run.arguments.get(KEY) is None),
        _evidence(rows, cut, whole),
        Fix(f"set {KEY} to {value}", (edit,), safe=False),
        severity=None if room <= 0 and len(cut) * 2 > len(rows) else "warning",
    )


def _limit(facts: Facts, trl: Version, config: str, key: str) -> int:
    usual = releases.default(trl, config, key)
    number = facts.run.number(key, float(usual) if usual and usual.isdigit() else USUAL[key])
    return int(number or USUAL[key])


def _message(trainer: str, whole: int, prompt: int, unset: bool) -> str:
    limit = f"{KEY} is {prompt}" + (" by default" if unset else "")
    remainder = f"{whole - prompt} tokens" if whole > prompt else "a negative number of tokens"
    return (
        f"{WHOLE} is {whole} and {limit}: {trainer} keeps {remainder} of the answer of a longer row"
        + ("" if whole > prompt else ", so it is cut at the wrong place or empty")
    )


def _evidence(rows: list[RowSize], cut: list[RowSize], whole: int) -> tuple[str, ...]:
    if not rows:
        return ()
    if cut:
        return (f"{len(cut)} of the first {len(rows)} rows have more than {whole} words",)
    longest = max(row.most for row in rows)
    return (f"the longest of the first {len(rows)} rows has about {longest} characters",)


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl", WHOLE: 256}
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
SCRIPT = """\
from datasets import load_dataset
from trl import KTOConfig, KTOTrainer
rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = KTOConfig(output_dir="out", max_length=256)
trainer = KTOTrainer(model="m", args=args, train_dataset=rows)
trainer.train()
"""


def files(run: Mapping[str, Json], words: int) -> dict[str, Any]:
    answer = " ".join(["good"] * words)
    return {
        "run.json": run,
        "rows.jsonl": f'{{"prompt": "Is it?", "completion": "{answer}", "label": true}}\n' * 4,
    }


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            files(KTO, 300),
            versions=OLD,
            says="max_length is 256 and max_prompt_length is 512 by default: KTOTrainer",
            fixed=files({**KTO, KEY: 64}, 300),
        ),
        Bad(
            files({**KTO, KEY: 256}, 100),
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            says="keeps a negative number of tokens",
            severity="warning",
            fixed=files({**KTO, KEY: 64}, 100),
        ),
        Bad(
            files({**KTO, WHOLE: 600}, 900),
            versions=OLD,
            says="keeps 88 tokens of the answer of a longer row",
            severity="warning",
            fixed=files({**KTO, WHOLE: 600, KEY: 64}, 900),
        ),
        Bad(
            {"train.py": SCRIPT},
            "train.py",
            versions=OLD,
            says="max_length is 256",
            severity="warning",
            fixed={"train.py": SCRIPT.replace("=256", "=256, max_prompt_length=128")},
        ),
        Good(files(KTO, 20), versions=OLD),
        Good(files({**KTO, KEY: 128}, 300), versions=OLD),
        Good(files({"trainer": "kto", "dataset_name": "rows.jsonl"}, 2000), versions=OLD),
        Good(files({**KTO, "trainer": "cpo"}, 300), versions=OLD),
        Good(files(KTO, 300), versions={"trl": "1.16.0", "transformers": "5.23.0"}),
        Good(files({**KTO, "trainer": "dpo"}, 300), versions=OLD),
    ),
)
