"""How a candidate's files may lie: weights, tokenizers, templates and rows in other forms."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from changes import Change
from drafts import Draft


def laid(
    name: str,
    lay: Callable[[Path], object],
    *words: str,
    silent: bool = False,
    fits: Callable[[Draft], bool] = lambda draft: True,
) -> Change:
    """Files of the candidate's folder changed after it was written."""

    def edit(draft: Draft) -> tuple[str, ...]:
        if not fits(draft):
            return ()
        draft.after.append(lay)
        return (name, *words)

    return Change(name, edit, silent)


def conversations(draft: Draft) -> bool:
    return draft.conversational


def in_lines(draft: Draft) -> bool:
    """Whether the rows are JSON Lines; they are from here on where they can be."""
    draft.rows_as = "jsonl"
    return True


def json_of(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """A JSON file with its value changed in place."""
    value = json.loads(file.read_text())
    change(value)
    file.write_text(json.dumps(value, indent=2))


def in_json(file: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    return lambda folder: json_of(folder / file, change)


def template_file(text: str | None, name: str = "chat_template.jinja", keep: bool = False) -> Any:
    """The template in a file of its own; None writes the one of tokenizer_config.json."""

    def lay(folder: Path) -> None:
        data = json.loads((folder / "model/tokenizer_config.json").read_text())
        template = text if text is not None else data["chat_template"]
        file = folder / "model" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(template)
        if not keep:
            del data["chat_template"]
            (folder / "model/tokenizer_config.json").write_text(json.dumps(data))

    return lay


def shards(wrong: Callable[[dict[str, Any]], object] = lambda index: None) -> Any:
    """The weights in two files with an index; `wrong` changes the index."""

    def lay(folder: Path) -> None:
        file = folder / "model/model.safetensors"
        header, data = parts(file)
        names = sorted(key for key in header if key != "__metadata__")
        index: dict[str, Any] = {"metadata": {"total_size": len(data)}, "weight_map": {}}
        for at, half in enumerate((names[::2], names[1::2]), 1):
            name = f"model-{at:05}-of-00002.safetensors"
            file.with_name(name).write_bytes(some(header, data, half))
            index["weight_map"] |= dict.fromkeys(half, name)
        wrong(index)
        file.with_name("model.safetensors.index.json").write_text(json.dumps(index))
        file.unlink()

    return lay


def parts(file: Path) -> tuple[dict[str, Any], bytes]:
    """A safetensors file's header and data."""
    raw = file.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    return json.loads(raw[8 : 8 + size]), raw[8 + size :]


def some(header: dict[str, Any], data: bytes, names: list[str]) -> bytes:
    """A safetensors file of some of the tensors."""
    new_header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name in names:
        start, end = header[name]["data_offsets"]
        new_header[name] = {**header[name], "data_offsets": [len(body), len(body) + end - start]}
        body += data[start:end]
    text = json.dumps(new_header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def without(pattern: str) -> Callable[[Path], None]:
    """The weights without tensors whose names contain this."""

    def lay(folder: Path) -> None:
        file = folder / "model/model.safetensors"
        header, data = parts(file)
        names = [key for key in header if key != "__metadata__" and pattern not in key]
        file.write_bytes(some(header, data, names))

    return lay


def cut(file: str, share: float) -> Callable[[Path], None]:
    """A file of which only the first part arrived."""

    def lay(folder: Path) -> None:
        raw = (folder / file).read_bytes()
        (folder / file).write_bytes(raw[: int(len(raw) * share)])

    return lay


def renamed(old: str, new: str) -> Callable[[Path], None]:
    def lay(folder: Path) -> None:
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)

    return lay


def wrote(file: str, text: str | bytes) -> Callable[[Path], None]:
    def lay(folder: Path) -> None:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())

    return lay


def recoded(encoding: str) -> Callable[[Path], None]:
    """The training rows in another encoding."""

    def lay(folder: Path) -> None:
        file = folder / "data/train.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in lines)
        file.write_bytes(text.encode(encoding))

    return lay


def zipped(folder: Path) -> None:
    """The training rows compressed."""
    file = folder / "data/train.jsonl"
    with gzip.open(f"{file}.gz", "wb") as out:
        out.write(file.read_bytes())
    file.unlink()


def linked(folder: Path) -> None:
    """The model's files as links, as the Hub's cache has them."""
    (folder / "blobs").mkdir()
    for file in list((folder / "model").iterdir()):
        blob = folder / "blobs" / file.name
        shutil.move(file, blob)
        file.symlink_to(blob)


def vocabulary(folder: Path) -> None:
    """vocab.json and merges.txt in place of tokenizer.json."""
    file = folder / "model/tokenizer.json"
    model = json.loads(file.read_text())["model"]
    (folder / "model/vocab.json").write_text(json.dumps(model["vocab"]))
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    (folder / "model/merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")
    json_of(file.with_name("tokenizer_config.json"), lambda data: data.update(
        tokenizer_class="Qwen2Tokenizer"))  # fmt: skip
    file.unlink()
