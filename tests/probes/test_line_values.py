"""The values that are reported with an error: those of its last line inside the libraries."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from trl_doctor.facts.measured.known_errors import known
from trl_doctor.probes.line_values import line_values

TRAINER = """\
class Shaped:
    shape = (2, 3)

class Trainer:
    ref_model = None

    def __init__(self, length=4, rows=None, name="sft", secret="x" * 100):
        self.args, self.rows = type("A", (), {"steps": 2})(), rows
        self.name, self.secret = name, secret
        self.length = length

    def raises(self):
        if self.length < 5 and self.name and self.args.steps and self.secret:
            if self.rows is None:
                raise ValueError("too short")

    def none(self):
        return self.ref_model.forward(self.length)

    def key(self, example):
        return example["chosen"] + self.name

    def shapes(self):
        logits = Shaped()
        raise_now(logits, self.length)

    def other(self):
        return int("x" + self.name)


def raise_now(logits, length):
    logits.shape = (2, length)
    return broken(logits) if length else None


def broken(logits):
    return [][logits.shape[0]]
"""


@pytest.fixture
def trainer(tmp_path: Path) -> object:
    """A trainer whose file lies where that of a library does."""
    file = tmp_path / "trl" / "trainer.py"
    file.parent.mkdir()
    file.write_text(TRAINER)
    spec = importlib.util.spec_from_file_location("small_trainer", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Trainer()


@pytest.mark.parametrize(
    ("method", "given", "says"),
    [
        ("raises", (), ("self.rows is None",)),
        ("none", (), ("self.ref_model is None",)),
        ("key", ({"prompt": "Why?"},), ("example has the keys prompt",)),
        ("shapes", (), ("logits has the shape (2, 4)",)),
        ("other", (), ()),
    ],
)
def test_values_of_the_last_line(
    trainer: object, method: str, given: tuple[object, ...], says: tuple[str, ...]
) -> None:
    with pytest.raises(Exception) as error:
        getattr(trainer, method)(*given)
    assert line_values(error.value) == says


class Numbers(list[int]):
    def max(self) -> int:
        return max(self)


class Table:
    num_embeddings = 4

    def forward(self, input: Numbers) -> int:
        return [0] * self.num_embeddings == input or [][input.max()]


class Model:
    def __init__(self) -> None:
        self.wpe = Table()

    def named_modules(self) -> list[tuple[str, object]]:
        return [("", self), ("transformer.wpe", self.wpe)]

    def forward(self) -> int:
        return self.wpe.forward(Numbers([0, 7]))


def test_an_index_out_of_range_names_the_table_of_the_model() -> None:
    with pytest.raises(IndexError) as error:
        Model().forward()
    (said,) = line_values(error.value)
    assert said == "transformer.wpe has 4 entries, 0 to 3, and is asked for entry 7"
    translation = known("IndexError: index out of range in self", (said,))
    assert translation and "more tokens than the model has positions" in translation.cause


def test_an_error_outside_of_the_libraries_has_none() -> None:
    value = None
    with pytest.raises(AttributeError) as error:
        value.forward()  # type: ignore[attr-defined]
    assert line_values(error.value) == ()
