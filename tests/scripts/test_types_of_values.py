"""What a loader, or the type of an option, makes of the texts that a script trains with."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_script_shapes import opened, settled

HEAD = "from trl import DPOConfig, DPOTrainer\n"
ENDS = (
    "args = DPOConfig('out', learning_rate=rate, padding_free=flag)\n"
    "DPOTrainer('m', args=args).train()\n"
)
LOADERS = {
    "yaml": ("import yaml\ncfg = yaml.safe_load(open('run.yaml'))\n", "1e-5"),
    "ruamel": ("from ruamel.yaml import YAML\ncfg = YAML().load(open('run.yaml'))\n", 1e-5),
    "OmegaConf": ("from omegaconf import OmegaConf\ncfg = OmegaConf.load('run.yaml')\n", 1e-5),
}
TYPES = {
    "float": ("float", "str2bool", (1e-5, False)),
    "a literal": ("ast.literal_eval", "str2bool", (None, False)),
    "a function": ("lambda text: float(text)", "lambda text: text == 'yes'", (None, None)),
    "a text": ("str", "str", ("1e-5", "no")),
}
PARSER = """\
import argparse, ast
def str2bool(text):
    return text.lower() in ("yes", "true")
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type={})
parser.add_argument("--flag", type={}, default="no")
options = parser.parse_args()
rate, flag = options.rate, options.flag
"""


@pytest.mark.parametrize("loader", LOADERS)
def test_an_exponent_without_a_point_is_a_number_for_some(loader: str, tmp_path: Path) -> None:
    """PyYAML reads YAML 1.1, where `1e-5` is a text."""
    head, expected = LOADERS[loader]
    (tmp_path / "run.yaml").write_text("rate: 1e-5\nflag: no\n")
    values = "rate, flag = cfg['rate'], cfg['flag']\n"
    given = settled(opened(HEAD + head + values + ENDS, tmp_path, ()))
    assert given["learning_rate"] == expected


@pytest.mark.parametrize("kind", TYPES)
def test_an_option_is_what_its_type_makes_of_it(kind: str, tmp_path: Path) -> None:
    rate, flag, expected = TYPES[kind]
    script = HEAD + PARSER.format(rate, flag) + ENDS
    given = settled(opened(script, tmp_path, ("--rate", "1e-5")))
    assert (given.get("learning_rate"), given.get("padding_free")) == expected
