"""Writes `trl_doctor/data/trl_releases.json` and `transformers_arguments.json` from the wheels.

Run it where pip is, with trl-doctor installed, and commit what it changes:

    python history/collect.py --cache ~/.cache/trl-history

It asks PyPI through pip for the final releases of trl from 0.7.11 on (0.5 MB each) and for the
first and the last patch of every minor release of transformers from 4.44 on (12 MB each, of
which one file is kept), plus one accelerate. What is in the cache is not downloaded again. No
package is imported: everything is read from the sources with `ast`.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts.library import exports
from trl_doctor.facts.library.classes import Field, Sources
from trl_doctor.facts.library.command import command, launch_options

DATA = Path(__file__).parents[1] / "trl_doctor" / "data"
FIRST_TRL, FIRST_TRANSFORMERS = Version("0.7.11"), Version("4.44.0")
COMMANDS = ("sft", "dpo", "kto", "grpo", "rloo", "reward", "distillation")
REQUIRED = ("transformers", "accelerate", "datasets", "peft", "deepspeed", "liger-kernel", "vllm")
TRAINING_ARGUMENTS = ("transformers", "TrainingArguments")

NAMED = {name for trainer in TRAINERS.values() for name in (trainer.trainer, trainer.config)}
"""The classes that a run file can mean."""

Step = list[Any]
"""`[since, value]`: from this release on; `[since]` alone: gone from this release on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="where unpacked wheels are kept")
    parser.add_argument("--into", type=Path, default=DATA, help="where the data files are written")
    given = parser.parse_args()
    write(given.into / "transformers_arguments.json", transformers_history(given.cache))
    write(given.into / "trl_releases.json", trl_history(given.cache))


def trl_history(cache: Path) -> dict[str, Any]:
    """The history of trl: configs, trainers, commands and requirements, as steps."""
    releases = [release for release in offered("trl") if release >= FIRST_TRL]
    wanted = r"trl/.*\.py|.*/METADATA"
    seen = {
        str(release): trl_release(unpacked(cache, "trl", release, wanted)) for release in releases
    }
    accelerate = offered("accelerate")[-1]
    launcher = unpacked(cache, "accelerate", accelerate, r"accelerate/commands/launch\.py")
    launched = launch_options(Sources({"accelerate": launcher / "accelerate"}))
    return {
        "_about": "Read from the wheels of trl on PyPI by history/collect.py. A step is "
        "[since, value]; [since] alone means gone. Fields are trl's own; a config that extends "
        "TrainingArguments has those of transformers_arguments.json too.",
        "releases": list(seen),
        **{part: steps_of(seen, part) for part in ("requires", "exports", "arguments", "extends")},
        "vllm": steps({release: record["vllm"] for release, record in seen.items()}),
        "commands": {
            part: steps_of({release: record["commands"] for release, record in seen.items()}, part)
            for part in ("classes", "unknown")
        },
        "launch": {"accelerate": str(accelerate), "options": launched},
        "configs": {
            config: steps_of(seen, ("configs", config))
            for config in sorted({name for record in seen.values() for name in record["configs"]})
        },
    }


def trl_release(folder: Path) -> dict[str, Any]:
    """What one unpacked release of trl says about itself."""
    sources = Sources({"trl": folder / "trl"})
    commands = {name: parser for name in COMMANDS if (parser := command(sources, name))}
    trainers = exports.exported(sources, "Trainer")
    homes = {
        name: exports.homes(sources, name)
        for name in trainers | exports.exported(sources, "Config")
    }
    configs = {
        name: definition
        for name, places in homes.items()
        if name.endswith("Config") and is_exported(name, places)
        if (definition := sources.definition(places[0], name))
    }
    for parsed in commands.values():
        configs.update((class_.node.name, class_) for class_ in parsed.classes)
    return {
        "requires": requirements(folder),
        "vllm": vllm_window(sources, requirements(folder).get("vllm")),
        "exports": {name: " ".join(places) for name, places in homes.items()},
        "arguments": {
            name: " ".join(names)
            for name in trainers
            if is_exported(name, homes[name]) and (names := exports.arguments(sources, name))
        },
        "extends": {
            name: "TrainingArguments"
            for name, definition in configs.items()
            if TRAINING_ARGUMENTS in sources.outside(definition)
        },
        "commands": {
            "classes": {
                name: " ".join(class_.node.name for class_ in parser.classes)
                for name, parser in commands.items()
            },
            "unknown": {name: parser.unknown for name, parser in commands.items()},
        },
        "configs": {
            name: plain(sources.fields(definition)) for name, definition in configs.items()
        },
    }


def is_exported(name: str, places: tuple[str, ...]) -> bool:
    """Whether the history tells all of a class: a run can name its trainer, or `trl` has it."""
    return "trl" in places or name in NAMED


