"""Classes of tokenizers that read other files than tokenizer.json, as transformers 4 has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def reading(cls: Any, folder: str | Path) -> Any:
    """The class that reads a small model's folder, where the given one finds none of its files.

    `GPT2Tokenizer` reads vocab.json and merges.txt, `LlamaTokenizer` tokenizer.model: a replacement
    that is made by the model's name has a tokenizer.json only.
    """
    import transformers

    files = getattr(cls, "vocab_files_names", None)
    fast = transformers.PreTrainedTokenizerFast
    if not files or issubclass(cls, fast) or not Path(folder, "tokenizer.json").is_file():
        return cls
    if any(Path(folder, name).exists() for name in files.values()):
        return cls
    return getattr(transformers, f"{cls.__name__}Fast", fast)
