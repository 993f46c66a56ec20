"""The chat templates that a tokenizer will have, and the file that each comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.facts.tokenizer.chosen import Unloadable
from trl_doctor.files import document
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder

FILE = "chat_template.jinja"
FOLDER = "additional_chat_templates"
CONFIG = "tokenizer_config.json"


class ChatTemplate(Struct, frozen=True):
    """The text of a template, and the file or pointer where it is defined."""

    text: str
    place: Place


def chat_templates(folder: Folder, version: Version) -> Mapping[str, ChatTemplate]:
    """The templates by name; a template without a name is "default".

    Template files, in releases that read them, replace all templates of tokenizer_config.json.
    chat_template.json belongs to the processor and is not read here.
    """
    from_files = dict(_files(folder, version))
    if from_files:
        return from_files
    config = folder.get(CONFIG)
    value = config.mapping().get("chat_template") if config else None
    return dict(_configured(value, folder))


def _files(folder: Folder, version: Version) -> Iterator[tuple[str, ChatTemplate]]:
    if version >= Version("4.47") and folder.has(FILE):
        yield "default", _template(folder, FILE)
    if version >= Version("4.52") and folder.file(FOLDER).is_dir():
        for name in Folder(folder.file(FOLDER), FOLDER).names():
            if name.endswith(".jinja"):
                yield name.removesuffix(".jinja"), _template(folder, f"{FOLDER}/{name}")


def _template(folder: Folder, name: str) -> ChatTemplate:
    file = folder.file(name)
    try:
        text = document.read_bytes(file).decode()
    except UnicodeDecodeError:
        raise Unreadable(file, "not-text", "is not UTF-8 text") from None
    except Unreadable as error:
        if error.kind != "empty":
            raise
        text = ""
    return ChatTemplate(text.replace("\r\n", "\n").replace("\r", "\n"), Place(file))


def _configured(value: Json, folder: Folder) -> Iterator[tuple[str, ChatTemplate]]:
    """The templates of tokenizer_config.json: a text, a list of named ones, or an object."""
    at = pointer("chat_template")
    file = folder.file(CONFIG)
    if isinstance(value, str):
        yield "default", ChatTemplate(value, Place(file, at))
    elif isinstance(value, dict):
        for key, text in value.items():
            if isinstance(text, str):
                yield key, ChatTemplate(text, Place(file, at + pointer(key)))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            name = entry.get("name") if isinstance(entry, dict) else None
            body = entry.get("template") if isinstance(entry, dict) else None
            if not isinstance(name, str) or not isinstance(body, str):
                raise Unloadable(
                    f"chat_template in {CONFIG} lists something without name or template"
                )
            yield name, ChatTemplate(body, Place(file, at + pointer(number, "template")))
    elif value is not None:
        raise Unloadable(f"chat_template in {CONFIG} is no text")