def transformers_history(cache: Path) -> dict[str, Any]:
    """The history of transformers' TrainingArguments, as steps."""
    releases = patches(
        release for release in offered("transformers") if release >= FIRST_TRANSFORMERS
    )
    seen = {}
    for release in releases:
        folder = unpacked(
            cache, "transformers", release, r"transformers/(?:training_args|trainer_utils)\.py"
        )
        sources = Sources({"transformers": folder / "transformers"})
        definition = sources.definition(*TRAINING_ARGUMENTS)
        assert definition, f"transformers {release} has no TrainingArguments"
        fields = plain(sources.fields(definition))
        seen[str(release)] = {"fields": fields, "choices": choices(folder / "transformers")}
    return {
        "_about": "The fields of TrainingArguments, and the values of those that are enumerations, "
        "read from the wheels of transformers on PyPI (first and last patch of each minor release) "
        "by history/collect.py. A step is [since, default]; [since] alone means gone.",
        "releases": list(seen),
        "fields": steps_of(seen, "fields"),
        "choices": steps_of(seen, "choices"),
    }


def choices(folder: Path) -> dict[str, str]:
    """The values of the fields that TrainingArguments converts into an enumeration."""
    texts = [
        (folder / f"{name}.py").read_text("utf-8") for name in ("training_args", "trainer_utils")
    ]
    values = {
        node.name: [
            item.value.value
            for item in node.body
            if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant)
        ]
        for text in texts
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and "ExplicitEnum" in map(ast.unparse, node.bases)
    }
    converted = re.findall(r"self\.(\w+) = (\w+)\(self\.\1\)", texts[0])
    return {name: " ".join(values[kind]) for name, kind in converted if kind in values}


def plain(fields: dict[str, Field]) -> dict[str, str | None]:
    return {name: field.default for name, field in fields.items() if field.init}


def requirements(folder: Path) -> dict[str, str]:
    """The version ranges of the METADATA, extras' included, other markers' left out."""
    (metadata,) = folder.glob("*.dist-info/METADATA")
    specifiers: dict[str, list[str]] = {}
    headers = HeaderParser().parsestr(metadata.read_text("utf-8"))
    for line in headers.get_all("Requires-Dist") or []:
        requirement = Requirement(line)
        marker = str(requirement.marker or "")
        name = requirement.name.lower().replace("_", "-")
        own_extra = re.search(r'extra == "([^"]*)"', marker)
        if own_extra and own_extra[1] not in (name, "liger", "quantization"):
            continue
        if "python_version ==" in marker or name not in REQUIRED:
            continue
        specifiers.setdefault(name, []).append(str(requirement.specifier))
    return {name: ",".join(sorted(set(filter(None, parts)))) for name, parts in specifiers.items()}


def vllm_window(sources: Sources, extra: str | None) -> str | None:
    """The vLLM releases that trl checks for, or else those that its extra asks for."""
    module = sources.module("trl.import_utils")
    text = module.text if module else ""
    body = text.partition("def is_vllm_available(")[2].partition("\ndef ")[0]
    bound = r'(?:Version|version\.parse)\("([\d.]+)"\)'
    window = re.search(rf"{bound} <= .* <= {bound}", body)
    if window:
        return f">={window[1]},<={window[2]}"
    exact = re.search(rf"!= {bound}", body)
    return f"=={exact[1]}" if exact else extra


def steps_of(seen: dict[str, Any], part: str | tuple[str, str]) -> dict[str, list[Step]]:
    """The steps of every name in a part of the releases."""
    parts = {release: at(record, part) for release, record in seen.items()}
    names = sorted({name for entries in parts.values() for name in entries})
    return {
        name: steps({release: entries.get(name, ...) for release, entries in parts.items()})
        for name in names
    }


def at(record: dict[str, Any], part: str | tuple[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = (
        record[part] if isinstance(part, str) else record[part[0]].get(part[1], {})
    )
    return result


def steps(values: dict[str, Any]) -> list[Step]:
    """What changes from release to release; `...` stands for not there."""
    result: list[Step] = []
    last: Any = ...
    for release, value in values.items():
        if value != last:
            result.append([release] if value is ... else [release, value])
        last = value
    return result


def offered(distribution: str) -> list[Version]:
    """The final releases on PyPI that are not yanked, oldest first."""
    output = run("index", "versions", distribution)
    (line,) = [line for line in output.splitlines() if line.startswith("Available versions:")]
    versions = (Version(part.strip()) for part in line.partition(":")[2].split(","))
    return sorted(version for version in versions if not version.is_prerelease)


def patches(releases: Iterable[Version]) -> list[Version]:
    """The first and the last patch of every minor release."""
    minors: dict[tuple[int, ...], list[Version]] = {}
    for release in releases:
        minors.setdefault(release.release[:2], []).append(release)
    return [release for group in minors.values() for release in sorted({group[0], group[-1]})]


def unpacked(cache: Path, distribution: str, release: Version, wanted: str) -> Path:
    """The folder with the wanted files of a release, downloaded if it is not there yet."""
    folder = cache / distribution / str(release)
    if not folder.exists():
        print(f"{distribution} {release}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as scratch:
            wheels = ("--no-deps", "--only-binary=:all:", "-d", scratch)
            run("download", "-q", *wheels, f"{distribution}=={release}")
            (wheel,) = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if re.fullmatch(wanted, name)]
                archive.extractall(folder, names)
    return folder


def run(*arguments: str) -> str:
    pip = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(pip, check=True, capture_output=True, text=True).stdout


def write(file: Path, content: dict[str, Any]) -> None:
    """Write the data, one entry a line, so that a change is easy to read."""
    file.write_text(laid_out(content) + "\n")


def laid_out(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, separators=(",", ":"))
    lines = (f"{json.dumps(key)}:{laid_out(item)}" for key, item in value.items())
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    main()
