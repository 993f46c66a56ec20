"""This transformers does not load the tokenizer.

The job fails when it starts, with an error that seldom names the file: "'list' object has no
attribute 'items'", "requires the protobuf library", "does not exist or is not currently imported".

Remedy: save the tokenizer with the release of transformers that the job uses
(`AutoTokenizer.from_pretrained(name).save_pretrained(folder)`), or correct the key that the finding
names.

Versions: what is refused differs from release to release; the message names the release.

Seen: tested 1,500 random folders and the tokenizers of 95 public ones, with AutoTokenizer of
transformers 4.57.6 and 5.23.0: these releases refused every tokenizer that the rule reports.
tokenizers 0.19.1: "data did not match any variant of untagged enum ModelWrapper" of merges that are
pairs; 0.23.3: "… enum PreTokenizerUntagged" of a part of a kind that it does not know.
"""

from collections.abc import Iterator
from typing import cast

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.folders import folders
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.tokenizer import FILES, Unloadable, read_tokenizer

from ..._recorded.candidate import CONFIG, TOKENIZER, candidate, tokenizer_files


def check(facts: Facts) -> Iterator[Finding]:
    version = facts.environment.version("transformers")
    for folder in folders(facts):
        if not any(folder.has(name) for name in FILES) or _saved_by_another_major(folder):
            continue
        try:
            read_tokenizer(folder, version, trusted=True)
        except Unloadable as reason:
            release = f"transformers {version}" if version else "the newest transformers known"
            yield Finding(
                Place(folder.file("tokenizer_config.json")),
                f"{release} does not load the tokenizer of {folder.label}: {reason}",
                severity=None if version else "warning",
            )
        except Unavailable:
            continue


def _saved_by_another_major(folder: Folder) -> bool:
    """Whether another rule reports this case, and can repair it."""
    document = folder.get("tokenizer_config.json")
    extra = document.get("extra_special_tokens") if document else None
    return isinstance(extra, list) or bool(
        document and document.get("tokenizer_class") == "TokenizersBackend"
    )


RUN = {"trainer": "sft", "model_name_or_path": "model"}
BROKEN = tokenizer_files(added_tokens_decoder=[])
WHOLE = cast("dict[str, Json]", TOKENIZER["tokenizer.json"])
ODD = {**TOKENIZER, "tokenizer.json": {**WHOLE, "pre_tokenizer": {"type": "Foo"}}}
MODEL = cast("dict[str, Json]", WHOLE["model"])
PAIRS = {**TOKENIZER, "tokenizer.json": {**WHOLE, "model": {**MODEL, "merges": [["a", "b"]]}}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="[Tt]okenizer|processing class",
    examples=(
        Bad(
            candidate(RUN, BROKEN, CONFIG),
            versions={"transformers": "5.23.0"},
            says="transformers 5.23.0 does not load the tokenizer of model",
        ),
        Bad(
            candidate(RUN, tokenizer_files(tokenizer_class="OwnTokenizer"), CONFIG),
            versions={"transformers": "4.57.6"},
            says="OwnTokenizer is not in transformers 4.57.6",
        ),
        Bad(
            candidate(RUN, ODD, CONFIG),
            versions={"transformers": "5.23.0"},
            says="tokenizer.json: tokenizers refuses it: data did not match any variant",
        ),
        Bad(
            candidate(RUN, PAIRS, CONFIG),
            versions={"transformers": "4.44.2"},
            says="its merges are pairs, which the tokenizers of transformers before 4.45 refuses",
        ),
        Good(candidate(RUN, PAIRS, CONFIG), versions={"transformers": "4.45.0"}),
        Bad(candidate(RUN, BROKEN, CONFIG), says="newest transformers known", severity="warning"),
        Good(candidate(RUN, TOKENIZER, CONFIG), versions={"transformers": "5.23.0"}),
    ),
)
