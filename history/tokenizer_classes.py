"""Writes trl_doctor/data/tokenizers.json: what each transformers tokenizer class does unasked.

    python history/tokenizer_classes.py WHEELS FOUR FIVE > trl_doctor/data/tokenizers.json

WHEELS is a folder of transformers wheels, one per release to compare (`pip download --no-deps`).
FOUR and FIVE are interpreters that have the newest transformers 4 and 5, sentencepiece, protobuf
and tiktoken.
"""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
import zipfile
from pathlib import Path

NAMED = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
MOST = 130
"""Longer lists (language codes) are left out: trained vocabularies have those tokens anyway."""


def look() -> dict[str, object]:
    """What the transformers of this interpreter has; runs in the child."""
    import transformers
    from transformers.models.auto import tokenization_auto

    mapped = tokenization_auto.TOKENIZER_MAPPING_NAMES.values()
    names = {name for name in dir(transformers) if "Tokenizer" in name} | {"BloomTokenizerFast"}
    for entry in mapped:
        names.update([entry] if isinstance(entry, str) else entry or ())
    classes: dict[str, object] = {}
    aliases: dict[str, str] = {}
    for name in sorted(names - {None}):
        cls = tokenization_auto.tokenizer_class_from_name(name)
        if "vocab_files_names" not in dir(cls):
            continue
        if cls.__name__ != name:
            aliases[name] = cls.__name__
        classes[cls.__name__] = facts_of(cls)
    classes.pop("PreTrainedTokenizerBase", None)
    ids, text_ids, hands_down = {}, {}, []
    for model_type, config in sorted(transformers.CONFIG_MAPPING.items()):
        ids[model_type], text_ids[model_type] = default_ids(config)
        if text_ids[model_type] and default_ids(config, eos_token_id=7)[1].get("eos_token_id") == 7:
            hands_down.append(model_type)
    return {
        "release": transformers.__version__,
        "classes": classes,
        "aliases": aliases,
        "ids": {name: default for name, default in ids.items() if default},
        "text_ids": {name: default for name, default in text_ids.items() if default},
        "hands_down": hands_down,
    }


def facts_of(cls: type) -> dict[str, object]:
    backends = {"PreTrainedTokenizerFast", "TokenizersBackend"}
    fast = any(base.__name__ in backends for base in cls.__mro__)
    files = {
        key: name
        for key, name in cls.vocab_files_names.items()
        if key not in ("tokenizer_file", "tokenizer_config_file")
    }
    facts: dict[str, object] = {"fast": fast, "files": files, "tokens": tokens_of(cls)}
    if slow := getattr(cls, "slow_tokenizer_class", None):
        facts["slow"] = slow.__name__
        parameters = inspect.signature(cls.__init__).parameters
        adds = [name for name in ("bos_token", "eos_token") if f"add_{name}" in parameters]
        if adds and hasattr(cls, "update_post_processor"):
            facts["adds"] = {name: bool(parameters[f"add_{name}"].default) for name in adds}
    if hasattr(cls, "model") and "__init__" in vars(cls) and cls.__name__ not in backends:
        facts["model"] = getattr(cls.model, "__name__", None)
        facts.update(emptied(cls, facts["tokens"]))
    elif cls.__name__ not in backends:
        facts.update(extended(cls))
    return facts


def tokens_of(cls: type) -> dict[str, str | None]:
    """The special tokens that the class names where nobody else does, by parameter."""
    tokens: dict[str, str | None] = {}
    for base in reversed(cls.__mro__):
        if "__init__" in vars(base):
            for parameter in inspect.signature(base.__init__).parameters.values():
                default = parameter.default
                if parameter.name.endswith("_token") and (default is None or is_text(default)):
                    tokens[parameter.name] = None if default is None else str(default)
    return tokens


def is_text(value: object) -> bool:
    return isinstance(value, str) or type(value).__name__ == "AddedToken"


def emptied(cls: type, tokens: object) -> dict[str, object]:
    """The vocabulary that the class makes up where there are no files, and its extra tokens.

    "@eos_token" stands for whatever the eos token is.
    """
    assert isinstance(tokens, dict)
    for marked in ({name: "@" + name for name in tokens}, {}):
        try:
            tokenizer = cls(**marked)
        except Exception:
            continue
        base = tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False)
        vocabulary = {*base, *(str(value) for value in {**tokens, **marked}.values())}
        extra = [token for token in tokenizer.added_tokens_encoder if token not in vocabulary]
        extra += [token for token in getattr(tokenizer, "extra_special_tokens", []) or []]
        extra = list(dict.fromkeys(extra))
        made_up = {"empty": sorted(base, key=base.__getitem__), "extra": extra}
        short = {key: value for key, value in made_up.items() if len(value) <= MOST}
        return {**short, "extends": extends(cls, marked, extra)}
    return {}


