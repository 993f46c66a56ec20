"""The data set lacks the columns that the trainer reads.

The job loads the model on every GPU, starts, and fails at the first batch with a KeyError.

Remedy: name the columns as the trainer expects them: `prompt` for GRPO and RLOO, and for the
command of PPO; `input_ids` for PPOTrainer in a script, and for RLOOTrainer before trl 0.22;
`messages`, `text` or `prompt` + `completion` for SFT; `chosen` + `rejected` for DPO and the reward
trainer; `prompt` + `completion` + `label` for KTO.

Versions: any. Without the libraries, JSON, CSV and Parquet files are examined; with them, all files
that the installed `datasets` loads. Where SFT prepares no rows (`skip_prepare_dataset`) and the
script has a collator of its own, this reads the columns: they are not judged.

Seen: trl 1.16.0: GRPO on rows with question and answer: "KeyError: 'prompt'"; SFT on the same rows
in CSV and Arrow files: "KeyError: 'text'". RLOOTrainer of 0.12.2 on rows with prompts (trl#2434):
"You should supply an encoding … that includes input_ids". RewardTrainer of 1.16.0 on rows with
`input_ids_chosen`, which it read up to 0.23.1: "KeyError: 'chosen'". SFT of 0.19.1, 0.24.0 and
1.16.0 on rows with `prompt` and `text`: "KeyError: 'completion'", also with a formatting_func;
0.15.2 trains on the text.
"""

from collections.abc import Iterator, Sequence

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.data import data
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rows.own import data_key, file_name, made, own_file, own_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.parquet import parquet
from ..._recorded.scripts import LOCAL, script

MOST = 12
"""The number of columns that a finding names."""

AS_THEY_ARE = "skip_prepare_dataset"
"""The key of `dataset_kwargs` with which SFT prepares no rows."""


def check(facts: Facts) -> Iterator[Finding]:
    key, trainer = data_key(facts), facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    if _left_to_collator(facts):
        raise Unavailable(f"the script's own collator reads the rows ({AS_THEY_ARE})")
    follows_script = facts.get(made) is not None
    columns: Sequence[str] = _columns(facts) if follows_script else dataset.columns(facts)
    texts = facts.run.script.passes("formatting_func")
    lacks = dataset.lacking(columns, facts, texts=texts) if columns else ""
    if texts and not lacks:
        raise Unavailable("the script builds the texts itself (formatting_func)")
    tried = facts.get(rehearsal)
    if not (lacks or tried or follows_script or dataset.takes_tokens(facts)):
        measured = facts[data].measured()
        if measured.not_loaded:
            raise Unavailable(f"the rows cannot be loaded: {measured.not_loaded.line}")
        lacks, columns = measured.lacks, measured.columns
    subject = trainer.trainer if facts.run.by_class else f"`trl {trainer.name}`"
    if lacks:
        yield _finding(facts, key, f"{subject} cannot use {_source(facts, key)}", columns, lacks)
    others = tried.training_rows.evaluation if tried and tried.training_rows else None
    if others and (lacks := dataset.lacking(others, facts)):
        yield _finding(facts, key, f"{subject} cannot use eval_dataset", others, lacks)


def _left_to_collator(facts: Facts) -> bool:
    """Whether the trainer prepares no rows, and a collator of the script gets them as they are."""
    kept = facts.run.arguments.get("dataset_kwargs")
    own = facts.run.script.passes("data_collator")
    return own and isinstance(kept, dict) and bool(kept.get(AS_THEY_ARE))


def _finding(facts: Facts, key: str, refused: str, columns: Sequence[str], lacks: str) -> Finding:
    shown = [f"{name:.40}" for name in columns[:MOST]] + ["…"] * (len(columns) > MOST)
    return Finding(
        facts.run.place(key),
        f"{refused}: its columns are {', '.join(shown)}; it needs {lacks}",
        follows=("data-rows-unreadable",),
        remedy=f"give the rows {lacks}: rename their columns, or make it of them",
    )


def _columns(facts: Facts) -> list[str]:
    """The columns of the rows that the script makes."""
    return list(dict.fromkeys(name for row in own_rows(facts) for name in row))


