"""A row of the data set cannot be read.

The job loads the model on every GPU and then fails: while the rows are loaded, or hours later, when
it reaches this row. A file that is not UTF-8 loads without an error and raises when the text is
used.

Remedy: rewrite the row as one JSON object in UTF-8 on one line.

Versions: any. Only local JSON files are examined, the first 16 MiB of each.

Seen: datasets 5.2.0, `load_dataset` of a folder with train.jsonl: a row that is cut short raises
DatasetGenerationError, as do half of a surrogate pair, a row that is a list or a number, and lists
nested 100 deep; 1,000 deep, RecursionError. A row in Latin-1 is loaded; the loop over the rows
raises "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9" there. Not a number (NaN), empty
lines, objects over several lines and a list of objects are read.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.rows.own import data_key, made
from trl_doctor.facts.rows.unreadable import bad_row
from trl_doctor.facts.rule import Bad, Files, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    source = facts.get(made)
    if source is not None and source.file is None:
        raise NotConcerned("the rows are written in the script")
    key, files = data_key(facts), [source.file] if source and source.file else dataset.files(facts)
    if not files:
        raise Unavailable("the rows of the run are in no local JSON file")
    for file in files:
        try:
            bad = bad_row(file)
        except OSError as error:
            raise Unavailable(f"{file.name} cannot be read: {error.strerror}") from error
        if bad:
            yield Finding(facts.run.place(key), f"{bad.place} {bad.problem}")


RUN: dict[str, Json] = {"trainer": "grpo", "model_name_or_path": "m", "dataset_name": "data"}
ROW = '{"prompt": "Why?"}\n'


def _files(rows: str | bytes) -> Files:
    return {"run.json": RUN, "data/train.jsonl": rows}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files(ROW.encode() + b'{"prompt": "caf\xe9"}\n'), says="train.jsonl:2:16 is not UTF-8"
        ),
        Bad(_files(ROW + '{"prompt": "Wh\n' + ROW), says="train.jsonl:2:15 is not valid JSON"),
        Bad(
            _files(ROW + ROW + "[1]\n"),
            says="train.jsonl:3:1 holds a row that is not a JSON object",
        ),
        Bad(_files('{"prompt": "\\ud800"}\n'), says="train.jsonl:1:1 holds half of a surrogate"),
        Bad(
            _files('{"a": ' + "[" * 120 + "]" * 120 + "}\n"), says="nests lists and objects deeper"
        ),
        Bad(_files('{"a": ' + "[" * 9999 + "]" * 9999 + "}\n"), says="nests lists and objects"),
        Good(_files(ROW + "\n" + ROW)),
        Good(_files('{"prompt": "x", "score": NaN}\n')),
        Good(_files('[{"prompt": "x"},\n {"prompt": "y"}]\n')),
        Good(_files('{\n "prompt": "x"\n}\n{\n "prompt": "y"\n}\n')),
        Good({"run.json": RUN, "data/train.csv": "prompt\nx\n"}, skipped="in no local JSON file"),
    ),
)
