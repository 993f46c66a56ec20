"""Trains with PPO what run.yaml names, as TRL's example does: `python ppo_script.py run.yaml`."""

import inspect
import sys
from pathlib import Path

import yaml
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    HfArgumentParser,
)
from trl import ModelConfig, ScriptArguments, get_peft_config, get_quantization_config

try:
    from trl import PPOConfig, PPOTrainer
except ImportError:
    from trl.experimental.ppo import PPOConfig, PPOTrainer

run = yaml.safe_load(Path(sys.argv[1]).read_text())
if isinstance(run.get("learning_rate"), str):
    run["learning_rate"] = float(run["learning_rate"])  # YAML 1.1 reads 1e-6 as a text
_, config, named = HfArgumentParser((ScriptArguments, PPOConfig, ModelConfig)).parse_dict(run)
loading = {"attn_implementation": named.attn_implementation}
adapter, packed = get_peft_config(named), get_quantization_config(named)
if packed:
    loading["quantization_config"] = packed
name, policy = run["model_name_or_path"], run.get("sft_model_path", run["model_name_or_path"])
tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
reward = AutoModelForSequenceClassification.from_pretrained(run["reward_model_path"], num_labels=1)
value = AutoModelForSequenceClassification.from_pretrained(run["reward_model_path"], num_labels=1)
rows = load_dataset(run["dataset_name"], run.get("dataset_config"))
rows = rows[run.get("dataset_train_split", "train")]


def tokens(row):
    """The ids of one prompt."""
    prompt = row["prompt"]
    if not isinstance(prompt, str):
        prompt = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
    return {"input_ids": tokenizer(prompt)["input_ids"]}


rows = rows.map(tokens, remove_columns=rows.column_names)
taken = inspect.signature(PPOTrainer.__init__).parameters
arguments = {
    "args" if "args" in taken else "config": config,
    "processing_class": tokenizer,
    "model" if "model" in taken else "policy": AutoModelForCausalLM.from_pretrained(
        policy, **loading
    ),
    "ref_model" if "ref_model" in taken else "ref_policy": AutoModelForCausalLM.from_pretrained(
        policy, **loading
    ),
    "reward_model": reward,
    "value_model": value,
    "train_dataset": rows,
    "eval_dataset": rows,
}
if adapter:
    arguments["peft_config"] = adapter
trainer = PPOTrainer(**arguments)
trainer.train()
trainer.save_model(config.output_dir)
