"""The trainer of this TRL cannot train on a stream.

GRPO and RLOO repeat every prompt with a sampler, and a stream does not support samplers. Older
releases fail at the first batch, newer ones when the trainer is created: "Iterable datasets are not
yet supported". SFT of trl 0.15 asks a stream for its columns, which a stream of JSON or after `map`
does not know; SFT of 0.19 asks it for its first row if `assistant_only_loss` is on. DPO before 0.19
gives its `map` arguments that a stream does not take.

Remedy: load the data set without `streaming`, or install trl 1.12.0 or newer.

Versions: GRPO and RLOO of trl 0.14.0 to 0.24.0 cannot, by runs and sources; 1.12.0 to 1.16.0 can.
The releases between were not tested, and the rule is skipped for them. SFT: by the sources of
0.15.0, 0.16.1, 0.18.2 and 0.20.0; DPO: by those of 0.16.0 to 0.19.0.

Seen: trl#2942, trl#3213, trl#3030, trl#3560, trl#3768. Reproduced with SFT on a stream of JSON:
trl 0.15.2 "argument of type 'NoneType' is not iterable", 0.19.1 "'IterableColumn' object has no
attribute"; with GRPO: trl 0.14.0 and 0.15.2 fail with "Can only find the batch size of tensors but
got <class 'str'>", 0.24.0 with "Iterable datasets are not yet supported in GRPOTrainer"; 1.12.0 and
1.16.0 train; with DPO: 0.12.2 "unexpected keyword argument 'num_proc'", 0.15.2
"… 'writer_batch_size'", 0.19.1, 0.24.0 and 1.16.0 train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rows.own import own_file
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

from ..._recorded.scripts import script

LAST, FIRST = Version("0.24.0"), Version("1.12.0")
"""The last release that is known to fail, and the first that is known to work."""

KEY = "dataset_streaming"
COLUMNS = Version("0.15.0"), Version("0.16.0")
"""SFT reads `dataset.column_names` from the first release on, and no more in the second."""
MAPS = Version("0.19.0")
"""From this release on DPO's `map` is called as a stream wants it."""
STATED = (".parquet", ".arrow")
"""Files that name their columns, also in a stream."""
ROW = Version("0.19.0"), Version("0.20.0")
"""SFT with assistant_only_loss reads `train_dataset[0]`, in the same way."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer, trl = known_trainer(facts), trl_of(facts)
    if trainer not in ("grpo", "rloo", "sft", "dpo") or not _streams(facts):
        raise NotConcerned("only GRPO, RLOO, SFT and DPO on streamed rows are affected")
    if trainer == "sft":
        yield from _supervised(facts, trl)
        return
    if trainer == "dpo":
        if trl and trl < MAPS:
            yield _refused(facts, trl)
        return
    if trl is None or LAST < trl < FIRST:
        raise Unavailable(f"whether trl {trl or ''} can stream prompts is not known")
    if trl <= LAST:
        yield _refused(facts, trl)


def _refused(facts: Facts, trl: Version) -> Finding:
    name = getattr(facts.run.trainer, "trainer", "the trainer")
    remedy = "load the data set without `streaming`"
    if known_trainer(facts) == "dpo":
        remedy += f", or install trl {MAPS} or newer"
    return Finding(
        facts.run.place(KEY), f"{name} of trl {trl} cannot train on streamed rows", remedy=remedy
    )


def _streams(facts: Facts) -> bool:
    tried = facts.get(rehearsal)
    return bool(tried and tried.training_rows and tried.training_rows.streamed) or facts.run.flag(
        KEY
    )


def _supervised(facts: Facts, trl: Version | None) -> Iterator[Finding]:
    """SFT of two series of releases."""
    run = facts.run
    if trl and COLUMNS[0] <= trl < COLUMNS[1]:
        file = facts.get(own_file)
        surely = file is not None and file.suffix not in STATED
        yield Finding(
            run.place(KEY),
            f"SFTTrainer of trl {trl} cannot train on a stream whose columns are not known",
            ("a stream of JSON, or a stream after map, has no column names",),
            severity=None if surely else "warning",
        )
    if trl and ROW[0] <= trl < ROW[1] and run.flag("assistant_only_loss"):
        yield Finding(
            run.place("assistant_only_loss"),
            f"SFTTrainer of trl {trl} cannot train on streamed rows with assistant_only_loss",
        )


STREAM = "rows = load_dataset('org/rows', split='train', streaming=True)\n"
GRPO = script("GRPO", "model='org/m', reward_funcs=[len]", "max_steps=9", STREAM)
DPO = script("DPO", "model='org/m'", "max_steps=9", STREAM)


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import rehearsed

    return (
        Bad(
            GRPO,
            "train.py",
            versions={"trl": "0.24.0"},
            says="GRPOTrainer of trl 0.24.0 cannot train on streamed rows",
        ),
        Bad(DPO, "train.py", versions={"trl": "0.18.2"}, says="DPOTrainer of trl 0.18.2 cannot"),
        Good(DPO, "train.py", versions={"trl": "0.19.0"}),
        Good(GRPO, "train.py", versions={"trl": "1.16.0"}),
        Good(GRPO, "train.py", versions={"trl": "1.0.0"}, skipped="is not known"),
        Bad(
            script("SFT", "model='org/m'", "max_steps=9", STREAM),
            "train.py",
            versions={"trl": "0.15.2"},
            says="cannot train on a stream whose columns are not known",
            severity="warning",
        ),
        Bad(
            script("SFT", "model='org/m'", "max_steps=9, assistant_only_loss=True", STREAM),
            "train.py",
            versions={"trl": "0.19.1"},
            says="cannot train on streamed rows with assistant_only_loss",
        ),
        Good(
            script("SFT", "model='org/m'", "max_steps=9", STREAM),
            "train.py",
            versions={"trl": "0.24.0"},
        ),
        Bad(
            {"run.json": {"trainer": "grpo", "model_name_or_path": "m"}},
            versions={"trl": "0.24.0"},
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(streamed=True)),
            says="cannot train on streamed rows",
        ),
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"argument of type 'NoneType' is not iterable|IterableColumn|batch size of tensors"
    r"|Iterable datasets are not yet supported|IterableDataset.map\(\) got an unexpected",
    examples=examples,
)