def _source(facts: Facts, key: str) -> str:
    """The name of the data in the run, or of its file."""
    if facts.get(made) is not None:
        return file_name(facts)
    name = facts.run.arguments[key]
    file = facts.get(own_file)
    return name if isinstance(name, str) else file.name if file else key


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
FILES = candidate(RUN, TOKENIZER, CONFIG)
DATA = {**FILES, "run.json": {**FILES["run.json"], "dataset_name": "rows"}}
ROWS = {**DATA, "rows/train.jsonl": '{"question": "Why?", "answer": "So."}\n'}
CSV = {**DATA, "rows/train.csv": "question,answer\nWhy?,So.\n"}
PARQUET = parquet("question", "answer")
ARROW = {**DATA, "rows/train.arrow": b"ARROW1"}
PROMPTS = {
    **script("SFT", "model='org/m'", rows=LOCAL),
    "rows.jsonl": '{"prompt": "Why?", "text": "Why? So."}\n',
}
SAID = "`trl grpo` cannot use rows: its columns are question, answer; it needs prompt"
SCRIPT = {
    **script("RLOO", "policy='org/m'", rows=LOCAL),
    "rows.jsonl": '{"prompt": "Why?"}\n',
}
RENAMED = {
    "rows.jsonl": '{"prompt": "Why?"}\n',
    "train.py": SCRIPT["train.py"].replace(
        "split='train')",
        "split='train').map(lambda row: {'question': row['prompt']}, remove_columns=['prompt'])",
    ),
}
OLD = {"trl": "0.12.2"}
COLLATED = {
    **script(
        "SFT",
        "model='org/m', data_collator=collate",
        "dataset_kwargs={'skip_prepare_dataset': True}, remove_unused_columns=False",
        rows=LOCAL,
    ),
    "rows.jsonl": '{"question": "Why?", "answer": "So."}\n',
}
NOT_COLLATED = {
    **script("SFT", "model='org/m', data_collator=collate", rows=LOCAL),
    "rows.jsonl": COLLATED["rows.jsonl"],
}
PAIRS = {
    **DATA,
    "run.json": {**DATA["run.json"], "trainer": "reward"},
    "rows/train.jsonl": '{"input_ids_chosen": [1], "input_ids_rejected": [2]}\n',
}


def examples() -> Examples:
    from trl_doctor.probes.answers.data import DataAnswer
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.libraries import IMPORTS
    from ..._recorded.rehearsal import rehearsed

    well = DataAnswer("rows", "train", rows=8, columns=("prompt",))
    lacks_prompt = DataAnswer(
        "rows", "train", rows=8, columns=("question", "answer"), lacks="prompt"
    )
    return (
        Bad(ROWS, versions=TRL, says=SAID),
        Bad(
            {**DATA, "rows/train.jsonl": '{"prompt": "Why?"}\n'},
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(evaluation=("question", "answer"))),
            says="`trl grpo` cannot use eval_dataset: its columns are question, answer; it needs "
            "prompt",
        ),
        Bad(CSV, versions=TRL, says=SAID),
        Bad({**DATA, "rows/train.parquet": PARQUET}, versions=TRL, says=SAID),
        Bad(ARROW, versions=TRL, answers={**IMPORTS, "data": lacks_prompt}, says=SAID),
        Good(
            {**DATA, "rows/train.jsonl": '{"prompt": "Why?"}\n'},
            versions=TRL,
            answers={**IMPORTS, "data": well},
        ),
        Good(FILES, versions=TRL),
        Good(ARROW, versions=TRL, skipped="no answers of probes"),
        Bad(SCRIPT, "train.py", versions=OLD, says="its columns are prompt; it needs input_ids"),
        Good({**SCRIPT, "rows.jsonl": '{"input_ids": [1]}\n'}, "train.py", versions=OLD),
        Good(COLLATED, "train.py", versions=TRL, skipped="own collator reads the rows"),
        Bad(
            RENAMED, "train.py", versions=TRL, says="(after a lambda): its columns are question; it"
        ),
        Bad(NOT_COLLATED, "train.py", versions=TRL, says="it needs messages, text"),
        Bad(PROMPTS, "train.py", versions=TRL, says="it needs completion beside prompt, or no"),
        Bad(PAIRS, versions=TRL, says="it needs chosen + rejected"),
        Good(PAIRS, versions={"trl": "0.23.1"}, answers={**IMPORTS, "data": well}),
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"KeyError: '\w+'|No columns in the dataset match|method that includes input_ids",
    examples=examples,
)
