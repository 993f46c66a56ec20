"""transformers 4 cannot read a tokenizer that 5 wrote.

The tokenizer does not load, so the job ends before it begins, and the message hides the reason: for
a list of extra tokens it asks for protobuf.

Remedy: install transformers 5, or write what transformers 4 reads: `"tokenizer_class":
"PreTrainedTokenizerFast"`, and the list as `additional_special_tokens`.

Versions: transformers 5 writes it. No release of transformers 4 has TokenizersBackend, and none
from 4.47.0 on accepts a list of extra_special_tokens.

Seen: transformers#45566, ms-swift#8352, mlx-lm#661; reproduced: saved by 5.23.0, loaded by 4.46.3,
4.48.3 and 4.57.6: "Tokenizer class TokenizersBackend does not exist", "'list' object has no
attribute 'keys'" (an ImportError without protobuf); after the fix all of them load it and give the
same ids.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Edit, Finding, Fix, Json, Place, Put, Remove, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document, Folder
from trl_doctor.facts.folders import folders
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import MAP
from trl_doctor.facts.special_tokens import TOKENIZER as FILE

from ..._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files

NEW_CLASSES = ("TokenizersBackend", "PythonBackend")
LISTED = Version("4.47.0")
"""The first transformers that reads extra_special_tokens; it must be an object."""


def check(facts: Facts) -> Iterator[Finding]:
    for folder in folders(facts):
        yield from _in_folder(folder, facts.environment.version("transformers"))


def _in_folder(folder: Folder, version: Version | None) -> Iterator[Finding]:
    documents = [settings for name in (FILE, MAP) if (settings := folder.get(name))]
    kind = documents[0].get("tokenizer_class") if documents else None
    lists = [entry for entry in documents if isinstance(entry.get("extra_special_tokens"), list)]
    if kind not in NEW_CLASSES and not lists:
        return
    if version is None:
        raise Unavailable(
            "transformers 5 wrote the tokenizer, and the version that will read it is not known"
        )
    if version.major >= 5:
        return
    if kind in NEW_CLASSES:
        yield Finding(
            Place(folder.file(FILE), "/tokenizer_class"),
            f"tokenizer_class is {kind}, which transformers {version} does not have",
            fix=_class_fix(documents[0]) if folder.has("tokenizer.json") else None,
        )
    for document in lists if version >= LISTED else ():
        yield Finding(
            Place(document.path, "/extra_special_tokens"),
            f"extra_special_tokens is a list, but transformers {version} needs an object",
            fix=Fix("list them as additional_special_tokens", tuple(_moved(document))),
        )


def _class_fix(document: Document) -> Fix:
    """The class of transformers 4 that uses tokenizer.json as it is, with settings that give the
    ids of 5."""
    name = "PreTrainedTokenizerFast"
    edits = [Put(document.path, "/tokenizer_class", name)]
    if document.get("model_input_names") is None:
        edits.append(Put(document.path, "/model_input_names", ["input_ids", "attention_mask"]))
    return Fix(f"set tokenizer_class to {name}", tuple(edits))


def _moved(document: Document) -> Iterator[Edit]:
    """The extra tokens under their name in transformers 4."""
    listed, extra = document.get("additional_special_tokens"), document.get("extra_special_tokens")
    tokens: list[Json] = [*listed] if isinstance(listed, list) else []
    tokens += [token for token in extra if token not in tokens] if isinstance(extra, list) else []
    if tokens:
        yield Put(document.path, pointer("additional_special_tokens"), tokens)
    yield Remove(document.path, pointer("extra_special_tokens"))


NEW = tokenizer_files(
    tokenizer_class="TokenizersBackend",
    backend="tokenizers",
    extra_special_tokens=["<|im_start|>"],
    added_tokens_decoder=None,
)
READ = tokenizer_files(
    backend="tokenizers",
    additional_special_tokens=["<|im_start|>"],
    added_tokens_decoder=None,
    model_input_names=["input_ids", "attention_mask"],
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="TokenizersBackend|extra_special_tokens|attribute 'keys'",
    examples=(
        Bad(
            candidate(RUN, NEW, CONFIG),
            versions={"transformers": "4.57.6"},
            says="tokenizer_class is TokenizersBackend, which transformers 4.57.6 does not have",
            fixed={"model/tokenizer_config.json": READ["tokenizer_config.json"]},
        ),
        Good(candidate(RUN, NEW, CONFIG), versions={"transformers": "5.23.0"}),
        Good(candidate(RUN, NEW, CONFIG), skipped="the version that will read it is not known"),
        Good(candidate(RUN, READ, CONFIG), versions={"transformers": "4.57.6"}),
    ),
)
