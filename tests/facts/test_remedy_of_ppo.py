"""What PPO can do with fewer rows than a batch."""

from __future__ import annotations

from trl_doctor.checkup.discover import discover
from trl_doctor.facts.rule import Bad
from trl_doctor.testing import check, laid_out

RUN = {"trainer": "ppo", "model_name_or_path": "m", "dataset_name": "data"}
ROW = '{"prompt": "Why?"}\n'


def remedy(rows: int, **more: int) -> str:
    (rule,) = (one for one in discover().rules if one.name == "run-takes-no-step")
    files = {"run.json": {**RUN, **more}, "data/train.jsonl": ROW * rows}
    with laid_out(files) as folder:
        (outcome,) = check(rule, Bad(files, versions={"trl": "1.12.0"}), folder).outcomes
    return outcome.findings[0].remedy


def test_the_largest_batch_that_the_rows_fill() -> None:
    largest = "set per_device_train_batch_size to at most "
    assert remedy(3, per_device_train_batch_size=8) == f"{largest}3"
    more = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2}
    assert remedy(7, **more) == f"{largest}3"
    more["gradient_accumulation_steps"] = 8
    assert remedy(7, **more).startswith("make the data set larger")
