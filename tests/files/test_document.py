"""Reading JSON and YAML files: the values, the places, and what is refused."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trl_doctor.core.finding import pointer
from trl_doctor.files import document
from trl_doctor.files.document import Unreadable
from trl_doctor.files.edit import same_value
from trl_doctor.files.formats import json_text, text, yaml_text
from trl_doctor.files.formats.yaml_scalar import scalar_text

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0a\nsize 42\n"
DEEP = text.DEPTH_LIMIT

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**30), max_value=10**30)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["\ud800", "no", "5e-6", "1:30", "<<", "=", "~", "# x", "a: b", "- a", "%"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)


def refusal(tmp_path: Path, data: bytes, name: str = "config.json") -> Unreadable:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(Unreadable) as caught:
        document.read(path)
    assert caught.value.path == path
    return caught.value


JSON_REFUSALS: list[tuple[bytes, str, str]] = [
    (b"", "empty", "config.json is empty"),
    (b" \n", "empty", "config.json is empty"),
    (LFS, "lfs-pointer", "is a Git LFS pointer, not the file: run git lfs pull"),
    (b"\xef\xbb\xbf{}", "invalid", "config.json:1:1 starts with a byte order mark"),
    (b"\xff\xfe{\0}\0", "not-text", "is UTF-16 text where UTF-8 is expected"),
    (b'{\n "a": "\xe9"}', "not-text", "config.json:2:8 is not UTF-8 text: byte 9 is 0xe9"),
    (b'{"a": "\xed\xa0\x80"}', "not-text", "byte 7 is 0xed"),
    (b"\0" * 512, "not-text", "byte 0 is zero"),
    (b'{"a": 1} x', "invalid", "config.json:1:10 is not valid JSON: something follows"),
    (b'{\n  "a": 1\n  "b": 2}', "invalid", "json:3:3 is not valid JSON: expecting ',' after"),
    (b'{"a" 1}', "invalid", ":1:6 is not valid JSON: expecting ':' after a key"),
    (b'{"a": 1,\n}', "invalid", ":1:8 is not valid JSON: a comma before a closing bracket"),
    (b"[1, 2,]", "invalid", ":1:6 is not valid JSON: a comma before a closing bracket"),
    (b'{"a": [1', "invalid", ":1:9 is not valid JSON: it ends too early"),
    (b'{"a": "b', "invalid", ":1:7 is not valid JSON: a string is not closed"),
    (b'{"a": "b\nc"}', "invalid", ":1:9 is not valid JSON: a line break or control"),
    (b'{\n  // no\n  "a": 1}', "invalid", ":2:3 is not valid JSON: a comment"),
    (b"{'a': 1}", "invalid", ":1:2 is not valid JSON: single quotes where"),
    (b'{"a": None}', "invalid", ":1:7 is not valid JSON: None where JSON writes null"),
    (b'{\n<<<<<<< HEAD\n"a": 1\n}', "invalid", ":2:1 is not valid JSON: a merge conflict"),
    (b'{"a": ' + b"9" * 5000 + b"}", "invalid", ":1:7 is not valid JSON: a number has more"),
    (b"[" * 100_000, "too-deep", f":1:{DEEP + 1} nests lists and objects deeper than {DEEP}"),
    (b'{"a":' * 100_000, "too-deep", f"deeper than {DEEP}"),
    (b"[" * 101 + b"]" * 101, "too-deep", f":1:{DEEP + 1} nests"),
    (b"[" + b"{}," * 2_000_000 + b"0]", "too-large", "more than 2,000,000 lists and objects"),
]


@pytest.mark.parametrize(("data", "kind", "says"), JSON_REFUSALS, ids=[r[2] for r in JSON_REFUSALS])
def test_json_refusals(tmp_path: Path, data: bytes, kind: str, says: str) -> None:
    error = refusal(tmp_path, data)
    assert error.kind == kind
    assert says in str(error)


YAML_REFUSALS: list[tuple[bytes, str, str]] = [
        (b"a: 1\n---\nb: 2\n", "invalid", "run.yaml:2:1 is not valid YAML: a second document"),
        (b"a: !!python/object:os.system x", "invalid", ":1:4 is not valid YAML: the tag !!python"),
        (b"a: !!binary aGk=", "invalid", "the tag !!binary is not read here"),
        (b"a:\n\t- 1", "invalid", ":2:1 is not valid YAML: use spaces here, not a tab"),
        (b'{\n\t"a": 1}', "invalid", ":2:1 is not valid YAML: use spaces here"),
        (b"a: b: c", "invalid", ":1:5 is not valid YAML: a ':' too many on this line"),
        (b"a:\n  - 1\n - 2", "invalid", ":3:2 is not valid YAML: the indentation does not fit"),
        (b"a: [1, 2", "invalid", "a bracket is not closed"),
        (b"a: 'b", "invalid", "a quote is not closed"),
        (b"a: \x07", "invalid", ":1:4 is not valid YAML: a character that YAML does not allow"),
        (b'a: "\\UFFFFFFFF"', "invalid", "there is an escape for no character"),
        (b"? [a]\n: b", "invalid", "a list or mapping is used as a key"),
        (b"a: *x", "invalid", ":1:4 is not valid YAML: the alias *x has no anchor before it"),
        (b"a: &x [*x]", "invalid", ":1:8 is not valid YAML: the alias *x is inside its own"),
        (b"a: &x 1\nb: &x 2", "invalid", ":2:4 is not valid YAML: the anchor &x occurs twice"),
        (b"a: =", "invalid", "a value that does not fit its type"),
        (b"a: 0x_", "invalid", "a value that does not fit its type"),
        (b"<<: 5", "invalid", "<< merges what is no mapping"),
        (b"a: \xff", "not-text", "byte 3 is 0xff"),
        (b"a: \0", "not-text", "byte 3 is zero"),
        (b"#" * 2**20 + b"\n", "too-large", "is larger than 256 KiB of YAML"),
        (b"[" * 100_000, "too-deep", f":1:{DEEP + 1} nests"),
        (b"- " * 100_000, "too-deep", f"deeper than {DEEP}"),
        (b"a: &a [" + b"[" * 60 + b"]" * 61 + b"\nb: " + b"[" * 60 + b"*a" + b"]" * 60,
         "too-deep", ":2:64 nests"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "says"), YAML_REFUSALS, ids=[r[2] for r in YAML_REFUSALS])
def test_yaml_refusals(tmp_path: Path, data: bytes, kind: str, says: str) -> None:
    error = refusal(tmp_path, data, "run.yaml")
    assert error.kind == kind
    assert says in str(error)


def test_a_billion_laughs(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert refusal(tmp_path, "\n".join(lines).encode(), "run.yaml").kind == "too-large"


def test_merges_of_merges_are_counted_too(tmp_path: Path) -> None:
    lines = ["m0: &m0 {" + ", ".join(f"k{i}: 1" for i in range(200)) + "}"]
    lines += [f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 10)}]}}" for i in range(1, 7)]
    assert refusal(tmp_path, "\n".join(lines).encode(), "run.yaml").kind == "too-large"


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "dangling.json").symlink_to("nowhere")
    (tmp_path / "loop.json").symlink_to("loop.json")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "s.json"))
    cases = {
        "pipe.json": ("not-a-file", "pipe.json is a named pipe, not a file"),
        "s.json": ("not-a-file", "s.json is a socket, not a file"),
        ".": ("not-a-file", "is a folder, not a file"),
        "/dev/zero": ("not-a-file", "zero is a device, not a file"),
        "none.json": ("missing", "there is no none.json"),
        "none/none.json": ("missing", "there is no none.json"),
        "dangling.json": ("missing", "dangling.json is a link to a file that does not exist"),
        "loop.json": ("not-a-file", "loop.json cannot be read: "),
        "a\0b.json": ("not-a-file", "cannot be read: "),
    }
    for name, (kind, says) in cases.items():
        with pytest.raises(Unreadable) as caught:
            document.read(tmp_path / name)
        assert (caught.value.kind, says in str(caught.value)) == (kind, True), str(caught.value)
        assert caught.value.line is None
    server.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.json").chmod(0)
    with pytest.raises(Unreadable, match=r"a\.json may not be read: permission denied") as caught:
        document.read(tmp_path / "a.json")
    assert caught.value.kind == "permission"


def test_the_size_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(document.SIZE_LIMIT + 1)
    with pytest.raises(Unreadable, match=r"a\.json is larger than 64 MiB") as caught:
        document.read(path)
    assert caught.value.kind == "too-large"


@pytest.mark.parametrize(
    ("name", "data", "format", "value"),
    [
        ("a.json", b'{"lr": 5e-6}', "json", {"lr": 5e-6}),
        ("a.yaml", b'{"lr": 5e-6}', "yaml", {"lr": "5e-6"}),
        ("a.YML", b"lr: 1", "yaml", {"lr": 1}),
        ("a.conf", b'{"lr": 5e-6}', "json", {"lr": 5e-6}),
        ("a", b"{lr: 1}", "yaml", {"lr": 1}),
        ("a", b"lr: 1", "yaml", {"lr": 1}),
        ("a.yaml", b"\xef\xbb\xbflr: 1\n", "yaml", {"lr": 1}),
        ("a.yaml", b"# nothing\n", "yaml", None),
    ],
)
def test_formats(tmp_path: Path, name: str, data: bytes, format: str, value: Any) -> None:
    (tmp_path / name).write_bytes(data)
    result = document.read(tmp_path / name)
    assert (result.format, result.data) == (format, data)
    assert same_value(result.value, value)


@pytest.mark.parametrize(
    ("data", "says"),
    [(b'{"a": 1', "is not valid JSON: it ends too early"), (b"a: [", "is not valid YAML")],
)
def test_of_two_errors_the_likely_one_is_reported(tmp_path: Path, data: bytes, says: str) -> None:
    assert says in str(refusal(tmp_path, data, "run.conf"))


def test_get_and_mapping(tmp_path: Path) -> None:
    nested = document.parse(Path("a.json"), b'\n{"a": [{"b": null}, 7], "1": 2}')
    assert nested.get("a", 1) == 7
    assert nested.get("a", 0, "b", default=5) is None
    for route in (("a", 2), ("a", -1), ("a", "1"), ("x",), ("a", 0, "b", "c"), (1,)):
        assert nested.get(*route, default="none") == "none"
    assert nested.mapping() is nested.value
    for name, data, says in (
        ("a.json", b"\n [1]", r"^a.json:2:2 is a list where a JSON object is expected$"),
        ("a.yaml", b"just text", r"^a.yaml:1:1 is a text where a mapping of keys is expected$"),
        ("a.yaml", b"# only\n", r"^a.yaml holds no value$"),
    ):
        with pytest.raises(Unreadable, match=says):
            document.parse(Path(name), data).mapping()


JSON_TEXT = '{\r\n  "a": [1, {"b/c": 2}],\r\n "é": "x", "a":\n\t[ 3,\n4 ]}'
YAML_TEXT = """\
# head
base: &base {lr: 1, "k": [x, y]}
run:
  <<: *base
  note: |
    two
  list:
  - one   # c
  - k: v
