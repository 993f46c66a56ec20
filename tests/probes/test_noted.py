"""Texts and dictionaries that note what is read of them, where libraries take plain ones only."""

import pickle
from collections import OrderedDict
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from trl_doctor.probes.rehearsal import noted
from trl_doctor.probes.rehearsal.models.classified import Batch, Result
from trl_doctor.probes.rehearsal.models.watched_names import Name


def of_result() -> Result:
    return Result({"label": "GOOD", "score": 0.5}, SimpleNamespace(batch=Batch()))  # type: ignore[arg-type]


def kinds(value: Any) -> Any:
    """The types of a value and of its parts."""
    if isinstance(value, dict):
        return type(value), [(kinds(key), kinds(one)) for key, one in dict.items(value)]
    if isinstance(value, (list, tuple)):
        return type(value), [kinds(one) for one in value]
    return type(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({Name("a"): 1}, {"a": 1}),
        (OrderedDict([(Name("a"), [Name("b")])]), OrderedDict([("a", ["b"])])),
        ({"step": 1, "names": ({Name("a")} and (Name("a"), 2))}, {"step": 1, "names": ("a", 2)}),
        ([of_result()], [{"label": "GOOD", "score": 0.5}]),
    ],
)
def test_plain_values(value: Any, plain: Any) -> None:
    assert kinds(noted.unnoted(value)) == kinds(plain)
    assert noted.unnoted(value) == plain


def test_a_value_without_any_is_itself() -> None:
    value = {"a": [1, {"b": (2, "c")}]}
    assert noted.unnoted(value) is value


def test_what_is_pickled_is_plain() -> None:
    assert type(pickle.loads(pickle.dumps(Name("a")))) is str
    assert type(pickle.loads(pickle.dumps(of_result()))) is dict


def test_yaml_writes_them() -> None:
    noted.in_yaml(yaml)
    text = yaml.safe_dump({Name("a"): [Name("b")], "of": of_result()})
    assert yaml.safe_load(text) == {"a": ["b"], "of": {"label": "GOOD", "score": 0.5}}
    assert yaml.dump([Name("b")]) == "- b\n"
