"""Edits of JSON and YAML bytes: what they name changes, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trl_doctor.core.finding import Put, Remove, pointer
from trl_doctor.files.edit import CannotEdit, apply, same_value
from trl_doctor.files.formats import json_places, yaml_comments, yaml_text
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.formats.yaml_scalar import scalar_text

FILE = Path("file")
Kind = Literal["json", "yaml"]


def put(at: str, value: Any) -> Put:
    return Put(FILE, at, value)


def remove(at: str) -> Remove:
    return Remove(FILE, at)


JSON_EDITS: list[tuple[str, list[Put | Remove], str]] = [
    # a new key takes the style of the file and goes behind the last one
    ('{\n  "a": 1\n}\n', [put("/b", [1, {}])], '{\n  "a": 1,\n  "b": [\n    1,\n    {}\n  ]\n}\n'),
    ('{\n\t"a": {"x": 1}\n}', [put("/a/y", 2)], '{\n\t"a": {"x": 1, "y": 2}\n}'),
    ('{"a":1}', [put("/b", [1, {"c": 2}])], '{"a":1,"b":[1,{"c":2}]}'),
    ('{ "a" : 1 }', [put("/b", 2)], '{ "a" : 1, "b" : 2 }'),
    ('{\r\n "a": 1\r\n}\r\n', [put("/b", [2])], '{\r\n "a": 1,\r\n "b": [\r\n  2\r\n ]\r\n}\r\n'),
    ('{"a": 1\n, "b": 2\n}', [put("/c", 3)], '{"a": 1\n, "b": 2\n, "c": 3\n}'),
    ('{\n  "a": 1,\n\n  "b": 2\n}', [put("/c", 3)], '{\n  "a": 1,\n\n  "b": 2,\n  "c": 3\n}'),
    ('{"a": 1 ,\n "b": 2}', [put("/c", 3)], '{"a": 1 ,\n "b": 2 ,\n "c": 3}'),
    ("{}\n", [put("/a", 1), put("/b", {})], '{\n  "a": 1,\n  "b": {}\n}\n'),
    ('{"a": {}}', [put("/a/b", 1)], '{"a": {"b": 1}}'),
    ('{\n    "a": {}\n}', [put("/a/b", 1)], '{\n    "a": {\n        "b": 1\n    }\n}'),
    # what equals what is there changes nothing; of what differs only the difference changes
    ('{"a": 1e-05, "b": [1,  2]}', [put("/a", 0.00001), put("/b", [1, 2])], ""),
    ('{"a": 1e-05, "b": {"c":  1E2}}', [put("", {"a": 2, "b": {"c": 100.0}})],
     '{"a": 2, "b": {"c":  1E2}}'),
    ('{"a": 1}', [put("/a", 1.0)], '{"a": 1.0}'),
    ('{"a": 1}', [put("/a", True)], '{"a": true}'),
    ('{"ids": [1,  2]}', [put("/ids", [1, 2, 3])], '{"ids": [1,  2,  3]}'),
    ('{"ids": [1,  2, 3]}', [put("/ids", [1, 3])], '{"ids": [1,  3]}'),
    ('{"ids": [1,  2]}', [put("/ids", [5])], '{"ids": [5]}'),
    ('{\n  "eos": 2\n}', [put("/eos", [2, 3])], '{\n  "eos": [\n    2,\n    3\n  ]\n}'),
    # escapes as the file has them
    ('{"a": "\\u00e9"}', [put("/b", "é\ud800")], '{"a": "\\u00e9", "b": "\\u00e9\\ud800"}'),
    ('{"a": "é"}', [put("/b", "é\ud800")], '{"a": "é", "b": "é\\ud800"}'),
    ("\ufeff{}", [put("/a", 1)], '\ufeff{\n  "a": 1\n}'),
    # lists
    ("[1, 2]", [put("/-", 3), put("/3", 4), put("/0", 0)], "[0, 2, 3, 4]"),
    ("[]", [put("/-", 1)], "[\n  1\n]"),
    ('{"-": 1}', [put("/-", 2)], '{"-": 2}'),
    ('{"b": 1}', [put("/-", 2)], '{"b": 1, "-": 2}'),
    # a comma goes with what is removed
    ('{"a": 1, "b": 2,  "c": 3}', [remove("/a")], '{"b": 2,  "c": 3}'),
    ('{"a": 1, "b": 2,  "c": 3}', [remove("/b")], '{"a": 1, "c": 3}'),
    ('{"a": 1, "b": 2,  "c": 3 }', [remove("/c")], '{"a": 1, "b": 2 }'),
    ('{\n  "a": 1\n}', [remove("/a")], "{}"),
    ("[[1], 2]", [remove("/0/0"), remove("/1")], "[[]]"),
    ('{"a": 1}', [remove("/b"), remove("/a/b/c"), remove("/x/y")], ""),
    # of equal keys the last one counts
    ('{"a": 1, "a": {"b": 2, "b": 3}}', [put("/a/b", 4)], '{"a": 1, "a": {"b": 2, "b": 4}}'),
    ('{"a": 1, "b": 2, "\\u0061": 3}', [remove("/a")], '{"b": 2}'),
    ('{"a/b": {"~": 1}}', [put("/a~1b/~0", 2)], '{"a/b": {"~": 2}}'),
    ('{"a": NaN}', [put("/a", float("nan"))], ""),
]  # fmt: skip

CONFIG = """\
# head
lr: 5e-6  # as text
kwargs:
  # keep
  a: 1   # one
  b: [1, 2]

