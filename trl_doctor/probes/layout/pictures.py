"""Rows with images: the run's own or made ones lie as files beside the rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..child import line
from ..loading.config import FILE, mapping
from ..refusal import Refused
from ..small_model.shrink import Tiny

COLUMNS = ("images", "image")
"""Where trainers of TRL look for images: several in a row, or one."""

FOLDER, MADE = "images", "made"
SIZE = (64, 48)
"""Width and height of a made image, in pixels."""

COLOURS = ((200, 40, 40), (40, 120, 200))


def sees(folder: str | None) -> bool:
    """Whether config.json of a model describes a part for images."""
    return bool(folder) and isinstance(mapping(Path(str(folder)) / FILE).get("vision_config"), dict)


def added(rows: list[dict[str, Any]], request: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows, each with an image of one colour where the policy sees images.

    As they are where Pillow is not installed, and where the request is for texts alone.
    """
    if request.get("text_only") or not sees(request.get("folders", {}).get("policy")):
        return rows
    try:
        from PIL import Image
    except ImportError:
        return rows
    pictures = []
    for at, row in enumerate(rows):
        image = Image.new("RGB", SIZE, COLOURS[at % len(COLOURS)])
        image.info[MADE] = True
        pictures.append({**row, "images": [image]})
    return pictures


def written(
    rows: list[dict[str, Any]], into: Path, roots: list[str]
) -> tuple[list[dict[str, Any]], dict[str, bool]]:
    """The rows with paths where they hold images, and the columns of these: whether of lists.

    Paths are relative to the folder, into which the images are written. A text in such a column
    is the path of a file below the roots, and stays a text; without roots it may be anything.
    Raises `Refused` for others.
    """
    columns: dict[str, bool] = {}
    changed = []
    for at, row in enumerate(rows):
        new = dict(row)
        for name in COLUMNS:
            if name in row and row[name] is not None:
                listed = isinstance(row[name], (list, tuple))
                images = list(row[name]) if listed else [row[name]]
                if not roots and not any(map(_is_image, images)):
                    continue
                paths = [_path(image, f"{at}-{n}", into, roots) for n, image in enumerate(images)]
                if any(_is_image(image) for image in images):
                    columns[name] = listed
                new[name] = paths if listed else paths[0]
        if _holds_image({name: value for name, value in new.items() if name not in COLUMNS}):
            raise Refused("its rows hold images elsewhere than in a column `images`")
        changed.append(new)
    return changed, columns


def made_here() -> bool:
    """Whether made images are in the working folder."""
    return any(Path(FOLDER).glob(f"{MADE}-*"))


def cleared() -> None:
    """Leave nothing in the working folder."""
    for path in Path.cwd().iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _path(image: Any, name: str, into: Path, roots: list[str]) -> str:
    if isinstance(image, str):
        places = [Path(root) / image for root in roots]
        files = [str(place.absolute()) for place in places if place.is_file()]
        if not files:
            raise Refused(f"the image {image:.80} of a row is not on this machine")
        return files[0]
    if not _is_image(image):
        raise Refused(f"a row holds a {type(image).__name__} in place of an image")
    prefix = f"{MADE}-" if image.info.get(MADE) else ""
    place = into / FOLDER / f"{prefix}{name}.png"
    place.parent.mkdir(exist_ok=True)
    image.convert("RGB").save(place)
    return f"{FOLDER}/{place.name}"


def _is_image(value: Any) -> bool:
    return hasattr(value, "convert") and hasattr(value, "size")


def _holds_image(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_image, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_image, value))
    return _is_image(value)


def tried(tiny: Tiny, trusted: bool) -> None:
    """Raises `Refused` if the small model takes no image from its processor, TRL or not.

    What the processor itself raises is left to the trainer: it is the candidate's own, not made
    smaller.
    """
    import torch
    from PIL import Image
    from transformers import AutoProcessor

    try:
        processor = AutoProcessor.from_pretrained(str(tiny.folder), trust_remote_code=trusted)
    except Exception:  # the trainer says so itself
        return
    if not hasattr(processor, "image_processor"):
        return
    model, reason = tiny.loaded(trusted, torch.float32).eval(), ""
    for text in _texts(processor):
        image = Image.new("RGB", SIZE, COLOURS[0])
        try:
            inputs = processor(text=[text], images=[[image]], return_tensors="pt")
        except Exception:
            continue
        try:
            with torch.no_grad():
                model(**inputs)
            return
        except Exception as error:
            reason = reason or line(error)
    if reason:
        raise Refused(f"the small {tiny.architecture} takes no image here: {reason}")


def _texts(processor: Any) -> Iterator[str]:
    """Texts with a place for an image: by the processor's own token, and by its template."""
    for name in ("boi_token", "image_token"):
        token = getattr(processor, name, None)
        if isinstance(token, str):
            yield f"{token}\nWhat is this?"
            break
    question = [{"type": "image"}, {"type": "text", "text": "What is this?"}]
    try:
        yield processor.apply_chat_template([{"role": "user", "content": question}], tokenize=False)
    except Exception:
        return
