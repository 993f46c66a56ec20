"""Options that a script's parsers do not know, and schedules that count rows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trl_doctor.probes.rehearsal.rows.compared import late_end
from trl_doctor.probes.rehearsal.settings.parsers import DROPS, QUOTED, _unknown

BATCHES = {
    "num_train_epochs": 1,
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 8,
}
ROWS = range(80)


@pytest.mark.parametrize(
    ("line", "drops"),
    [
        ("args, _ = parser.parse_known_args()", True),
        ("args, _unknown = parser.parse_known_args()", True),
        ("(args, _) = parser.parse_known_args()", True),
        ("args = parser.parse_known_args()[0]", True),
        ("args, rest = parser.parse_known_args()", False),
        ("args = parser.parse_args()", False),
        ("return parser.parse_known_args()", False),
    ],
)
def test_a_line_that_drops_what_it_does_not_know(line: str, drops: bool) -> None:
    assert bool(DROPS.search(line)) == drops


def test_options_that_no_parser_knows() -> None:
    words = ["--learning_rate", "5e-7", "--lr=1", "--local_rank", "0", "--deepspeed", "z.json"]
    assert list(_unknown(words, {"--lr"})) == ["--learning_rate 5e-7"]
    assert list(_unknown(["--fp16", "--seed=4", "out"], set())) == ["--fp16", "--seed=4"]
    assert QUOTED.findall("debug = '--debug' in sys.argv  # and --quiet") == ["--debug"]


@pytest.mark.parametrize(
    ("total", "found"), [(40, (40, 5)), (80, (80, 5)), (5, None), (10_000, None), (8, None)]
)
def test_a_schedule_of_rows_or_batches(total: int, found: tuple[int, int] | None) -> None:
    linear = SimpleNamespace(lr_lambdas=[lambda step: max(0.0, 1 - step / total)])
    assert late_end(linear, BATCHES, ROWS) == found
    assert late_end(linear, {**BATCHES, "gradient_accumulation_steps": 1}, ROWS) in (None, (80, 40))
    constant = SimpleNamespace(lr_lambdas=[lambda step: 1.0])
    assert late_end(constant, BATCHES, ROWS) is None
    assert (
        late_end(linear, {**BATCHES, "gradient_accumulation_steps": 1}, ROWS) is None or total == 80
    )
