"""Scripts whose options a library reads: click, typer, hydra, tyro; and partial calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_script_shapes import opened, settled

from trl_doctor.core.unavailable import Unavailable

ENDS = """
    args = DPOConfig(output_dir="out", learning_rate=lr, beta=beta)
    DPOTrainer(model=model, args=args, train_dataset=None).train()
"""
IMPORT = "from trl import DPOConfig, DPOTrainer\n"
CLICK = f"""{IMPORT}import click
@click.command()
@click.argument("model")
@click.option("--lr", "-l", default=2e-6, type=float)
@click.option("--dpo-beta", "beta", default=0.2)
@click.option("--wandb/--no-wandb", is_flag=True)
def main(model, lr, beta, wandb):{ENDS}
if __name__ == "__main__":
    main()
"""
TYPER = f"""{IMPORT}import typer
app = typer.Typer()
@app.command()
def main(model: str = typer.Argument(...), lr: float = typer.Option(2e-6), beta: float = 0.2):{ENDS}
if __name__ == "__main__":
    app()
"""
HYDRA = f"""{IMPORT}import hydra
@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg):
    model, lr, beta = cfg.model.name, cfg.train["lr"], cfg.train.get("beta"){ENDS}
main()
"""
TYRO = f"""{IMPORT}import tyro
from dataclasses import dataclass
@dataclass
class Settings:
    model: str
    lr: float = 2e-6
    beta: float = 0.2
def main(model, lr, beta):{ENDS}
settings = tyro.cli(Settings)
main(settings.model, settings.lr, settings.beta)
"""
PARTIAL = f"""{IMPORT}from functools import partial
from types import SimpleNamespace
held = SimpleNamespace(lr=2e-6, beta=0.2)
make = partial(DPOConfig, "out", learning_rate=held.lr)
DPOTrainer("a/b", args=make(beta=held.beta), train_dataset=None).train()
"""
LOADED = f"""{IMPORT}import json, tomllib
from pathlib import Path
from omegaconf import OmegaConf
toml = tomllib.load(open("run.toml", "rb"))
read = json.loads(Path("run.json").read_text())
conf = OmegaConf.create({{"lr": read["lr"]}})
conf.beta = toml["beta"]
args = DPOConfig("out", learning_rate=conf.lr, **{{"beta": OmegaConf.to_container(conf)["beta"]}})
DPOTrainer("a/b", args=args, train_dataset=None).train()
"""
FILES = {
    "conf/config.yaml": "defaults:\n- model: small\n- _self_\ntrain:\n  lr: 2e-6\n  beta: 0.2\n",
    "conf/model/small.yaml": "name: a/b\n",
    "conf/model/large.yaml": "name: c/d\n",
    "run.toml": "beta = 0.2\n",
    "run.json": '{"lr": 2e-6}',
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "argv", "model", "rate"),
    [
        (CLICK, None, None, 2e-6),
        (CLICK, ("--lr", "1e-5"), None, 1e-5),
        (TYPER, None, None, 2e-6),
        (TYPER, ("--model", "c/d"), "c/d", 2e-6),
        (HYDRA, None, "a/b", 2e-6),
        (HYDRA, ("train.lr=1e-5", "model=large"), "c/d", 1e-5),
        (TYRO, ("--model", "c/d"), "c/d", 2e-6),
        (TYRO, None, None, 2e-6),
        (PARTIAL, None, "a/b", 2e-6),
        (LOADED, None, "a/b", 2e-6),
    ],
)
def test_options_have_their_defaults(
    text: str, argv: tuple[str, ...] | None, model: str | None, rate: float, tmp_path: Path
) -> None:
    run = opened(text, tmp_path, argv)
    values: dict[str, Any] = settled(run)
    assert (float(values["learning_rate"]), values["beta"]) == (rate, 0.2)
    if model is None:
        assert isinstance(run.policy, Unavailable)
        assert "it comes from the command line (" in str(run.policy)
    else:
        assert values["model_name_or_path"] == model


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("train:\n  lr: ${oc.env:LR}\n  beta: 0.2\nmodel:\n  name: a/b\n", "variable LR"),
        ("train:\n  lr: ${rate}\n  beta: 0.2\nmodel:\n  name: a/b\n", "fills in"),
        ("train:\n  lr: ???\n  beta: 0.2\nmodel:\n  name: a/b\n", "leaves .* open"),
        ("defaults:\n  - config\n", "more than 100 files"),
        ("defaults:\n  - model: none\n", "cannot be read"),
        ("- a list\n", "cannot be read"),
    ],
)
def test_what_hydra_fills_in_is_not_known(config: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "conf/config.yaml").write_text(config)
    run = opened(HYDRA, tmp_path)
    with pytest.raises(Unavailable, match=why):
        run.arguments.get("learning_rate")


NESTED = (
    "top: {}\ntrain:\n  lr: ${{oc.env:NO_SUCH_RATE,${{top}}}}\n  beta: 0.2\nmodel:\n  name: a/b\n"
)


@pytest.mark.parametrize(
    ("top", "argv"),
    [("2e-6", None), ("1", ("-m", "train.lr=2e-6,1e-5")), ("1", ("-m", "train.lr=choice(2e-6,3)"))],
)
def test_hydra_fills_in_defaults_and_sweeps(
    top: str, argv: tuple[str, ...] | None, tmp_path: Path
) -> None:
    (tmp_path / "conf/config.yaml").write_text(NESTED.format(top))
    assert float(settled(opened(HYDRA, tmp_path, argv))["learning_rate"]) == 2e-6


def test_more_arguments_of_a_dictionary_are_not_known(tmp_path: Path) -> None:
    run = opened(
        f"{IMPORT}import other\nheld = dict(beta=0.2, **other.settings)\n"
        "DPOTrainer('a/b', args=DPOConfig('out', **held), train_dataset=None)\n",
        tmp_path,
    )
    assert run.arguments.get("beta") == 0.2
    with pytest.raises(Unavailable, match=r"other\.settings"):
        run.arguments.get("learning_rate")
