"""Candidates before they are written, open to changes."""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))
import make

LLAMA = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
         "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 320,
         "max_position_embeddings": 512, "head_dim": 16}  # fmt: skip
SMALL = {"n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 320, "n_positions": 512}
NEOX = {
    key: value for key, value in LLAMA.items() if key not in ("head_dim", "num_key_value_heads")
}
T5 = {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 2, "num_heads": 2, "vocab_size": 320}
CAUSAL, SCORER = "AutoModelForCausalLM", "AutoModelForSequenceClassification"
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama": (CAUSAL, "llama", LLAMA),
    "qwen2": (CAUSAL, "qwen2", LLAMA),
    "qwen3": (CAUSAL, "qwen3", LLAMA),
    "mistral": (CAUSAL, "mistral", LLAMA),
    "gemma2": (CAUSAL, "gemma2", LLAMA),
    "phi3": (CAUSAL, "phi3", {**LLAMA, "pad_token_id": 299}),
    "gpt2": (CAUSAL, "gpt2", SMALL),
    "gpt_neox": (CAUSAL, "gpt_neox", NEOX),
    "opt": (CAUSAL, "opt", {**NEOX, "ffn_dim": 48, "word_embed_proj_dim": 32}),
    "bloom": (CAUSAL, "bloom", {"hidden_size": 32, "n_layer": 2, "n_head": 2, "vocab_size": 320}),
    "qwen3_moe": (
        CAUSAL,
        "qwen3_moe",
        {
            **LLAMA,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "moe_intermediate_size": 16,
            "decoder_sparse_step": 1,
        },
    ),
    "gemma3_text": (CAUSAL, "gemma3_text", LLAMA),
    "olmo2": (CAUSAL, "olmo2", NEOX),
    "granite": (CAUSAL, "granite", NEOX),
    "stablelm": (CAUSAL, "stablelm", {**NEOX, "num_key_value_heads": 1}),
    "starcoder2": (CAUSAL, "starcoder2", NEOX),
    "falcon": (
        CAUSAL,
        "falcon",
        {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 320},
    ),
    "gptj": (CAUSAL, "gptj", {**SMALL, "rotary_dim": 8}),
    "smollm3": (CAUSAL, "smollm3", {**LLAMA, "pad_token_id": 299}),
    "t5": ("AutoModelForSeq2SeqLM", "t5", T5),
    "bert": ("AutoModelForMaskedLM", "bert", NEOX),
    "llama-scorer": (SCORER, "llama", {**LLAMA, "num_labels": 1}),
    "qwen2-scorer": (SCORER, "qwen2", {**LLAMA, "num_labels": 1}),
    "llama-three": (SCORER, "llama", {**LLAMA, "num_labels": 3}),
}
"""Random models by name: the auto class, the model type, and the sizes of its config."""

PARQUET = "to-parquet"
"""The ending of rows that are still to become a Parquet file."""

REWARDS = '''"""Rewards of this run."""


def length(completions, **more):
    """Short answers are better."""
    return [-float(len(str(one))) for one in completions]


def words(completions, **more):
    """Answers with spaces are better."""
    return [float(str(one).count(" ")) for one in completions]
'''


@dataclass
class Draft:
    """What will be written: run.yaml, the model's files, rows, rewards. Changes edit it freely."""

    source: random.Random
    trainer: str
    architecture: str
    conversational: bool
    arguments: dict[str, Any] = field(default_factory=dict)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    test_rows: list[dict[str, Any]] = field(default_factory=list)
    rows_as: str = "jsonl"
    rewards: str = REWARDS
    reward_model: str = "llama-scorer"
    texts: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    adapter: bool = False
    kind: str = "bpe"
    named: dict[str, str] = field(default_factory=dict)
    after: list[Callable[[Path], object]] = field(default_factory=list)

    def write(self, folder: Path, pool: Path) -> None:
        """Write it into a folder that is not there yet; models come from the pool."""
        folder.mkdir(parents=True)
        self._model(folder, pool)
        if self.trainer in ("ppo", "grpo", "rloo"):
            tree(pool / self.reward_model, folder / "reward")
            tokenizer_of(folder / "reward", {}, self.kind, self.named)
        self._data(folder / "data", "train", self.rows)
        if self.test_rows:
            self._data(folder / "data", "test", self.test_rows)
        (folder / "my_rewards.py").write_text(self.rewards)
        if self.trainer == "ppo":
            shutil.copy(Path(__file__).with_name("ppo_script.py"), folder / "train.py")
        here = {key: self._here(value, folder) for key, value in self.arguments.items()}
        lines = (f"{k}: {yaml(v)}\n" for k, v in here.items())
        first_line = f"# trl-doctor: trainer={self.trainer}\n"
        (folder / "run.yaml").write_text(first_line + "".join(lines))
        for name, text in self.texts.items():
            with (folder / name).open("a") as out:
                out.write(text)
        for name in self.removed:
            (folder / name).unlink(missing_ok=True)
        for lay in self.after:
            lay(folder)

    def _here(self, value: Any, folder: Path) -> Any:
        if isinstance(value, list):
            return [self._here(item, folder) for item in value]
        if isinstance(value, dict):
            return {key: self._here(item, folder) for key, item in value.items()}
        return value.replace("HERE/", f"{folder}/") if isinstance(value, str) else value

    def _model(self, folder: Path, pool: Path) -> None:
        tree(pool / self.architecture, folder / "model")
        tokenizer_of(folder / "model", self.files, self.kind, self.named)
        if self.adapter:
            (folder / "model").rename(folder / "base")
            (folder / "model").mkdir()
            adapter = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 4, "lora_alpha": 8,
                       "base_model_name_or_path": str(folder / "base"),
                       "target_modules": ["q_proj"]}  # fmt: skip
            (folder / "model/adapter_config.json").write_text(json.dumps(adapter))
            for name in ("tokenizer.json", "tokenizer_config.json"):
                shutil.copy(folder / "base" / name, folder / "model" / name)

    def _data(self, folder: Path, split: str, rows: list[dict[str, Any]]) -> None:
        folder.mkdir(exist_ok=True)
        if self.rows_as == "csv":
            with (folder / f"{split}.csv").open("w", newline="") as out:
                names = list(dict.fromkeys(name for row in rows for name in row))
                writer = csv.DictWriter(out, names)
                writer.writeheader()
                writer.writerows(rows)
        elif self.rows_as == "json":
            (folder / f"{split}.json").write_text(json.dumps(rows))
        else:
            # Parquet is made of them by an interpreter that can
            name = f"{split}.jsonl" if self.rows_as == "jsonl" else f"{split}.{PARQUET}"
            lines = (json.dumps(row) + "\n" for row in rows)
            (folder / name).write_text("".join(lines))