empty:
alias: *base
run2: {a: 1, a: 2}
"""


@pytest.mark.parametrize(
    ("source", "pointer", "key", "value"),
    [
        (JSON_TEXT, "", (1, 1), (1, 1)),
        (JSON_TEXT, "/a", (3, 12), (4, 2)),
        (JSON_TEXT, "/a/1", (5, 1), (5, 1)),
        (JSON_TEXT, "/a/2", (3, 12), (4, 2)),
        (JSON_TEXT, "/a/01", (3, 12), (4, 2)),
        (JSON_TEXT, "/é", (3, 2), (3, 7)),
        (JSON_TEXT, "/é/deeper/0", (3, 2), (3, 7)),
        (JSON_TEXT, "/none/x", (1, 1), (1, 1)),
        ('[{"b/c": {"~": 1}}]', "/0/b~1c/~0", (1, 11), (1, 16)),
        ('{"\\u0061": {"a\\"b": 1}}', '/a/a"b', (1, 13), (1, 21)),
        (YAML_TEXT, "", (2, 1), (2, 1)),
        (YAML_TEXT, "/base/k/1", (2, 30), (2, 30)),
        (YAML_TEXT, "/base/k", (2, 21), (2, 26)),
        (YAML_TEXT, "/run/note", (5, 3), (5, 9)),
        (YAML_TEXT, "/run/lr", (2, 14), (2, 18)),
        (YAML_TEXT, "/run/list", (7, 3), (8, 3)),
        (YAML_TEXT, "/run/list/1/k", (9, 5), (9, 8)),
        (YAML_TEXT, "/run/list/1", (9, 5), (9, 5)),
        (YAML_TEXT, "/empty", (10, 1), (10, 7)),
        (YAML_TEXT, "/alias", (11, 1), (11, 8)),
        (YAML_TEXT, "/alias/lr", (2, 14), (2, 18)),
        (YAML_TEXT, "/run2/a", (12, 14), (12, 17)),
        (YAML_TEXT, "/none", (2, 1), (2, 1)),
        ("# only a comment\n", "/none", (1, 1), (1, 1)),
    ],
)
def test_positions(source: str, pointer: str, key: tuple[int, int], value: tuple[int, int]) -> None:
    name = "a.yaml" if source.startswith("#") else "a.json"
    result = document.parse(Path(name), source.encode())
    assert result.position(pointer) == document.Position(*key)
    assert result.value_position(pointer) == document.Position(*value)


def test_a_byte_order_mark_takes_no_column() -> None:
    result = document.parse(Path("a.yaml"), b"\xef\xbb\xbfa: {b: 1}\n")
    assert result.position("/a/b") == document.Position(1, 5)
    assert result.line_text(1) == "a: {b: 1}"


def test_line_text() -> None:
    result = document.parse(Path("a.json"), JSON_TEXT.encode())
    lines = [result.line_text(line) for line in range(7)]
    assert lines == ["", "{", '  "a": [1, {"b/c": 2}],', ' "é": "x", "a":', "\t[ 3,", "4 ]}", ""]


def routes(value: Any, route: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    pairs: Any = ()
    if isinstance(value, (list, dict)):
        pairs = enumerate(value) if isinstance(value, list) else value.items()
    return [route, *(child for key, item in pairs for child in routes(item, (*route, key)))]


@given(values, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_every_position_is_that_of_its_value(value: Any, indent: Any, escapes: bool) -> None:
    try:
        data = json.dumps(value, indent=indent, ensure_ascii=escapes).encode()
    except UnicodeEncodeError:
        data = json.dumps(value, indent=indent).encode()
    result = document.parse(Path("a.json"), data)
    lines = data.decode().split("\n")
    for route in routes(value):
        at = result.value_position(pointer(*route))
        rest = "\n".join([lines[at.line - 1][at.column - 1 :], *lines[at.line :]])
        assert same_value(json.JSONDecoder().raw_decode(rest)[0], result.get(*route))
        at = result.position(pointer(*route))
        if route and isinstance(route[-1], str):
            rest = lines[at.line - 1][at.column - 1 :]
            assert json.JSONDecoder().raw_decode(rest)[0] == route[-1]


def outcome(function: Any, argument: Any) -> Any:
    try:
        return [function(argument)]
    except (ValueError, text.Invalid):
        return None


def as_python_reads(data: bytes) -> Any:
    return json.loads(data.decode())


json_bits = st.sampled_from(
    ["{", "}", "[", "]", ",", ":", " ", "\n", '"', '"a"', "\\", "\\u", "\\ud83d", "1", "-", "0",
     "1e400", ".5", "1.", "01", "-0", "NaN", "-Infinity", "true", "nul", "null", "é", "\t", "\x7f",
     '"\\ud800"', '"\\ud83d\\ude00"', "12345678901234567890", "1" * 400, "/", "#", "\ufeff"]
)  # fmt: skip


@st.composite
def almost_json(draw: st.DrawFn) -> bytes:
    source = draw(values.map(json.dumps) | st.lists(json_bits, max_size=8).map("".join))
    at = draw(st.integers(0, len(source)))
    return (source[:at] + draw(json_bits | st.just("")) + source[at:]).encode()


@settings(max_examples=300)
@given(almost_json())
@example(b"\xef\xbb\xbf1")
def test_the_same_as_json_with_and_without_msgspec(source: bytes) -> None:
    expected = outcome(as_python_reads, source)
    for padding in (b"", b" " * json_text.LARGE):
        result = outcome(json_text.parse, source + padding)
        assert (result is None) == (expected is None)
        assert result is None or same_value(result, expected)


@given(st.binary(max_size=12))
def test_invalid_utf8_is_refused_by_both_decoders(noise: bytes) -> None:
    for padding in (b"", b" " * json_text.LARGE):
        source = b'{"' + noise + b'": "' + noise + b'"}' + padding
        try:
            source.decode()
        except UnicodeDecodeError:
            with pytest.raises(text.Invalid):
                json_text.parse(source)


class Reference(yaml.SafeLoader):
    """PyYAML's safe loader, with keys and timestamps as they are written."""