def extends(cls: type, marked: dict[str, str], extra: list[str]) -> bool:
    """Whether the class adds its extra tokens to those that it is given."""
    try:
        tokenizer = cls(**marked, additional_special_tokens=["@given"])
    except Exception:
        return False
    return bool(extra) and tokenizer.extra_special_tokens == ["@given", *extra]


def extended(cls: type) -> dict[str, object]:
    """The special tokens without a role that the class adds: unasked, and to a given list."""
    from tokenizers import Tokenizer, models

    given = {"tokenizer_object": Tokenizer(models.BPE())}
    lists = []
    for more in ({}, {"additional_special_tokens": ["@given"]}):
        try:
            tokenizer = cls(**given, **more)
        except Exception:
            return {}
        names = ("additional_special_tokens", "extra_special_tokens")
        both = [getattr(tokenizer, name, None) for name in names]
        lists.append(next((value for value in both if isinstance(value, list)), []))
    if not lists[0] or len(lists[0]) > MOST:
        return {}
    return {"extra": lists[0], "extends": lists[1] == ["@given", *lists[0]]}


def default_ids(config: type, **options: int) -> tuple[dict[str, int], dict[str, int]]:
    """Special token ids that a configuration class puts where config.json has none, and those
    of its text model."""
    try:
        instance = config(**options)
    except Exception:
        return {}, {}
    return ids_of(instance), ids_of(getattr(instance, "text_config", None))


def ids_of(config: object) -> dict[str, int]:
    ids = {f"{name}_token_id": getattr(config, f"{name}_token_id", None) for name in NAMED}
    return {name: value for name, value in ids.items() if value is not None}


def history(wheels: Path) -> dict[str, dict[str, list[tuple[str, str | None]]]]:
    """By major release and model type: since which release which class is registered."""
    by_major: dict[str, dict[str, list[tuple[str, str | None]]]] = {}
    forced: dict[str, dict[str, list[tuple[str, str | None]]]] = {}
    releases = {tuple(map(int, w.name.split("-")[1].split("."))): w for w in wheels.glob("*.whl")}
    for release, wheel in sorted(releases.items()):
        text = zipfile.ZipFile(wheel).read("transformers/models/auto/tokenization_auto.py")
        mapping, wrong = tables(text.decode())
        version, major = f"{release[0]}.{release[1]}", str(release[0])
        record(by_major.setdefault(major, {}), version, mapping)
        record(forced.setdefault(major, {}), version, dict.fromkeys(wrong, "forced"))
    return {
        **{f"{major} model_types": types for major, types in by_major.items()},
        **{f"{major} forced": types for major, types in forced.items() if types},
    }


def record(
    table: dict[str, list[tuple[str, str | None]]], version: str, now: dict[str, str]
) -> None:
    for key in sorted({*table, *now}):
        entries = table.setdefault(key, [])
        if (entries[-1][1] if entries else None) != now.get(key):
            entries.append((version, now.get(key)))


def tables(text: str) -> tuple[dict[str, str], list[str]]:
    """Model type to class (the fast one where there are two), and the types whose named class
    is overruled, of a `tokenization_auto.py`."""
    mapping: dict[str, str] = {}
    wrong: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        name = getattr(target, "id", "")
        if name == "TOKENIZER_MAPPING_NAMES" and isinstance(node.value, ast.Call):
            for pair in ast.walk(node.value):
                if isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
                    key, value = pair.elts
                    if isinstance(key, ast.Constant) and (names := texts(value)):
                        fast = [name for name in names if name.endswith("Fast")]
                        mapping.setdefault(str(key.value), (fast or plain(names))[0])
        if name == "MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS" and node.value:
            wrong = sorted(ast.literal_eval(node.value))
    return mapping, wrong


def texts(node: ast.AST) -> list[str]:
    constants = [child.value for child in ast.walk(node) if isinstance(child, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]


def plain(names: list[str]) -> list[str]:
    """Without the class of mistral-common, which is taken only where that is installed."""
    return [name for name in names if not name.startswith("MistralCommon")] or names


def main(wheels: str, *interpreters: str) -> None:
    past = history(Path(wheels))
    data: dict[str, object] = {
        "source": "transformers: models/auto/tokenization_auto.py, models/*/tokenization_*.py; "
        "written by history/tokenizer_classes.py"
    }
    for python in interpreters:
        child = [python, __file__, "--look"]
        looked = json.loads(subprocess.check_output(child, stderr=subprocess.DEVNULL))
        major = looked["release"].split(".")[0]
        looked["model_types"] = dict(sorted(past[f"{major} model_types"].items()))
        looked["forced"] = dict(sorted(past.get(f"{major} forced", {}).items()))
        data[major] = looked
    print(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    if sys.argv[1:] == ["--look"]:
        print(json.dumps(look()))
    else:
        main(*sys.argv[1:])
