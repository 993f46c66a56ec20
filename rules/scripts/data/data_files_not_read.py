"""load_dataset does not read the file that it is given.

The first argument of `load_dataset` says how files are read (`json`, `csv`, `parquet`, `text`,
`arrow`), or names a data set of the Hub or a folder. With another word there, `load_dataset`
searches the Hub for a data set of that name, and for the files in it: the file on this machine is
not read. The second argument without a name is no file, but the name of a configuration:
`load_dataset("json", "rows.jsonl")` reads all files of the working folder as JSON. That fails if
the script is one of them; otherwise all rows are one data set, without a warning. So does
`load_dataset("json")`.

Remedy: `load_dataset("json", data_files="rows.jsonl", split="train")`.

Versions: every release.

Seen: reproduced with datasets 5.2.0 and 5.0.1, without a network: `load_dataset("jsonl",
data_files="rows.jsonl")` raises "ConnectionError: Couldn't reach 'jsonl' on the Hub";
`load_dataset("json", "rows.jsonl")` raises a DatasetGenerationError beside train.py, and has the
rows of all files in a folder that has only rows.
"""

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.data_files import READERS
from trl_doctor.facts.passed import RowLoad
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.data import FILES

from ..._recorded.scripts import script

OTHER_READERS = frozenset({
    "audiofolder", "cache", "conll", "eval", "fasta", "fastq", "genbank", "generator", "harbor",
    "hdf5", "iceberg", "imagefolder", "lance", "meshfolder", "mmcif", "niftifolder", "pandas",
    "pdb", "pdffolder", "spark", "sql", "tsfile", "videofolder", "vortex", "webdataset", "xml",
})  # fmt: skip
"""Names that read files, too, of other kinds, in datasets up to 5.2.0."""


def check(facts: Facts) -> Iterator[Finding]:
    loads = facts.run.script.row_loads
    if not loads:
        raise NotConcerned("the script surely calls load_dataset nowhere")
    for load in loads:
        without_files = load.path in FILES and load.closed and not load.files
        if without_files and not load.name:
            yield Finding(
                load.place,
                f"load_dataset is given no files, and reads all files of the working folder as "
                f"{load.path}",
                remedy=f'name the files: load_dataset("{load.path}", data_files=…)',
            )
        elif without_files and suffix(load.name):
            yield Finding(
                load.place,
                f"load_dataset takes {load.name} for the name of a configuration, and reads all "
                f"files of the working folder as {load.path}",
                remedy=f'name the argument: load_dataset("{load.path}", data_files="{load.name}")',
            )
        elif file := not_read(facts, load):
            yield Finding(
                load.place,
                f"load_dataset searches the Hub for a data set {load.path}, and does not read "
                f"{file} of this machine",
                remedy=f'write load_dataset("{READERS[suffix(file)]}", data_files="{file}")',
                follows=("data-not-found",),
            )


def not_read(facts: Facts, load: RowLoad) -> str:
    """A file of the call that is on this machine, where its first argument reads none; else ""."""
    word = load.path
    if not word or "/" in word or word in (*FILES, *OTHER_READERS) or not load.closed:
        return ""
    names = [word, *(name for names in load.files.values() for name in names)]
    if dataset.existing_path(facts, word) and not suffix(word):
        return ""
    here = (name for name in names if suffix(name) and dataset.existing_path(facts, name))
    return next(here, "")


def suffix(name: str) -> str:
    """The ending of a file of rows; "" for anything else."""
    ending = Path(name).suffix
    return ending if ending in READERS else ""


def _run(rows: str) -> dict[str, str]:
    files = {"rows.jsonl": '{"text": "The sea was calm."}\n'}
    return {**script("SFT", "model='org/m'", before=f"rows = load_dataset({rows})\n"), **files}


_TEXT = {"rows.txt": "The sea was calm.\n"}

RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _run("'jsonl', data_files='rows.jsonl', split='train'"),
            "train.py",
            says="searches the Hub for a data set jsonl, and does not read rows.jsonl",
        ),
        Bad(
            _run("'rows.jsonl', data_files='json', split='train'"),
            "train.py",
            says="does not read rows.jsonl",
        ),
        Bad(
            _run("'json', 'rows.jsonl', split='train'"),
            "train.py",
            says="takes rows.jsonl for the name of a configuration",
        ),
        Bad(_run("'json', split='train'"), "train.py", says="load_dataset is given no files"),
        Good(_run("'json', data_dir='rows', split='train'"), "train.py"),
        Good(_run("'json', data_files='rows.jsonl', split='train'"), "train.py"),
        Good(_run("'org/rows', data_files='rows.jsonl', split='train'"), "train.py"),
        Good(_run("'squad', data_files='train.jsonl', split='train'"), "train.py"),
        Good(_run("'json', 'main', split='train'"), "train.py"),
        Good(_run("'conll', data_files='rows.txt', split='train'") | _TEXT, "train.py"),
    ),
)