def _mapping(loader: Any, node: Any) -> dict[str, Any]:
    loader.flatten_mapping(node)
    loaded = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.YAMLError("a key that cannot be hashed")
        loader.construct_object(key, deep=True)
        loaded[key.value] = loader.construct_object(value, deep=True)
    return loaded


Reference.add_constructor("tag:yaml.org,2002:map", _mapping)
Reference.add_constructor(
    "tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node)
)


def as_pyyaml_reads(source: str) -> Any:
    return yaml.load(source, Reference)


PLAIN = """
null Null ~ yes Yes YES no on Off true TRUE y n tRUE 1 -1 +1 0 -0 00 007 08 0o7 0b101 0b 0x1F 0xg
1_000 _1 1_ 1:30 1:60 190:20:30 1:30.5 -1:30 0:5 5e-6 5E6 1e5 1.0e5 1.0e+5 1.e-3 .5 .5e-3 ._5 1.
1_0.5 .inf -.INF +.Inf .nan -.nan .NaN inf nan NaN 2024-01-02 2024-1-2 2024-01-02T03:04:05Z - ---
12:30:45 = << <<x a-b a:b a#b 1,000 1.2.3 @ None <|im_end|> Qwen/Qwen3-0.6B 0_ 0_7 +0x1f 1e1000
1.0e+1000 ${x} ''
"""


