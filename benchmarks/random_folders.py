"""Makes model folders with tokenizer files in every combination, to compare on.

    python benchmarks/random_folders.py OUT COUNT [SEED]
    python benchmarks/corpus.py OUT --python TARGET_PYTHON

The vocabularies have some 30 tokens, so that a thousand folders load within seconds.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

LETTERS = [chr(code) for code in range(ord("a"), ord("a") + 20)]
IN_BASE = ["<unk>", "<s>", "</s>", "<|endoftext|>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TOKENS = ["<|im_end|>", "<|endoftext|>", "</s>", "<pad>", "[PAD]", "<new>", "<|im_start|>", "<s>",
          "é<x>", "ab"]  # fmt: skip
ROLES = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token")
CLASSES = [
    *("Qwen2Tokenizer", "Qwen2TokenizerFast", "GPT2Tokenizer", "GPT2TokenizerFast"),
    *("LlamaTokenizer", "LlamaTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"),
    *("BertTokenizer", "BertTokenizerFast", "GemmaTokenizerFast", "GPTNeoXTokenizerFast"),
    *("RobertaTokenizerFast", "CodeLlamaTokenizerFast", "CohereTokenizerFast", "T5TokenizerFast"),
    *("NoSuchTokenizer", "PreTrainedTokenizer", "BloomTokenizerFast", "XLMRobertaTokenizerFast"),
    *("CodeGenTokenizerFast", "DistilBertTokenizerFast", "BartTokenizer", "WhisperTokenizer"),
    *("DebertaV2TokenizerFast", "OpenAIGPTTokenizer", "CLIPTokenizer", "BartTokenizerFast"),
]
MODEL_TYPES = [
    *("qwen2", "llama", "gpt2", "mistral", "gemma2", "phi3", "bert", "roberta", "qwen3", "t5"),
    *("gpt_neox", "nosuch", "bart", "phi", "gpt_oss", "deepseek_v3", "granite", "stablelm"),
    *("cohere", "qwen2_vl", "modernbert", "gemma3", "mixtral", "falcon", "bloom", "opt"),
]
PLAIN = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False}


class Maker:
    """Makes one folder's files from a random source."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        base = [*self.some(IN_BASE, 9), *LETTERS, "ab", "cd", "Ġa", "▁a"]
        self.vocab = {token: id for id, token in enumerate(base)}
        self.added = self.entries()

    def chance(self, of: float) -> bool:
        return self.source.random() < of

    def some(self, of: list[str], most: int) -> list[str]:
        return self.source.sample(of, self.source.randint(0, most))

    def token(self) -> Any:
        """A token as text, as a marked object, or as an object that few readers accept."""
        content = self.source.choice(TOKENS)
        kind = self.source.random()
        marked = {"__type": "AddedToken"} if kind < 0.9 else {}
        return content if kind < 0.6 else {**marked, "content": content, **PLAIN}

    def entries(self) -> list[dict[str, Any]]:
        """Added tokens, most with the ids that they will get."""
        entries, following = [], len(self.vocab)
        for token in self.some(TOKENS, 6):
            id = self.vocab.get(token, following) + 2 * self.chance(0.1)
            following = max(following, id + 1)
            flags = {"normalized": self.chance(0.3), "special": self.chance(0.8)}
            entries.append({"id": id, "content": token, **PLAIN, **flags})
        return entries

    def files(self) -> dict[str, Any]:
        files: dict[str, Any] = self.vocabulary()
        makers = {"tokenizer_config.json": (0.85, self.config), "config.json": (0.8, self.model),
                  "special_tokens_map.json": (0.5, self.map)}  # fmt: skip
        for name, (chance, make) in makers.items():
            if self.chance(chance):
                files[name] = make()
        if self.chance(0.3):
            tokens = self.some(TOKENS, 3)
            files["added_tokens.json"] = {t: len(self.vocab) + n for n, t in enumerate(tokens)}
        if self.chance(0.4):
            files["generation_config.json"] = {
                "eos_token_id": self.source.choice([1, [1, 2], None])
            }
        if self.chance(0.1):
            text = self.source.choice(["{{ file }}\r\nx", "", "z"])
            files["chat_template.jinja"] = text
        if self.chance(0.07):
            files[f"additional_chat_templates/{self.source.choice(['default', 'tool'])}.jinja"] = (
                "t"
            )
        return files

    def vocabulary(self) -> dict[str, Any]:
        kind = self.source.choice(["tokenizer"] * 8 + ["vocab", "both", "none", "half", "text"])
        files: dict[str, Any] = {}
        if kind in ("tokenizer", "both"):
            files["tokenizer.json"] = self.tokenizer()
        if kind in ("vocab", "both", "half"):
            files["vocab.json"] = self.vocab
        if kind in ("vocab", "both"):
            files["merges.txt"] = "#version: 0.2\na b\n"
        if kind == "text":
            files["vocab.txt"] = "\n".join(self.vocab) + self.source.choice(["", "\n"])
        return files

    def tokenizer(self) -> dict[str, Any]:
        models: list[dict[str, Any]] = [
            {"type": "BPE", "vocab": self.vocab, "merges": [["a", "b"]]},
            {"type": "WordPiece", "vocab": self.vocab, "unk_token": "[UNK]",
             "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
            {"type": "WordLevel", "vocab": self.vocab, "unk_token": "<unk>"},
            {"type": "Unigram", "vocab": [[t, -1.0] for t in self.vocab], "unk_id": 0,
             "byte_fallback": False},
        ]  # fmt: skip
        pad = {"pad_id": 0, "pad_type_id": 0, "pad_token": self.source.choice(TOKENS)}
        padding = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
        bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                  "use_regex": True}  # fmt: skip
        return {
            "version": "1.0",
            "truncation": None,
            "padding": padding | pad if self.chance(0.15) else None,
            "added_tokens": self.added,
            "normalizer": None,
            "pre_tokenizer": bytes_ if self.chance(0.5) else None,
            "post_processor": None,
            "decoder": None,
            "model": self.source.choice([models[0]] * 5 + models[1:]),
        }

    def config(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        if self.chance(0.8):
            data["tokenizer_class"] = self.source.choice(CLASSES)
        for role in ROLES:
            if self.chance(0.6):
                data[role] = self.token() if self.chance(0.75) else None
        if self.chance(0.7):
            entries = self.added if self.chance(0.6) else self.entries()
            data["added_tokens_decoder"] = {
                str(entry["id"]): {k: v for k, v in entry.items() if k != "id"} for entry in entries
            }
        if self.chance(0.3):
            data["additional_special_tokens"] = [
                self.token() for _ in range(self.source.randint(0, 3))
            ]
        if self.chance(0.2):
            extra = [{}, {"image_token": "<img>"}, [], ["<|im_end|>", "<x>"]]
            data["extra_special_tokens"] = self.source.choice(extra)
        if self.chance(0.1):
            data["image_token"] = self.source.choice(["<img>", None, 3])
        if self.chance(0.4):
            named = [{"name": "default", "template": "a"}, {"name": "rag", "template": "b"}]
            data["chat_template"] = self.source.choice(["{{ x }}", named, named[1:], None, ""])
        data |= {
            key: self.chance(0.5) for key in ("add_bos_token", "add_eos_token") if self.chance(0.2)
        }
        if self.chance(0.05):
            code = [{"AutoTokenizer": ["x.Y", None]}, {"AutoConfig": "x.Y"}, ["x.Y", "x.Z"]]
            data["auto_map"] = self.source.choice(code)
        return data

    def map(self) -> dict[str, Any]:
        data = {role: self.token() for role in ROLES[:4] if self.chance(0.5)}
        for value in data.values():
            if isinstance(value, dict):
                value.pop("__type", None)
        if self.chance(0.4):
            lists: list[list[Any]] = [["<q>", "<|im_end|>"], [{"content": "<q>", **PLAIN}], []]
            data["additional_special_tokens"] = self.source.choice(lists)
        if self.chance(0.1):
            data["extra_special_tokens"] = self.source.choice([["<e>"], {"z_token": "<z>"}])
        return data

    def model(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        if self.chance(0.95):
            data["model_type"] = self.source.choice(MODEL_TYPES)
        if self.chance(0.1):
            data["tokenizer_class"] = self.source.choice(CLASSES)
        for role in ("bos", "eos", "pad"):
            if self.chance(0.4):
                data[f"{role}_token_id"] = self.source.choice([1, 2, None])
        return data


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="a folder that is not there yet")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    options = parser.parse_args()
    source = random.Random(options.seed)
    for number in range(options.count):
        folder = options.out / f"r{number:05}"
        folder.mkdir(parents=True)
        for name, content in Maker(source).files().items():
            (folder / name).parent.mkdir(exist_ok=True)
            plain = isinstance(content, str)
            text = content if plain else json.dumps(content, ensure_ascii=source.random() < 0.5)
            (folder / name).write_text(text, "utf-8", newline="")


if __name__ == "__main__":
    main()
