"""Functions of scripts that are read, and not run: they give what Python gives, or nothing."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.source.applied import applied, rows_in
from trl_doctor.files.source.exact import takes_rows
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.reading import read_source

HEAD = """\
ROLES = {"human": "user", "gpt": "assistant"}
SYSTEM = "Be good."


def wrapped(text, mark="#"):
    return f"{mark} {text}\\n"


"""
FOLLOWED = (
    "return {'x': row['q'].split('####')[-1].strip(), 'n': len(row['q'].split('a'))}",
    "return {'x': row['a'].rsplit(' ', 1)[0], 'y': row['q'].removeprefix('a').removesuffix('b'), "
    "'z': row['q'].partition('a')[2] + row['q'].rpartition('a')[0]}",
    "return {'x': [row['turns'][n]['value'] for n in range(len(row['turns']))], 'y': int('7'), "
    "'z': float('0.5')}",
    "items = list(row['turns'])\n    items.append(1)\n    return {'a': len(items), "
    "'b': len(row['turns'])}",
    'return {"text": row["q"] + " " + row["a"].strip()}',
    'return {"text": wrapped(row["q"]) + wrapped(row["a"], mark="##")}',
    'return {"messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": '
    'row["q"]}]}',
    "messages = [{'role': 'system', 'content': SYSTEM}]\n"
    "    for turn in row['turns']:\n"
    "        messages.append({'role': ROLES[turn['from']], 'content': turn['value']})\n"
    "    return {'messages': messages}",
    "return {'messages': [{'role': ROLES.get(t['from'], t['from']), 'content': t['value']} "
    "for t in row['turns']]}",
    "if row['a'].startswith('x'):\n        row['ok'] = True\n"
    "    else:\n        row['ok'] = False\n    return row",
    "row['text'] = row['q'].upper()",
    "turns = row['turns']\n    turns += [{'from': 'gpt', 'value': SYSTEM}]\n    return row",
    "turns = list(row['turns'])\n    turns.append({'from': 'gpt'})\n    return {'x': len(turns)}",
    "return {'x': '{q} -> {a}'.format(q=row['q'], a=row['a']), 'n': len(row['q'])}",
    "return len(row['q']) > 3 and not row['a']",
    "return {'x': [t['value'] for t in row['turns'] if t['from'] == 'human' and len(t['value'])]}",
    "return {'x': [[a, b] for a, b in zip(row['q'].split('a'), row['a'].split())]}",
    "lines = []\n    for n, (a, t) in enumerate(zip(row['q'].split('a'), row['turns']), 1):\n"
    "        lines.append(f\"{n}. {a} {t['value']}\")\n    return {'x': lines}",
    "return {'x': ' '.join(f\"{n}: {t['value']}\" for n, t in enumerate(row['turns']))}",
    "return {'x': [part for t in row['turns'] for part in t['value'].split('a') if part]}",
    "return {'x': [list(p) for p in enumerate(row['q'].split('a'), start=len(row['turns']))]}",
    "scored = sorted(row['turns'], key=lambda t: len(t['value']), reverse=True)\n"
    "    return {'x': [t['value'] for t in scored], "
    "'y': max(len(t['value']) for t in row['turns']), 'n': sum([1, 2]), "
    "'z': min(row['turns'], key=lambda t: t['value'])['from']}",
    "return {'x': [f'{a}. {t}' for a, t in zip('AB', row['q'].split('a'))], "
    "'y': [[n, c] for n, c in enumerate(row['a'])], 'z': sorted([2, 1]), 'n': any(row['turns'])}",
    "cut = row['q'].rfind('a')\n    return {'x': row['q'][:cut], 'y': row['q'].count('b'), "
    "'z': row['a'].splitlines(), 'n': all(t['value'].isdigit() for t in row['turns'])}",
    "return {'both': f\"{row['q']}: {row['a']}\", 'first': row['turns'][0]['value']}",
)
NOT_FOLLOWED = (
    "for t in row['turns']:\n        return {'x': t['value']}\n    return {'x': ''}",
    "for t in row['turns']:\n        break\n    else:\n        row['q'] = ''\n    return row",
    "def strip(x):\n        return x\n    strip = str\n    return {'x': strip(row['q'])}",
    "import random\n    return {'x': random.random()}",
    "return {'x': reversed(row['q'])}",
    "pairs = zip(row['q'].split(), row['a'].split())\n    return {'x': [a for a, b in pairs]}",
    "texts = (t['value'] for t in row['turns'])\n    return {'x': ' '.join(texts)}",
    "return {'x': [t['value'] for t in row['turns'] if t['value'].isnumeric()]}",
    "while row['q']:\n        row['q'] = row['q'][1:]\n    return row",
    "try:\n        return {'x': int(row['q'])}\n    except ValueError:\n        return {'x': 0}",
    "return {'x': open(row['q']).read()}",
    "return {'x': set(row['q'])}",
)
TEXTS = st.text(max_size=8)
ROWS = st.fixed_dictionaries({
    "q": TEXTS,
    "a": st.one_of(TEXTS, st.just("x y")),
    "turns": st.lists(
        st.fixed_dictionaries({"from": st.sampled_from(["human", "gpt"]), "value": TEXTS}),
        min_size=1, max_size=3,
    ),
})  # fmt: skip


def function_of(body: str) -> tuple[Function, Any, Any]:
    """A function with this body: as it is read, its pieces, and as Python has it."""
    source = f"{HEAD}def made(row):\n    {body}\n"
    reading = read_source(Path("train.py"), source.encode())
    read = reading.scope.find("made")
    assert isinstance(read, Function)
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return read, reading.state.pieces, namespace["made"]


@pytest.mark.parametrize("body", FOLLOWED)
@given(row=ROWS)
def test_what_is_followed_is_what_python_gives(body: str, row: dict[str, Any]) -> None:
    read, pieces, made = function_of(body)
    assert takes_rows(read, pieces)
    given_row, real_row = copy.deepcopy(row), copy.deepcopy(row)
    found, result = applied(read, given_row, pieces), made(real_row)
    assert found.result == result
    assert (found.row, found.same) == (real_row, result is real_row)
    assert given_row == row


@pytest.mark.parametrize("body", NOT_FOLLOWED)
def test_what_is_only_nearly_evaluated_is_not_followed(body: str) -> None:
    read, pieces, _ = function_of(body)
    assert not takes_rows(read, pieces)


def test_what_depends_on_something_open_is_not_known() -> None:
    read, pieces, _ = function_of(
        "if row['missing'] > MOST:\n        return {'x': 1}\n    return {}"
    )
    with pytest.raises(Unavailable, match="what made makes of a row is not known"):
        applied(read, {"q": "a"}, pieces)


def test_rows_of_the_script_itself() -> None:
    source = "def one(n):\n    return {'n': n}\n\n\n"
    source += "rows = [one(n) for n in (1, 2)]\nopen = [one(len(rows)), f()]\n"
    reading = read_source(Path("train.py"), source.encode())
    assert rows_in(reading.scope.find("rows")) == ({"n": 1}, {"n": 2})
    assert rows_in(reading.scope.find("open")) == ()
    assert rows_in(None) == ()


@pytest.mark.parametrize(
    "body",
    [
        "s = [row['q']]\n" + "    s = s + s\n" * 40 + "    return {'x': s}",
        "s = [row['q']]\n" + "    s = [s, s]\n" * 40 + "    return {'x': s}",
        "s = [row['q']]\n" + "    s.extend(s)\n" * 40 + "    return {'x': s}",
        "s = []\n    s.append(s)\n    return {'x': s}",
        "return {'x': f\"{row['q']:99999999}\"}",
        "return {'x': '{q:>999999999}'.format(q=row['q'])}",
        "return {'x': row['q'].replace('', row['q'])}",
        "return made(row)",
    ],
)
def test_what_would_be_large_or_never_end_is_not_known(body: str) -> None:
    read, pieces, _ = function_of(body)
    with pytest.raises(Unavailable, match="what made makes of a row is not known"):
        applied(read, {"q": "x" * 40_000, "a": "", "turns": []}, pieces)
