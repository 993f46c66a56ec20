"""The answer of the probe that traces a step at full size, for the examples of the rules on it."""

from trl_doctor.core.finding import Json
from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.fit import FitAnswer

from .candidate import TOKENIZER, config_files, under
from .libraries import IMPORTS
from .runs import recorded

RUN: dict[str, Json] = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "per_device_train_batch_size": 8,
    "max_completion_length": 1024,
    "gradient_accumulation_steps": 4,
    "max_steps": 5000,
    "save_steps": 100,
}
CONFIG: dict[str, Json] = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "vocab_size": 152064,
    "max_position_embeddings": 32768,
}
LARGE = {"run.json": RUN, **under("model", TOKENIZER, config_files(CONFIG))}
TRACED: Answers = {**IMPORTS, "fit": recorded("fit_qwen2_7b_grpo", "fit", FitAnswer)}
"""What the probe answered of a GRPO step of Qwen2.5-7B's sizes with trl 1.16.0."""
