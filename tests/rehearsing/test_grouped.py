"""Which losses keep more rows in a batch."""

from __future__ import annotations

import pytest

from trl_doctor.probes.rehearsal.settings import cutting
from trl_doctor.probes.rehearsal.settings.grouped import ENOUGH, GROUPS


@pytest.mark.parametrize(
    ("code", "groups"),
    [
        ("scores = model(**inputs).logits.view(-1, 4)", True),
        ("scores = logits.reshape(-1, self.group_size)", True),
        ("scores = logits.reshape(-1, args.num_generations)", True),
        ("scores = logits.unflatten(0, (-1, 4))", False),
        ("loss = f(logits.view(-1, logits.size(-1)), labels.view(-1))", False),
        ("loss = f(logits.view(-1, vocab_size), labels.reshape(-1))", False),
    ],
)
def test_code_that_takes_groups(code: str, groups: bool) -> None:
    assert bool(GROUPS.search(code)) is groups


@pytest.mark.parametrize(("asked", "rows", "size"), [(4, 2, 2), (4, ENOUGH, 4), (32, ENOUGH, 8)])
def test_the_rows_of_a_small_batch(asked: int, rows: int, size: int) -> None:
    name = "per_device_train_batch_size"
    types = {name: int, "per_device_eval_batch_size": int}
    cuts = cutting.small({name: asked}, types, "SFTConfig", 2, 1, rows)
    assert cuts[name][0] == size
    assert cuts["per_device_eval_batch_size"][0] == rows