funcs:   # why
- x
# mid
- "y"
txt: |
  hello

  world
flow: {a: 1, "b": 'q'}
none:
last: yes # end
# tail
...
"""

YAML_EDITS: list[tuple[str, list[Put | Remove], str]] = [
    ("a: 5e-6 # c", [put("/a", 5e-6)], "a: 5.0e-06 # c"),
    ("a: 5.0e-06", [put("/a", 5e-6)], ""),
    ("a: 5e-6", [put("/a", "5e-6")], ""),
    ("a: 1", [put("/a", "no")], 'a: "no"'),
    ("a: 1", [put("/b", "1:30")], 'a: 1\nb: "1:30"'),
    ("a: 'x'", [put("/a", "it's")], "a: 'it''s'"),
    ("a: 'x'", [put("/a", "\n")], 'a: "\\n"'),
    ("a: 'x'", [put("/a", 5)], "a: 5"),
    ("a: x", [put("/a", "Qwen/Qwen3-0.6B")], "a: Qwen/Qwen3-0.6B"),
    ("a: 1\r\nb: 2\r\n", [put("/c", [3])], "a: 1\r\nb: 2\r\nc:\r\n  - 3\r\n"),
    ("a:\n- 1\n# c\nb: 2\n...\n", [put("/c", {"d": [3]})],
     "a:\n- 1\n# c\nb: 2\nc:\n    d:\n    - 3\n...\n".replace("    ", "  ")),
    ("a: # c\n  x: 1 # d\n# e\nb: 2", [put("/a/y", 2)], "a: # c\n  x: 1 # d\n  y: 2\n# e\nb: 2"),
    ("a:\n  - x\n", [put("/a/-", "- y"), put("/a/0", 1)], 'a:\n  - 1\n  - "- y"\n'),
    ("a:\nb:  # c\n", [put("/a", 1), put("/b", [1])], "a: 1\nb: [1]  # c\n"),
    ("a:\n- x\n- y\n", [put("/a", 5)], "a: 5\n"),
    ("a:\n- x\n", [put("/a", {"b": [1]})], "a:\n  b:\n  - 1\n"),
    ("a:  # why\n  - x\nb: 1\n", [put("/a", [])], "a: []  # why\nb: 1\n"),
    ("a:\n  - x\n  - y\n  - z\n", [put("/a", ["p", "q"])], "a:\n  - p\n  - q\n"),
    ("a:\n  # c\n  b: 1\nc: 2", [remove("/a/b")], "a: {}\n  # c\nc: 2"),
    ("a: 1 # c\n# d\nb: 2\n", [remove("/a")], "# d\nb: 2\n"),
    ("a: 1\nb: 2", [remove("/b")], "a: 1"),
    ("a: 1", [remove("/a")], "{}"),
    ("{}\n", [put("/a", 1)], "a: 1\n"),
    ("- a: 1\n  b: 2\n- c\n", [remove("/0/a"), put("/0/d", 3)], "- b: 2\n  d: 3\n- c\n"),
    ("- a\n- b\n", [remove("/0"), put("/-", [1])], "- b\n- [1]\n"),
    ("a: |+\n  x\n\nb: |\n  y\n", [put("/c", 1), remove("/b")], "a: |+\n  x\n\nc: 1\n"),
    ("a: |+\n  x\n\n", [put("/b", 1)], "a: |+\n  x\n\nb: 1\n"),
    ("a: |  \n  x\n\n  y\nb: 1", [put("/a", "z")], "a: z\nb: 1"),
    ("{a: 1, b: {c: 2}}", [put("/b/d", "x"), remove("/a")], "{b: {c: 2, d: x}}"),
    ('{"a": 1,\n "b": "x"}', [put("/c", "y")], '{"a": 1,\n "b": "x",\n "c": "y"}'),
    ("[a, b, ]", [put("/-", "c"), remove("/0")], "[b, c, ]"),
    ("a: 1\nb: 2\na: 3\n", [put("/a", 4)], "a: 1\nb: 2\na: 4\n"),
    ("a: 1\nb: 2\na: 3\n", [remove("/a")], "b: 2\n"),
    ("1: a\nyes: b\n", [put("/1", "c"), put("/yes", "d")], "1: c\nyes: d\n"),
    ("a: &x {k: 1}\nb:\n  <<: *x\n", [put("/b/k", 2)], "a: &x {k: 1}\nb:\n  <<: *x\n  k: 2\n"),
    ("a: &x {k: 1}\nb: 1\n", [put("/a/k", 2), put("/b", 3)], "a: &x {k: 2}\nb: 3\n"),
    ("\ufeffa: 1\n", [put("/b", 2)], "\ufeffa: 1\nb: 2\n"),
]  # fmt: skip

TABLE = [("json", *row) for row in JSON_EDITS] + [("yaml", *row) for row in YAML_EDITS]


@pytest.mark.parametrize(("kind", "before", "edits", "after"), TABLE)
def test_edits(kind: Kind, before: str, edits: list[Put | Remove], after: str) -> None:
    result = apply(before.encode(), edits, kind=kind)
    assert result.decode() == (after or before)
    if not any(edit.pointer.endswith("/-") for edit in edits):
        assert apply(result, edits, kind=kind) == result


@pytest.mark.parametrize(
    ("kind", "before", "edit", "reason"),
    [
        ("json", '{"a": 1}', put("/b/c", 1), "there is no /b"),
        ("json", '{"a": 1}', put("/a/c", 1), "/a holds no place for 'c'"),
        ("json", "[1]", put("/2", 1), "the file holds no place for '2'"),
        ("json", "[1]", put("/01", 1), "the file holds no place for '01'"),
        ("json", '{"a": 1', put("/a", 1), "the file is not valid JSON: it ends too early"),
        ("json", "{}", remove(""), "a whole file is not removed by an edit"),
        ("json", "{}", put("a", 1), "'a' is no JSON pointer"),
        ("yaml", "a: [", put("/a", 1), "the file is not valid YAML"),
        ("yaml", "a: &x [1]\nb: *x", put("/b", 1), "/b has or holds an anchor or an alias"),
        ("yaml", "a: &x [1]\nb: *x", put("/a", 1), "/a has or holds an anchor or an alias"),
        ("yaml", "a: &x [1]\nb: *x", put("/b/0", 2), "/b/0 is written elsewhere and merged in"),
        ("yaml", "a: &x [1]\nb: *x", put("/a/0", 2), "would change more than that"),
        ("yaml", "a: &x [1]\nb: *x", remove("/a"), "/a has or holds an anchor or an alias"),
        ("yaml", "a: &x {k: 1}\nb: {<<: *x}", remove("/b/k"), "/b/k comes in through a merge"),
        ("yaml", "a: [ # why\n 1]", put("/a", 1), "the comment '# why' would be lost"),
        ("yaml", "a: | # why\n 1", put("/a", 1), "the comment '# why' would be lost"),
        (
            "yaml",
            "[1, # why\n 2]",
            remove("/0"),
            "a comment is next to what would be removed",
        ),
        ("yaml", "? a\n: 1\n? b\n: 2", remove("/b"), "what is to be removed shares its line"),
    ],
)
def test_what_cannot_be_edited(kind: Kind, before: str, edit: Put | Remove, reason: str) -> None:
    with pytest.raises(CannotEdit) as caught:
        apply(before.encode(), [edit], kind=kind)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("edit", "gone", "come"),
    [
        (put("/lr", 5e-6), ["lr: 5e-6  # as text"], ["lr: 5.0e-06  # as text"]),
        (put("/new", [1]), [], ["new:", "- 1"]),
        (put("/kwargs/c", "x y"), [], ["  c: x y"]),
        (put("/kwargs/b/1", None), ["  b: [1, 2]"], ["  b: [1, null]"]),
        (remove("/kwargs/a"), ["  a: 1   # one"], []),
        (put("/funcs/-", "z"), [], ["- z"]),
        (put("/funcs/1", "z"), ['- "y"'], ['- "z"']),
        (remove("/funcs/0"), ["- x"], []),
        (remove("/txt"), ["txt: |", "  hello", "", "  world"], []),
        (put("/txt", "a"), ["txt: |", "  hello", "", "  world"], ["txt: a"]),
        (put("/flow/c", 1), ["flow: {a: 1, \"b\": 'q'}"], ["flow: {a: 1, \"b\": 'q', \"c\": 1}"]),
        (put("/none", "x"), ["none:"], ["none: x"]),
        (remove("/none"), ["none:"], []),
        (put("/last", False), ["last: yes # end"], ["last: false # end"]),
    ],
)  # fmt: skip
def test_lines_of_a_config(edit: Put | Remove, gone: list[str], come: list[str]) -> None:
    after = apply(CONFIG.encode(), [edit], kind="yaml").decode().split("\n")
    expected = CONFIG.split("\n")
    start = next(
        at for at in range(len(expected)) if expected[at : at + len(gone)] == gone != []
    ) if gone else after.index(come[0])  # fmt: skip
    assert after == expected[:start] + come + expected[start + len(gone) :]


# Random documents, styles and edits

keys = st.text(max_size=4) | st.sampled_from(["a", "b/c", "~", "é", "1", "-", "yes", "<<", "a: b"])
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
    | st.sampled_from(["no", "5e-6", "# x", "a: b", "\ud800", "é", "Qwen/Qwen3", "null", "- x"])
)  # fmt: skip
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
documents = st.dictionaries(keys, values, min_size=1, max_size=4)


@st.composite
def json_texts(draw: st.DrawFn, value: Any) -> bytes:
    """The value as JSON in some style: as json.dumps writes it, or with blanks anywhere."""
    escapes = draw(st.booleans())
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 0, 2, 4, "\t"]))
        separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (",", " : ")]))
        text = json.dumps(value, indent=indent, separators=separators)
        text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    else:
        text = draw(_loose(value))
    if not escapes and "\\u" not in text:
        text = json.dumps(json.loads(text), ensure_ascii=False) if "\n" not in text else text
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    return (mark + text + draw(st.sampled_from(["", "\n"]))).encode()


@st.composite
def _loose(draw: st.DrawFn, value: Any) -> str:
    def blank() -> str:
        return draw(st.sampled_from(["", "", " ", "\n  ", "\r\n\t", "\n\n "]))

    if isinstance(value, list):
        inner = [draw(_loose(item)) for item in value]
    elif isinstance(value, dict):
        inner = [
            json.dumps(key) + blank() + ":" + blank() + draw(_loose(item))
            for key, item in value.items()
        ]
    else:
        return json.dumps(value)
    brackets = "[]" if isinstance(value, list) else "{}"
    body = ",".join(blank() + item + blank() for item in inner) or blank()
    return brackets[0] + body + brackets[1]


Route = tuple[str, ...]


def keys_of(pointer: str) -> Route:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def routes(value: Any, route: Route = ()) -> list[Route]:
    if isinstance(value, list):
        pairs = [(str(index), item) for index, item in enumerate(value)]
    else:
        pairs = list(value.items()) if isinstance(value, dict) else []
    return [route, *(child for key, item in pairs for child in routes(item, (*route, key)))]


def at(value: Any, route: Route) -> Any:
    for key in route:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@st.composite
def edits(draw: st.DrawFn, value: Any) -> Put | Remove:
    """Something to put, to add or to remove anywhere in the value."""
    route = draw(st.sampled_from(routes(value)))
    here = at(value, route)
    actions = ["put"] + ["remove"] * bool(route) + ["add"] * isinstance(here, (list, dict))
    action = draw(st.sampled_from(actions))
    if action == "remove":
        return remove(pointer(*route))
    if action == "put":
        return put(pointer(*route), draw(values))
    new = str(len(here)) if isinstance(here, list) else draw(keys)
    assume(isinstance(here, list) or new not in here)
    return put(pointer(*route, new), draw(values))


def edited(value: Any, edit: Put | Remove) -> Any:
    """What the value should be afterwards, made the plain way on a copy."""
    if not edit.pointer:
        assert isinstance(edit, Put)
        return edit.value
    copy = json.loads(json.dumps(value))
    *route, last = keys_of(edit.pointer)
    holder = at(copy, tuple(route))
    if isinstance(edit, Remove):
        del holder[int(last) if isinstance(holder, list) else last]
    elif isinstance(holder, dict):
        holder[last] = edit.value
    else:
        holder[int(last) :] = [edit.value, *holder[int(last) + 1 :]]
    return copy


@settings(max_examples=400)
@given(st.data())
def test_json_edits_change_only_what_they_name(data: st.DataObject) -> None:
    value = data.draw(documents)
    before = data.draw(json_texts(value))
    edit = data.draw(edits(value))
    after = apply(before, [edit], kind="json")
    plain, result = before.decode().lstrip("\ufeff"), after.decode().lstrip("\ufeff")
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    assert same_value(json.loads(result), edited(value, edit))
    assert apply(after, [edit], kind="json") == after or isinstance(edit, Remove)
    if not edit.pointer:
        return
    route = keys_of(edit.pointer)
    old, new = (json_places.locate(text, route[:-1]) for text in (plain, result))
    assert result[: new.value] == plain[: old.value]
    assert result[new.end :] == plain[old.end :]
    kept = [plain[m.start : m.end] for m in json_places.members(plain, old.value)]
    members = [result[m.start : m.end] for m in json_places.members(result, new.value)]
    holder = at(value, route[:-1])
    index = int(route[-1]) if isinstance(holder, list) else [*holder, route[-1]].index(route[-1])
    if isinstance(edit, Remove):
        assert members == kept[:index] + kept[index + 1 :]
    else:
        assert members[:index] + members[index + 1 :] == kept[:index] + kept[index + 1 :]
    if isinstance(edit, Put) and index == len(kept) > 0:
        assert apply(after, [remove(edit.pointer)], kind="json") == before


@settings(max_examples=150)
@given(st.data())
def test_edits_in_a_row(data: st.DataObject) -> None:
    value = data.draw(documents)
    text = data.draw(json_texts(value))
    row: list[Put | Remove] = []
    for _ in range(3):
        edit = data.draw(edits(value))
        row.append(edit)
        value = edited(value, edit)
    result = apply(text, row, kind="json")
    assert same_value(json.loads(result.decode().lstrip("\ufeff")), value)
    assert result == apply(apply(apply(text, row[:1], kind="json"), row[1:2], kind="json"),
                           row[2:], kind="json")  # fmt: skip


@st.composite
def yaml_lines(draw: st.DrawFn, value: Any, margin: str, indent: str) -> list[str]:
    """The lines of a list or mapping in block style, with comments of their own numbers."""
    lines: list[str] = []
    pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
    for key, item in pairs:
        if draw(st.integers(0, 4)) == 0:
            lines.append(draw(st.sampled_from([margin + "# own line", "# out", "", "  "])))
        head = margin + ("-" if key is None else scalar_text(key) + ":")
        tail = draw(st.sampled_from(["", "", " ", "  # same line"]))
        if isinstance(item, (list, dict)) and item and key is not None and draw(st.booleans()):
            less = "" if isinstance(item, list) else indent
            deeper = margin + draw(st.sampled_from([indent, less]))
            lines += [head + tail, *draw(yaml_lines(item, deeper, indent))]
        elif isinstance(item, str) and item.isalpha() and item.isascii() and draw(st.booleans()):
            lines += [f"{head} |{draw(st.sampled_from(['', '-', '+']))}", f"{margin}    {item}"]
        else:
            lines.append(f"{head} {draw(flow(item))}{tail}")
    return lines


@st.composite
def flow(draw: st.DrawFn, value: Any) -> str:
    gap = draw(st.sampled_from([",", ", ", " , "]))
    if isinstance(value, list):
        return "[" + gap.join(draw(flow(item)) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + gap.join(f"{scalar_text(k)}: {draw(flow(v))}" for k, v in value.items()) + "}"
    return scalar_text(value, draw(st.sampled_from(["", "'", '"'])))


@settings(max_examples=250)
@given(st.data())
def test_yaml_edits_change_only_what_they_name(data: st.DataObject) -> None:
    indent = data.draw(st.sampled_from(["  ", "    "]))
    lines = data.draw(yaml_lines(data.draw(documents), "", indent))
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    ending = data.draw(st.sampled_from([[], [""], ["# tail", ""], ["..."]]))
    if "|" in "".join(lines[-2:]):  # without a line end the last block scalar could not grow one
        ending = ending or [""]
    before = newline.join(["# head", *lines, *ending])
    tree = yaml_text.parse(before.encode())
    value = tree.content
    assert same_value(value, yaml.safe_load(before))
    edit = data.draw(edits(value))
    try:
        after = apply(before.encode(), [edit], kind="yaml").decode()
    except CannotEdit as reason:
        assert "comment" in str(reason)
        return
    assert same_value(yaml.safe_load(after), edited(value, edit))
    # removed twice, the next item of a list goes too, or is held by its comment
    assert isinstance(edit, Remove) or apply(after.encode(), [edit], kind="yaml").decode() == after
    if not edit.pointer:
        return
    *above, last = keys_of(edit.pointer)
    holder = tree.locate(above)
    child = holder.child(last)
    touched = holder if len(holder.parts) < 2 and isinstance(edit, Remove) else child or holder
    start = before.rfind(newline, 0, touched.start) + 1
    end = before.find(newline, touched.end)
    if child or not holder.parts:
        assert after.startswith(before[:start].rstrip())
    else:
        assert after.startswith(before[: holder.parts[-1].end])
        assert apply(after.encode(), [remove(edit.pointer)], kind="yaml").decode() == before
    assert end < 0 or after.endswith(before[end:])


strange = st.lists(
    st.sampled_from(
        ["a: 1\n", "b:\n", "c: &x {k: 1}\n", "d: *x\n", "<<: *x\n", "- a\n", "-\n", "  - b: 1\n",
         "  ", "? e\n", ": 2\n", "f: [1, # c\n  2]\n", "{g: 1,}\n", "[h: 1, i]\n", "# c\n", "---\n",
         "...\n", "j: |\n", "   text\n", "k: !!str 5\n", "l: 'x\n  y'\n", "m: x\n  y\n", "- - z\n",
         '"n" : 1\n', "o: >+\n\n", "p: {? q : r}\n", "s: {t, u: }\n", "\r\n", "v: !!seq []\n"]
    ),
    max_size=7,
).map("".join)  # fmt: skip


@settings(max_examples=400)
@given(st.data())
def test_strange_yaml_is_edited_rightly_or_not_at_all(data: st.DataObject) -> None:
    before = data.draw(strange)
    try:
        value = yaml_text.parse(before.encode()).content
    except Invalid:
        assume(False)
    edit = data.draw(edits(value))
    try:
        after = apply(before.encode(), [edit], kind="yaml")
    except CannotEdit:
        return
    assert same_value(yaml_text.parse(after).content, edited(value, edit))
    assert same_value(yaml.safe_load(after), edited(value, edit))


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("a: [1,\n " + "# " * 40 + "\n 2]\nb: 1\n", put("/b", 2)),
        ("a: {'k': [ " + "#" * 60 + "\n 1]}\nb: 1\n", remove("/b")),
        ("a: " + '{"k": ' * 90 + "1" + "}" * 90 + "\nb: 1\n", put("/b", 2)),
    ],
)
def test_comments_and_brackets_do_not_make_an_edit_slow(before: str, edit: Put | Remove) -> None:
    """Each of the first two took longer than anybody would wait, for two to the number of `#`."""
    assert apply(before.encode(), [edit], kind="yaml").startswith(before[:60].encode())


def test_a_text_with_too_much_to_read_again_is_not_edited() -> None:
    large = "".join(f"k{n}: [1, 2]\n" for n in range(10_000))
    row = [put(f"/k{n}", n) for n in range(20)]
    with pytest.raises(CannotEdit, match="too large for so many changes"):
        apply(large.encode(), row, kind="yaml")
    with pytest.raises(CannotEdit, match="/a is there more than 4 times"):
        apply(b"a: 1\n" * 500, [remove("/a")], kind="yaml")


TEXT = "# top\na: 1 # of a\nb: # of b\n  - 1 # one\n  # two\n  - 2\nc: 3\n# end\n"


@pytest.mark.parametrize(
    ("edit", "lost"),
    [
        (remove("/a"), ["# of a"]),
        (put("/a", [1]), []),
        (remove("/b/0"), ["# one"]),
        (remove("/c"), []),
        (put("/c", {"d": 4}), []),
    ],
)
def test_a_comment_goes_only_with_the_line_that_is_removed(
    edit: Put | Remove, lost: list[str]
) -> None:
    after = apply(TEXT.encode(), [edit], kind="yaml").decode()
    comments = [comment for _, comment in yaml_comments.comments(TEXT) if comment not in lost]
    assert [comment for _, comment in yaml_comments.comments(after)] == comments


@pytest.mark.parametrize("edit", [remove("/b"), put("/b", 3), put("/b", {"x": 1})])
def test_an_edit_that_would_lose_a_comment_is_refused(edit: Put | Remove) -> None:
    with pytest.raises(CannotEdit, match="the comment '# one' would be lost"):
        apply(TEXT.encode(), [edit], kind="yaml")
