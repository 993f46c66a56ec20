"""Run files of Axolotl and LLaMA-Factory, translated where a key has the same meaning in TRL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import field

from trl_doctor.core.finding import Json, Place, Put, Remove, pointer, route
from trl_doctor.files.document import Document
from trl_doctor.files.programs import TELLING

SAME = {
    key: key
    for key in (
        *(
            "gradient_accumulation_steps",
            "learning_rate",
            "max_steps",
            "output_dir",
            "bf16",
            "fp16",
        ),
        *("save_strategy", "save_steps", "save_total_limit", "resume_from_checkpoint"),
        "trust_remote_code",
    )
}
AXOLOTL = {
    **SAME,
    "base_model": "model_name_or_path",
    "revision_of_model": "model_revision",
    "tokenizer_config": "tokenizer_name_or_path",
    "sequence_len": "max_length",
    "micro_batch_size": "per_device_train_batch_size",
    "load_in_8bit": "load_in_8bit",
    "load_in_4bit": "load_in_4bit",
    "lora_r": "lora_r",
    "num_epochs": "num_train_epochs",
}
LLAMA_FACTORY = {
    **SAME,
    "model_name_or_path": "model_name_or_path",
    "model_revision": "model_revision",
    "per_device_train_batch_size": "per_device_train_batch_size",
    "num_train_epochs": "num_train_epochs",
    "cutoff_len": "max_length",
    "reward_model": "reward_model_path",
    "ref_model": "reference_model_name_or_path",
    "lora_rank": "lora_r",
}
KEYS = {"Axolotl": AXOLOTL, "LLaMA-Factory": LLAMA_FACTORY}
"""The keys of TRL for those of a program, where one means the other."""

ADAPTERS = {"Axolotl": "adapter", "LLaMA-Factory": "finetuning_type"}
METHODS = {
    "Axolotl": ("rl", {"": "sft", **{name: name for name in ("dpo", "kto", "orpo", "grpo")}}),
    "LLaMA-Factory": ("stage", {"sft": "sft", "dpo": "dpo", "kto": "kto", "rm": "reward"}),
}
"""The key that names the method, and TRL's trainers by its values."""


class Translated(Document, frozen=True, eq=False):
    """`value` has TRL's keys, `own` the program's key for each; `left` are its other keys.

    `trainer` is the name of TRL's trainer for the method, "" if there is none; `method` is its
    source, such as `rl: dpo`.
    """

    program: str = ""
    own: Mapping[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    trainer: str = ""
    method: str = ""

    def place(self, pointer: str) -> Place:
        """The place of a value, under the name that it has in the file."""
        return super().place(self._own(pointer))

    def refuses(self, edits: Sequence[Put | Remove]) -> str:
        """What TRL would want in its own run file is not written into another program's."""
        return f"it is a file of {self.program}" if edits else ""

    def _own(self, pointer_: str) -> str:
        first, *inner = route(pointer_) or [""]
        return pointer(self.own.get(first, first), *inner) if first else pointer_


def translated(file: Document) -> Document:
    """The document with TRL's keys where it is one of those programs, else as it is."""
    value = file.value
    if not isinstance(value, dict) or "trainer" in value:
        return file
    for program, telling in TELLING.items():
        if program in KEYS and telling & set(value):
            return _translated(file, program, value)
    return file


def _translated(file: Document, program: str, value: dict[str, Json]) -> Document:
    own_keys = {KEYS[program][key]: key for key in value if key in KEYS[program]}
    translated = {
        trl: value[key] for trl, key in own_keys.items() if value[key] not in ("auto", "")
    }
    adapter, key, names = value.get(ADAPTERS[program]), *METHODS[program]
    if adapter in ("lora", "qlora"):
        translated["use_peft"], own_keys["use_peft"] = True, ADAPTERS[program]
    method = "reward" if value.get("reward_model") is True else str(value.get(key) or "")
    trainer = names.get(method, "reward" if method == "reward" else "")
    used = {*own_keys.values(), key, ADAPTERS[program]}
    untranslated = tuple(key_ for key_ in value if key_ not in used)
    setting = f"{key}: {method}" if method else f"no {key}"
    data = (file.path, file.data, translated, file.format)
    return Translated(*data, program, own_keys, untranslated, trainer, f"{setting} of {program}")


def certain_keys(program: str, left: Sequence[str]) -> Iterator[str]:
    """The keys of TRL that such a file states if it sets them; `left` are its other keys."""
    yield from (*KEYS[program].values(), "use_peft", "trainer", "stop_token", "use_cpu")
    if "trl" not in left:
        yield from ("use_vllm", "vllm_server_base_url")
