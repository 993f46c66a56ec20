"""A script that draws numbers without a seed is told the same in each rehearsal."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import doctor
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, forked, rehearsal

DRAWS = """\
import random
import numpy
import torch
from datasets import Dataset
from transformers import AutoModelForSequenceClassification

rows = Dataset.from_dict({"a": list(range(1000))}).shuffle()["a"][:4]
model = AutoModelForSequenceClassification.from_pretrained("models/healthy", num_labels=3)
head = model.score.weight.flatten()[:4].tolist()
raise ValueError([random.random(), numpy.random.rand(), torch.rand(1).item(), rows, head])
"""


@pytest.mark.parametrize("run", [forked, doctor], ids=["in a fork", "by itself"])
def test_unseeded_numbers_are_the_same_each_time(
    run: object, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(DRAWS)
    first, second = (
        rehearsal(tmp_path, interpreter("current"), "train.py", run=run)[1] for _ in range(2)
    )
    (finding,) = findings_by_rule(first)["script-fails"]
    assert "ValueError: [0." in finding["message"]
    assert findings_by_rule(second)["script-fails"] == [finding]