@pytest.mark.parametrize("word", PLAIN.split())
@pytest.mark.parametrize("form", ["- {}", "k: {}", "[{}]", "{}: v", "{{k: {}}}", "! {}"])
def test_plain_scalars_are_read_as_pyyaml_reads_them(word: str, form: str) -> None:
    source = form.format(word)
    try:
        expected = as_pyyaml_reads(source)
    except (yaml.YAMLError, ValueError):
        with pytest.raises(text.Invalid):
            yaml_text.parse(source.encode())
    else:
        assert same_value(yaml_text.parse(source.encode()).content, expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("lr: 5e-6\nn: 1_000\nt: 1:30\nd: 2024-01-02\no: 010", None),
        ("1: a\nyes: b\n~: c\n2024-01-02: d\n'q': e", None),
        ("a: 1\na: 2", {"a": 2}),
        ("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\ne: *x", None),
        ("a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc: {<<: [*x, *y], m: 4}", None),
        ("a: &x {k: 1}\nb: &y {<<: *x, l: 1}\nc: {l: 2, <<: *y}", None),
        ("a: !!str 5\nb: !!int '5'\nc: !!float 1\nd: !!bool 'yes'\ne: !!null x\nf: !!seq []", None),
        ("a: \"\\x41\\u00e9\\\n  z\"\nb: 'it''s'\nc: >-\n  x\n  y\n\n  z\nd: |+\n  k\n\n", None),
        ("? a\n: - b\n  - - c\n    - d\n", None),
        ("%YAML 1.1\n---\na: 1\n...\n# end\n", None),
        ('{"a": [1, 2.5e-3, true, null], "b": "\\u00e9"}', None),
        ("a: x\u2028  y\nb: 'p\x85  q'\r\nc: 1\r\n", None),
        ("&a a: &b 1\n*a : *b", {"a": 1}),
        ("=: 1\n'<<': 2", None),
    ],
)
def test_yaml_values(source: str, expected: Any) -> None:
    result = yaml_text.parse(source.encode()).content
    assert same_value(result, as_pyyaml_reads(source))
    assert expected is None or same_value(result, expected)


