"""Whether a script may have made the checkpoint that it resumes from."""

import pytest

from trl_doctor.facts.training.resuming import trains_again


@pytest.mark.parametrize(
    ("code", "again"),
    [
        ("trainer.train()\n", False),
        ("trainer.train()\ntrainer.train(resume_from_checkpoint=True)\n", True),
        ("def tune(steps):\n    build(steps).train()\ntune(2)\n", False),
        ("def tune(steps):\n    build(steps).train()\ntune(2)\ntune(4)\n", True),
        ("def tune():\n    build().train()\ndef main():\n    tune()\nmain()\n", False),
        ("def tune():\n    build().train()\ndef main():\n    tune()\nmain()\nmain()\n", True),
        ("for steps in (2, 4):\n    build(steps).train()\n", True),
        ("def tune():\n    build().train()\nwhile more():\n    tune()\n", True),
        ("for row in rows:\n    print(row)\ntrainer.train()\n", False),
        ("trainer.train(\n", False),
    ],
)
def test_a_script_trains_again(code: str, again: bool) -> None:
    assert trains_again(code) is again
