"""The inputs of a job of Azure ML, which its command names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.files import document
from trl_doctor.files.launch.templates import plain_yaml

INPUT = re.compile(r"\$\{\{\s*inputs\.([\w-]+)\s*\}\}")


def with_inputs(text: str, inputs: Mapping[str, Json]) -> str:
    """A text in which the names of inputs are replaced by their values.

    Files and folders stay: where they are on the machine of the job is not known here.
    """

    def value(match: re.Match[str]) -> str:
        given = inputs.get(match[1])
        is_place = isinstance(given, str) and given.startswith(("azureml:", "http"))
        if is_place or not isinstance(given, str | int | float):
            return match[0]
        return str(given)

    return INPUT.sub(value, text)


def filled(path: Path, data: bytes) -> bytes:
    """The file of a job with the values of its own inputs."""
    if b"inputs." not in data:
        return data
    inputs = document.parse(path, plain_yaml(data)).mapping().get("inputs")
    if not isinstance(inputs, dict):
        return data
    return with_inputs(data.decode("utf-8", "surrogateescape"), inputs).encode(
        "utf-8", "surrogateescape"
    )
