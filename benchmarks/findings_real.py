"""Whether the real libraries agree with errors about public files; run by the target interpreter.

Reads a list of findings (`rule`, `folder`, `pointer`, `message`, `trainer`) in JSON on stdin;
answers a list on the file descriptor that is its argument: true, false, or null where it cannot
tell. Standard library and the libraries under test only.
"""

import functools
import importlib
import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import corpus_real

MODULES = {"flash-attn": "flash_attn", "liger-kernel": "liger_kernel", "comet-ml": "comet_ml"}
TRAINERS = ("sft", "dpo", "grpo", "kto", "reward", "rloo")


@functools.cache
def keys(trainer):
    """All that TRL's own parser of a trainer takes."""
    script = importlib.import_module("trl.scripts." + trainer)
    return {action.dest for action in script.make_parser()._actions}


def key_not_taken(finding):
    """Of a run whose trainer is open: no trainer takes it."""
    key = finding["pointer"].strip("/")
    trainers = [finding["trainer"]] if finding["trainer"] in TRAINERS else TRAINERS
    if finding["trainer"] and finding["trainer"] not in TRAINERS:
        return None
    return not any(key in keys(name) for name in trainers)


def package_missing(finding):
    named = re.search(r" needs? ([\w-]+)|but (flash-attn) is not", finding["message"])
    if not named:
        return None
    name = named[1] or named[2]
    return importlib.util.find_spec(MODULES.get(name, name)) is None


def path_missing(finding):
    named = re.search(r"there is no (?:folder |DeepSpeed file )?([^\s,]+)", finding["message"])
    return None if not named else not Path(named[1]).exists()


def shards_missing(finding):
    names = re.findall(r"[\w.-]+\.(?:safetensors|bin)", finding["message"])
    return bool(names) and not any(Path(finding["folder"], name).exists() for name in names)


def file_refused(finding):
    name = finding["message"].split()[0]
    try:
        json.loads(Path(finding["folder"], name).read_text("utf-8"))
    except ValueError:
        return True
    return False


def config_refused(finding):
    return "error" in corpus_real.ask(corpus_real.config, finding["folder"])


def tokenizer_refused(finding):
    return "error" in corpus_real.ask(corpus_real.tokenizer, finding["folder"])


def rows(folder):
    """The rows of the embedding, as the real config says."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(folder).get_text_config().vocab_size


def beyond_rows(finding):
    """The tokenizer, its eos or its pad is beyond the embedding."""
    from transformers import AutoTokenizer

    loaded, most = AutoTokenizer.from_pretrained(finding["folder"]), rows(finding["folder"])
    ids = {
        "eos-differs-between-files": loaded.eos_token_id,
        "tokenizer-pad-broken": loaded.pad_token_id,
    }
    return ids.get(finding["rule"], len(loaded) - 1) >= most


def nothing_to_pad_with(finding):
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(finding["folder"])
    return loaded.pad_token is None and loaded.eos_token is None


JUDGES = {
    "argument-gone-from-trl": key_not_taken,
    "argument-unknown": key_not_taken,
    "argument-for-doctor-only": key_not_taken,
    "argument-names-no-file": path_missing,
    "checkpoint-shard-missing": shards_missing,
    "config-refused-by-transformers": config_refused,
    "data-not-found": path_missing,
    "eos-differs-between-files": beyond_rows,
    "file-unreadable": file_refused,
    "flash-attention-not-installed": package_missing,
    "model-folder-missing": path_missing,
    "package-not-installed": package_missing,
    "tokenizer-longer-than-embedding": beyond_rows,
    "tokenizer-pad-broken": beyond_rows,
    "tokenizer-pad-missing": nothing_to_pad_with,
    "tokenizer-refused-by-transformers": tokenizer_refused,
}


def judged(finding):
    """None also where the real library cannot be asked."""
    judge = JUDGES.get(finding["rule"])
    try:
        return judge(finding) if judge else None
    except Exception as error:
        print(finding["rule"], finding["folder"], repr(error)[:200], file=sys.stderr)
        return None


def main():
    answers = [judged(finding) for finding in json.load(sys.stdin)]
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as replies:
        json.dump(answers, replies)


if __name__ == "__main__":
    main()
