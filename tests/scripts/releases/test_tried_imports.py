"""Imports of TRL that a script tries: the release decides which of its two ways it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_names_a_class_takes import known, opened

TRIED = {
    "a newer class": (
        "try:\n    from trl import SFTTrainer, GRPOConfig\n    NEW = True\n"
        "except ImportError:\n    from trl import SFTTrainer\n    NEW = False\n",
        {"0.12.2": False, "1.16.0": True},
    ),
    "an older class": (
        "try:\n    from trl import DataCollatorForCompletionOnlyLM\n    NEW = False\n"
        "except Exception:\n    NEW = True\n",
        {"0.15.2": False, "1.16.0": True},
    ),
    "two places": (
        "try:\n    from trl.experimental.ppo import PPOConfig\nexcept (ImportError, KeyError):\n"
        "    from trl import PPOConfig\n    NEW = False\nelse:\n    NEW = True\n",
        {"0.15.2": False, "1.12.0": True},
    ),
}


@pytest.mark.parametrize("case", TRIED)
def test_an_import_that_the_release_decides(case: str, tmp_path: Path) -> None:
    text, releases = TRIED[case]
    text += "SFTTrainer('org/m', args=SFTConfig('out', learning_rate=2e-5 if NEW else 1e-5))\n"
    for release, new in releases.items():
        run = opened(tmp_path, text, [f"trl=={release}"])
        assert run.arguments["learning_rate"] == (2e-5 if new else 1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from trl import get_peft_config\n    N = 1\nexcept ImportError:\n    N = 2\n",
        "try:\n    import torch\n    from trl import GRPOConfig\n    N = 1\nexcept ImportError:\n"
        "    N = 2\n",
        "try:\n    from trl import GRPOConfig\n    N = 1\nexcept ValueError:\n    N = 2\n",
    ],
)
def test_an_import_that_stays_open(text: str, tmp_path: Path) -> None:
    text += "SFTTrainer('org/m', args=SFTConfig('out', learning_rate=N))\n"
    assert known(opened(tmp_path, text, ["trl==1.16.0"]), "learning_rate") == "not known"
