"""Threads of a forty-third list: an engine that nobody started."""

from reports.report import PROMPTS, Report, changed

RECIPE = """\
# Model arguments
model_name_or_path: model

# Data training arguments
dataset_name: open-s1.jsonl

# GRPO trainer config
output_dir: data/OpenRS-GRPO
use_vllm: true
vllm_mode: server
vllm_gpu_memory_utilization: 0.7
vllm_server_timeout: 6.0
learning_rate: 1.0e-06
lr_scheduler_type: cosine
max_completion_length: 16
max_steps: 1
num_generations: 4
per_device_train_batch_size: 4
gradient_accumulation_steps: 1
logging_steps: 1
temperature: 0.7
save_strategy: "no"
report_to: none
use_cpu: true
bf16: false
"""
SMALL = '''\
"""GRPO of a small model on one machine."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


def tag_count_reward(completions, **kwargs):
    """A part of a point for each tag."""
    tags = ("<think>", "</think>", "<answer>", "</answer>")
    return [
        sum(completion.count(tag) == 1 for tag in tags) / 4 - len(completion) / 1000
        for completion in completions
    ]


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=[tag_count_reward],
        args=training_args,
        train_dataset=dataset,
    )
    trainer.train()


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipes/grpo.yaml"]))
'''
MOVED = '''\
"""GRPO with fast generation; it ran with the release before the last update."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

MODEL = "model"
SYSTEM = "First think, then answer."

tokenizer = AutoTokenizer.from_pretrained(MODEL)


def to_prompt(row):
    messages = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": row["prompt"]},
    ]
    return {
        "prompt": tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
    }


def reward_len(completions, **kwargs):
    return [-abs(20 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="Qwen-GRPO",
    use_vllm=True,
    vllm_mode="server",
    vllm_server_host="127.0.0.1",
    vllm_server_port=8000,
    vllm_server_timeout=6.0,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    learning_rate=1e-6,
    max_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model=MODEL,
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=load_dataset("json", data_files="questions.jsonl", split="train").map(to_prompt),
    processing_class=tokenizer,
)
trainer.train()
'''
SERVER = (
    '    use_vllm=True,\n    vllm_mode="server",\n    vllm_server_host="127.0.0.1",\n'
    "    vllm_server_port=8000,\n    vllm_server_timeout=6.0,\n"
)
CAUSE = r"\bserver\b|vllm.serve\b|vllm_server"
REPORTS = (
    Report(
        "knoveleng/open-rs#8",
        "engine",
        "server can't be reached|Server is not up yet",
        CAUSE,
        {"train.py": SMALL, "recipes/grpo.yaml": RECIPE, "open-s1.jsonl": PROMPTS},
        {"recipes/grpo.yaml": RECIPE.replace("use_vllm: true", "use_vllm: false")},
    ),
    Report(
        "huggingface/open-r1#568",
        "engine",
        "server can't be reached|Server is not up yet",
        CAUSE,
        {"train.py": MOVED, "questions.jsonl": PROMPTS},
        changed(MOVED, (SERVER, "")),
    ),
)
