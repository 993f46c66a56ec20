"""The file is a Git LFS pointer, not the real content.

The folder was cloned without Git LFS: weights or a tokenizer are three lines of text that only
point to the file. Loading fails with an error that does not explain this ("header too large").

Remedy: run `git lfs install && git lfs pull` in that folder, or `hf download` the model.

Versions: every release.

Seen: reproduced: `AutoModelForCausalLM.from_pretrained` of transformers 4.48.3, 4.57.6 and 5.23.0
on a pointer: "SafetensorError: Error while deserializing header: header too large".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.facts import Facts, documents
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.folders import folders
from trl_doctor.facts.rule import Bad, Good, Rule

MOST = 3
"""The most names of files that are reported."""
ENDINGS = (".json", ".safetensors", ".bin", ".model", ".jinja", ".txt", ".pt", ".pth")


def check(facts: Facts) -> Iterator[Finding]:
    for folder in folders(facts):
        names = [name for name in folder.names() if _points(folder, name)]
        if names:
            more = f", … ({len(names)} files)" if len(names) > MOST else ""
            shown = ", ".join(names[:MOST]) + more
            are = "is a Git LFS pointer, not the file" if len(names) == 1 else (
                "are Git LFS pointers, not the files"
            )  # fmt: skip
            yield Finding(Place(folder.file(names[0])), f"{shown} {are}")


def _points(folder: Folder, name: str) -> bool:
    if not name.endswith(ENDINGS) or not folder.has(name):
        return False
    path = folder.file(name)
    try:
        if path.stat().st_size < 1024:
            documents.read_bytes(path)
    except documents.Unreadable as problem:
        return problem.kind == "lfs-pointer"
    except OSError:
        return False
    return False


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 988097824\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="[Tt]okenizer|processing class|[Hh]eader ?[Tt]oo ?[Ll]arge|expected value at line 1",
    examples=(
        Bad(
            {"model/config.json": {"model_type": "llama"}, "model/model.safetensors": POINTER},
            target="model",
            says="model.safetensors is a Git LFS pointer",
        ),
        Bad(
            {f"m/model-{number}.safetensors": POINTER for number in range(1, 10)}
            | {"m/config.json": {"model_type": "llama"}},
            target="m",
            says="model-1.safetensors, model-2.safetensors, model-3.safetensors, … (9 files) are",
        ),
        Bad({"m/config.json": POINTER, "m/tokenizer.json": {}}, target="m", says="config.json is"),
        Good({"model/config.json": {"model_type": "llama"}}, target="model"),
    ),
)
