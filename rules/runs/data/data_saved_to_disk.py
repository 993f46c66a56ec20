"""The data set was saved with save_to_disk.

`trl` reads its data with `load_dataset`, which refuses a folder that `Dataset.save_to_disk` wrote.
The job fails before the model is loaded.

Remedy: save the rows with `rows.to_parquet("data/train.parquet")` and name that folder; in a
script, read the folder with `load_from_disk`.

Versions: every release. A folder that `DatasetDict.save_to_disk` wrote is not concerned: its
splits are folders of their own, and `load_dataset` reads them.

Seen: `trl sft` of 1.16.0, 0.24.0 and 0.15.2 (datasets 5.2.0 and 5.0.1): "ValueError: You are
trying to load a dataset that was saved using `save_to_disk`".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.rows.mapped import HERE
from trl_doctor.facts.rows.own import made
from trl_doctor.facts.rule import Bad, Files, Good, Rule

MARK = "state.json"
"""What `load_dataset` recognises such a folder by."""


def check(facts: Facts) -> Iterator[Finding]:
    if facts.get(made) is not None:
        raise NotConcerned(HERE)
    name = facts.run.arguments.get("dataset_name")
    if facts.run.arguments.get("datasets") or not isinstance(name, str) or not name.strip():
        raise NotConcerned("the run names no folder with data")
    folder = dataset.existing_path(facts, name)
    if folder is None:
        raise dataset.not_on_this_machine(name)
    if (folder / MARK).is_file():
        message = f"{name} was saved with save_to_disk, and load_dataset refuses such a folder"
        yield Finding(facts.run.place("dataset_name"), message)


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "dataset_name": "rows"}
ARROW: Files = {"rows/data-00000-of-00001.arrow": b"ARROW1", "rows/dataset_info.json": "{}"}
PARTS: Files = {"rows/dataset_dict.json": '{"splits": ["train"]}', "rows/train/state.json": "{}"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"saved using `save_to_disk`",
    examples=(
        Bad(
            {"run.json": RUN, **ARROW, "rows/state.json": "{}"},
            says="rows was saved with save_to_disk, and load_dataset refuses such a folder",
        ),
        Good({"run.json": RUN, **PARTS}),
        Good({"run.json": {**RUN, "dataset_name": "org/name"}}, skipped="not on this machine"),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m"}}),
    ),
)