yaml_bits = st.sampled_from(
    ["\n", "\n  ", "\n- ", ": ", ":", "- ", "? ", "{", "}", "[", "]", ", ", " #", "'", '"',
     "|\n", " >-\n  ", "|+\n  ", "yes", "1:30", "a", "b: 1", "5e-6", "{a: 1}", "[x, y]", "é",
     "x y", "\r\n"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(yaml_bits, max_size=10).map("".join))
def test_yaml_like_text_is_read_as_pyyaml_reads_it(source: str) -> None:
    try:
        expected = [as_pyyaml_reads("k: 1\n" + source)]
    except yaml.YAMLError:
        expected = None
    result = outcome(yaml_text.parse, ("k: 1\n" + source).encode())
    assert (result is None) == (expected is None)
    assert result is None or expected is None or same_value(result[0].content, expected[0])


FORMS: dict[str, Any] = {
    "{}": lambda data: data,
    "- {} # c": lambda data: data[0],
    "k: {}\n": lambda data: data["k"],
    "[{}, 1]": lambda data: data[0],
    "{{k: {}}}": lambda data: data["k"],
}


@given(scalars, st.sampled_from(["", "'", '"']))
def test_a_written_scalar_is_read_again(value: Any, quote: Any) -> None:
    for form, get in FORMS.items():
        source = form.format(scalar_text(value, quote))
        assert same_value(get(as_pyyaml_reads(source)), value)
        assert same_value(get(yaml_text.parse(source.encode()).content), value)


@given(st.text(max_size=12))
def test_a_written_key_is_read_again(key: str) -> None:
    for form in ("{}: 1\n", "{{{}: 1}}"):
        assert yaml.safe_load(form.format(scalar_text(key))) == {key: 1}
