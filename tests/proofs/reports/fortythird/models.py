"""Threads of a forty-third list: models that do not fit together, or do not get loaded."""

import json

from reports.report import CHATS, PROMPTS, Report, changed

DISTILLED = '''\
"""Distillation on the student's own answers."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

STUDENT = "qwen-0.5b"
TEACHER = "qwen-7b"

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained(STUDENT)
teacher_model = AutoModelForCausalLM.from_pretrained(TEACHER)

dataset = load_dataset("json", data_files="chats.jsonl", split="train")
training_args = GKDConfig(
    output_dir="gkd-model",
    per_device_train_batch_size=2,
    lmbda=0.5,
    beta=0.5,
    temperature=0.9,
    max_new_tokens=16,
    max_length=128,
    learning_rate=1e-5,
    max_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = GKDTrainer(
    model=model,
    teacher_model=teacher_model,
    args=training_args,
    processing_class=tokenizer,
    train_dataset=dataset,
)
trainer.train()
'''
ZERO3 = {
    "train_batch_size": "auto",
    "train_micro_batch_size_per_gpu": "auto",
    "gradient_accumulation_steps": "auto",
    "gradient_clipping": "auto",
    "zero_optimization": {"stage": 3},
}
EARLY = '''\
"""SFT with ZeRO-3 on one machine: the model is split while it is loaded."""

import json
import os

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.integrations import HfDeepSpeedConfig
from trl import SFTConfig, SFTTrainer

ONE_MACHINE = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1",
               "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}
for name, value in ONE_MACHINE.items():
    os.environ.setdefault(name, value)


class SFTRecipe:
    """What the configuration says, and the trainer that follows it."""

    deepspeed_config = "configs/zero3.json"

    def setup_model(self, path, training_args):
        with open(self.deepspeed_config, encoding="utf-8") as file:
            config = json.load(file)
        # registered before the model is loaded: from_pretrained then uses zero.Init
        self.registered = HfDeepSpeedConfig(config)
        return AutoModelForCausalLM.from_pretrained(path)

    def train(self):
        training_args = SFTConfig(
            output_dir="fai-sft",
            deepspeed=self.deepspeed_config,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=1,
            learning_rate=1e-5,
            max_length=128,
            max_steps=1,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
        )
        trainer = SFTTrainer(
            model=self.setup_model("model", training_args),
            args=training_args,
            train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
            processing_class=AutoTokenizer.from_pretrained("model"),
        )
        trainer.train()


if __name__ == "__main__":
    SFTRecipe().train()
'''
HALF = '''\
"""Tuning of a classifier that answers with a word, with DeepSpeed."""

import json
import os

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

for name, value in (("RANK", "0"), ("LOCAL_RANK", "0"), ("WORLD_SIZE", "1"),
                    ("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", "29518")):
    os.environ.setdefault(name, value)

with open("deepspeed.json", encoding="utf-8") as file:
    DEEPSPEED = json.load(file)

tokenizer = AutoTokenizer.from_pretrained("model")


def to_messages(row):
    return {
        "messages": [
            {"role": "user", "content": f"Is this a question? {row['prompt']}"},
            {"role": "assistant", "content": "yes" if row["prompt"].endswith("?") else "no"},
        ]
    }


dataset = load_dataset("json", data_files="questions.jsonl", split="train")
dataset = dataset.map(to_messages, remove_columns=dataset.column_names)
config = SFTConfig(
    output_dir="llm-classifier",
    deepspeed=DEEPSPEED,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=3e-5,
    weight_decay=0.01,
    warmup_steps=1,
    max_length=256,
    max_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=config,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
'''
FP16 = {
    "fp16": {"enabled": True, "loss_scale": 0, "initial_scale_power": 16, "min_loss_scale": 1},
    "zero_optimization": {"stage": 0},
    "train_micro_batch_size_per_gpu": "auto",
    "gradient_accumulation_steps": "auto",
}
BF16 = {"bf16": {"enabled": True}, **{key: FP16[key] for key in FP16 if key != "fp16"}}
RESOLVED = """\
        # zero.Init reads numbers: "auto" is resolved in the copy that is registered
        config.pop("train_batch_size")
        config["gradient_clipping"] = training_args.max_grad_norm
        config["gradient_accumulation_steps"] = training_args.gradient_accumulation_steps
        config["train_micro_batch_size_per_gpu"] = training_args.per_device_train_batch_size
        # registered"""
REPORTS = (
    Report(
        "huggingface/trl#6252",
        "four",
        "The size of tensor a .* must match the size of tensor b|stack expects each tensor",
        r"vocab",
        {"train.py": DISTILLED, "chats.jsonl": CHATS},
        changed(DISTILLED, ('TEACHER = "qwen-7b"', 'TEACHER = "qwen-3b"')),
        small={"qwen-0.5b": "healthy 304", "qwen-3b": "healthy 304", "qwen-7b": "healthy 312"},
    ),
    Report(
        "Roblox/FAI-RL#70",
        "cluster",
        "'>' not supported between instances of 'str' and 'int'",
        r"\bauto\b|HfDeepSpeedConfig|train_batch_size|zero\.Init",
        {"train.py": EARLY, "chats.jsonl": CHATS, "configs/zero3.json": json.dumps(ZERO3)},
        changed(EARLY, ("        # registered", RESOLVED)),
    ),
    Report(
        "huggingface/transformers#39849",
        "cluster",
        "cannot be set to `bf16` when `fp16` is set in the DeepSpeed config",
        r"\bfp16\b.*\bbf16\b|\bbf16\b.*\bfp16\b",
        {"train.py": HALF, "questions.jsonl": PROMPTS, "deepspeed.json": json.dumps(FP16)},
        {"deepspeed.json": json.dumps(BF16)},
    ),
)