def yaml(value: Any) -> str:
    """A value as YAML: JSON, whose `1e-05` YAML 1.1 would read as a text."""
    return re.sub(r"(?<![\w.\"])(\d+)e(-?\d+)", r"\1.0e\2", json.dumps(value))


def tree(start: Path, to: Path) -> None:
    """Copy a model; weights are small."""
    shutil.copytree(start, to)


def tokenizer_of(
    folder: Path, files: dict[str, dict[str, Any]], kind: str, own: dict[str, str]
) -> None:
    """Write a healthy tokenizer, and what is different in the model's JSON files.

    `own` are its named tokens where they are not the usual ones.
    """
    tokenizer = Tokenizer.from_str(_trained(kind))
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    named = {"eos_token": "<|im_end|>", "pad_token": "<|fim_pad|>", **own}
    config = make.tokenizer_config(tokenizer, **named)
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2))
    end, pad = tokenizer.token_to_id(named["eos_token"]), tokenizer.token_to_id(named["pad_token"])
    ids = {"eos_token_id": end, "pad_token_id": pad, "bos_token_id": None}
    ends = [end, tokenizer.token_to_id("<|endoftext|>")]
    changes = {"config.json": ids, "generation_config.json": {**ids, "eos_token_id": ends}}
    for name in {*changes, *files}:
        path = folder / name
        old = json.loads(path.read_text()) if path.is_file() else {}
        new = {**old, **changes.get(name, {}), **files.get(name, {})}
        kept = {key: value for key, value in new.items() if value is not None}
        path.write_text(json.dumps(kept, indent=2))


@cache
def _trained(kind: str) -> str:
    """A tokenizer of a kind, trained once: Unigram does not give the same ids each time."""
    return str(KINDS[kind]().to_str())


def unigram() -> Tokenizer:
    """A tokenizer as sentencepiece makes them: words begin with `▁`."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=280, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(make.TEXT.splitlines(), trainer)
    return with_tokens(tokenizer, make.SPECIAL)


def wordpiece() -> Tokenizer:
    """A tokenizer as BERT's: words of pieces, the inner ones marked."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=280, special_tokens=["[UNK]"], show_progress=False
    )
    tokenizer.train_from_iterator(make.TEXT.splitlines(), trainer)
    return with_tokens(tokenizer, make.SPECIAL)


def words_only() -> Tokenizer:
    """A tokenizer whose tokens are whole words."""
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(
        vocab_size=280, special_tokens=["[UNK]"], show_progress=False
    )
    tokenizer.train_from_iterator(make.TEXT.splitlines(), trainer)
    return with_tokens(tokenizer, make.SPECIAL)


def with_tokens(tokenizer: Tokenizer, names: list[str]) -> Tokenizer:
    """The tokenizer with these special tokens after its own."""
    tokenizer.add_special_tokens(
        [AddedToken(name, normalized=False, special=True) for name in names]
    )
    return tokenizer


CHANNELS = ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>")
KINDS: dict[str, Callable[[], Tokenizer]] = {
    "bpe": make.tokenizer,
    "channels": partial(make.tokenizer, CHANNELS),
    "unigram": unigram,
    "wordpiece": wordpiece,
    "words": words_only,
}
"""How a tokenizer is made, by what it is called here."""
