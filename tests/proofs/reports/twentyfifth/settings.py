"""Threads of a twenty-fifth list: settings that a run file or a default gives."""

from reports.report import ANSWERED, ASKED, PAIRS, PROMPTS, Report, changed, rows

TEXTS = rows(*({"text": f"{a} {b}<|im_end|>"} for a, b in PAIRS))
LONG = rows(
    *(
        {"text": f"{' '.join(ASKED)} {answer} {' '.join(ANSWERED)} {' '.join(ASKED)}<|im_end|>"}
        for answer in ANSWERED
    )
)
FROM_YAML = """\
import sys

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

with open(sys.argv[1] if len(sys.argv) > 1 else "lora_sft.yaml") as file:
    config = yaml.safe_load(file)

model_name = config.pop("model_name_or_path")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(model_name),
    processing_class=AutoTokenizer.from_pretrained(model_name),
    train_dataset=load_dataset("json", data_files=config.pop("dataset"), split="train"),
    args=SFTConfig(**config, report_to="none", use_cpu=True, bf16=False),
)
trainer.train()
"""
RUN_FILE = """\
### model
model_name_or_path: model

### dataset
dataset: identity.jsonl
max_length: 128

### train
output_dir: saves/llama3-8b/lora/sft
per_device_train_batch_size: 2
learning_rate: 2e-5
max_steps: 1
save_strategy: "no"
"""
WARMUP = """\
import argparse

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--raw_data_path", default="train.jsonl")
parser.add_argument("--epochs", default=5, type=int)
parser.add_argument("--batch_size", default=2, type=int)
parser.add_argument("--lr", default=1.5e-4, type=float)
parser.add_argument("--warmup_steps", default=2000, type=int)
parser.add_argument("--log_step", default=1, type=int)
parser.add_argument("--output_dir", default="gpt2-model/")
args = parser.parse_args()

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files=args.raw_data_path, split="train"),
    args=SFTConfig(
        output_dir=args.output_dir,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        learning_rate=args.lr,
        warmup_steps=args.warmup_steps,
        logging_steps=args.log_step,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
reached = max(line.get("learning_rate", 0) for line in trainer.state.log_history) / args.lr
print(f"of the learning rate, the run has reached {reached:.2f}")
"""
POSITIONS = """\
from datasets import load_dataset
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
# distilgpt2, small
config = GPT2Config(
    vocab_size=320,
    n_positions=64,
    n_embd=64,
    n_layer=2,
    n_head=2,
    bos_token_id=None,
    eos_token_id=tokenizer.eos_token_id,
    pad_token_id=tokenizer.pad_token_id,
)
trainer = SFTTrainer(
    model=GPT2LMHeadModel(config),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="books.jsonl", split="train"),
    args=SFTConfig(
        output_dir="finetuned-gpt2",
        max_length=None,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
DROPOUT = """\
from datasets import load_dataset
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel, set_seed
from trl import GRPOConfig, GRPOTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
config = GPT2Config(
    vocab_size=320,
    n_positions=256,
    n_embd=64,
    n_layer=2,
    n_head=2,
    bos_token_id=None,
    eos_token_id=tokenizer.eos_token_id,
    pad_token_id=tokenizer.pad_token_id,
)
GPT2LMHeadModel(config).save_pretrained("gpt2-sft")
tokenizer.save_pretrained("gpt2-sft")


def short(completions, **kwargs):
    return [-float(len(completion)) for completion in completions]


trainer = GRPOTrainer(
    model="gpt2-sft",
    reward_funcs=short,
    args=GRPOConfig(
        output_dir="gpt2-grpo",
        beta=0.04,
        num_generations=2,
        per_device_train_batch_size=2,
        max_completion_length=16,
        max_steps=1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
divergence = trainer.state.log_history[0]["kl"]
far = divergence > 1e-5
print("before the first update, the policy is", "far from" if far else "at", "its reference")
"""
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#4014",
        "current",
        "not supported between instances of 'float' and 'str'|learning_rate",
        r"learning_rate",
        {"train.py": FROM_YAML, "lora_sft.yaml": RUN_FILE, "identity.jsonl": TEXTS},
        {"lora_sft.yaml": RUN_FILE.replace("2e-5", "2.0e-5")},
        level="",
    ),
    Report(
        "Morizeyao/GPT2-Chinese#60",
        "current",
        r"the run has reached 0\.0",
        r"warmup",
        {"train.py": WARMUP, "train.jsonl": TEXTS},
        changed(WARMUP, ('"--warmup_steps", default=2000', '"--warmup_steps", default=0')),
        level="",
    ),
    Report(
        "huggingface/transformers#1726",
        "current",
        "index out of range in self",
        r"n_positions|max_position_embeddings|max_length|positions",
        {"train.py": POSITIONS, "books.jsonl": LONG},
        changed(POSITIONS, ("max_length=None", "max_length=64")),
        level="",
    ),
    Report(
        "huggingface/trl#3234",
        "current",
        "the policy is far from its reference",
        r"dropout",
        {"train.py": DROPOUT, "prompts.jsonl": PROMPTS},
        changed(
            DROPOUT, ("        beta=0.04,\n", "        beta=0.04,\n        disable_dropout=True,\n")
        ),
        level="",
    ),
)
