"""Threads of TRL's own tracker: GRPO and RLOO, and a format that is set up twice."""

from reports.report import CHATS, PROMPTS, Report, changed

LARGE = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def reward_func(completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


training_args = GRPOConfig(
    output_dir="math-grpo",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    steps_per_generation=32,
    num_generations=4,
    max_completion_length=8,
    learning_rate=1e-6,
    num_train_epochs=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_func,
    args=training_args,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
print("steps that were trained:", trainer.state.global_step)
"""
WARM = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer

seen = {}


def reward_func(completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


class Watched(GRPOTrainer):
    def _get_per_token_logps(self, model, input_ids, attention_mask, logits_to_keep):
        found = super()._get_per_token_logps(model, input_ids, attention_mask, logits_to_keep)
        logits = model(input_ids=input_ids, attention_mask=attention_mask).logits[:, :-1]
        cooled = logits[:, -logits_to_keep:].float() / self.args.temperature
        wanted = cooled.log_softmax(-1).gather(-1, input_ids[:, -logits_to_keep:, None])
        seen["same"] = torch.allclose(found, wanted.squeeze(-1), atol=1e-3)
        return found


training_args = GRPOConfig(
    output_dir="warm-grpo",
    per_device_train_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    temperature=0.6,
    learning_rate=1e-6,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = Watched(
    model=AutoModelForCausalLM.from_pretrained("model"),
    reward_funcs=reward_func,
    args=training_args,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
print("trained on what was sampled from:", seen["same"])
"""
RLOO = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import RLOOConfig, RLOOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
policy = AutoModelForCausalLM.from_pretrained("model")
ref_policy = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]}, remove_columns=["prompt"]
)
config = RLOOConfig(
    output_dir="rloo-epoch",
    num_train_epochs=1,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=1,
    num_ppo_epochs=1,
    num_mini_batches=1,
    rloo_k=4,
    response_length=8,
    stop_token="eos",
    num_sample_generations=0,
    local_rollout_forward_batch_size=4,
    learning_rate=1e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = RLOOTrainer(
    config=config,
    processing_class=tokenizer,
    policy=policy,
    ref_policy=ref_policy,
    reward_model=reward_model,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
seen = config.num_total_batches * trainer.local_dataloader_batch_size
print(f"prompts seen: {seen} of {len(dataset)}")
"""
FORMATTED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
model, tokenizer = setup_chat_format(model, tokenizer)
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="chatml-sft",
        max_seq_length=256,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=2e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#3665",
        "grpo-shapes",
        "Traceback|steps that were trained: 0",
        "steps_per_generation",
        {"train.py": LARGE, "prompts.jsonl": PROMPTS},
        changed(LARGE, ("steps_per_generation=32", "steps_per_generation=4")),
        level="",
    ),
    Report(
        "huggingface/trl#3029",
        "grpo-first",
        "trained on what was sampled from: False",
        "temperature",
        {"train.py": WARM, "prompts.jsonl": PROMPTS},
        changed(WARM, ("temperature=0.6", "temperature=1.0")),
    ),
    Report(
        "huggingface/trl#2515",
        "ppo-first",
        "prompts seen: 1 of 4",
        "rloo_k|num_train_epochs|total_episodes",
        {"train.py": RLOO, "prompts.jsonl": PROMPTS},
        changed(RLOO, ("num_train_epochs=1", "num_train_epochs=4")),
    ),
    Report(
        "huggingface/trl#2252",
        "grpo-first",
        "Chat template is already added",
        "setup_chat_format|chat template is already",
        {"train.py": FORMATTED, "chats.jsonl": CHATS},
        changed(
            FORMATTED,
            (
                "model, tokenizer = setup",
                "tokenizer.chat_template = None\nmodel, tokenizer = setup",
            ),
        ),
        level="",
    ),
)
