"""Threads of other repositories that plain searches gave: tokenizers, ends and rows."""

import json

from laid import ROOT

from reports.report import CHATS, PAIRS, Report, changed, rows

LLAMA_2 = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name = "model"
dataset_name = "rows.jsonl"
new_model = "llama-2-7b-pii"

dataset = load_dataset("json", data_files=dataset_name, split="train")
model = AutoModelForCausalLM.from_pretrained(model_name)
model.config.use_cache = False
model.config.pretraining_tp = 1

tokenizer = AutoTokenizer.from_pretrained(model_name, trust_remote_code=True)
tokenizer.pad_token = tokenizer.eos_token
tokenizer.padding_side = "right"  # Fix weird overflow issue with fp16 training

training_arguments = SFTConfig(
    output_dir="./results",
    max_steps=1,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=1,
    optim="adamw_torch",
    save_steps=0,
    logging_steps=25,
    learning_rate=2e-4,
    weight_decay=0.001,
    max_grad_norm=0.3,
    warmup_ratio=0.03,
    lr_scheduler_type="cosine",
    dataset_text_field="text",
    max_seq_length=512,
    packing=False,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    processing_class=tokenizer,
    args=training_arguments,
)
trainer.train()
trainer.model.save_pretrained(new_model)

batch = next(iter(trainer.get_train_dataloader()))
ends = (batch["labels"] == tokenizer.eos_token_id).sum().item()
print("ends that are learnt:", ends)
"""
SMOL = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

device = "cuda" if torch.cuda.is_available() else "cpu"

model_name = "model"
model = AutoModelForCausalLM.from_pretrained(pretrained_model_name_or_path=model_name).to(device)
tokenizer = AutoTokenizer.from_pretrained(pretrained_model_name_or_path=model_name)

# Set up the chat format
model, tokenizer = setup_chat_format(model=model, tokenizer=tokenizer)

finetune_name = "SmolLM2-FT-MyDataset"
finetune_tags = ["smol-course", "module_1"]

ds = load_dataset("json", data_files={"train": "rows.jsonl", "test": "rows.jsonl"})

sft_config = SFTConfig(
    output_dir="./sft_output",
    max_steps=1,
    per_device_train_batch_size=4,
    learning_rate=5e-5,
    logging_steps=10,
    save_steps=100,
    eval_strategy="steps",
    eval_steps=50,
    use_mps_device=False,
    hub_model_id=finetune_name,
    report_to="none",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=sft_config,
    train_dataset=ds["train"],
    processing_class=tokenizer,
    eval_dataset=ds["test"],
)
trainer.train()
trainer.save_model(f"./{finetune_name}")

batch = next(iter(trainer.get_train_dataloader()))
ends = (batch["labels"] == tokenizer.eos_token_id).sum().item()
print("ends that are learnt:", ends)
"""
ALPACA = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

max_seq_length = 2048
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")

alpaca_prompt = \"\"\"Below is an instruction that describes a task.

### Instruction:
{}

### Response:
{}\"\"\"
EOS_TOKEN = tokenizer.eos_token  # Must add EOS_TOKEN


def formatting_prompts_func(examples):
    instructions = examples["instruction"]
    outputs = examples["output"]
    texts = []
    for instruction, output in zip(instructions, outputs):
        # Without the end the answer goes on forever
        texts.append(alpaca_prompt.format(instruction, output) + EOS_TOKEN)
    return {"text": texts}


dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(formatting_prompts_func, batched=True)

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        max_seq_length=max_seq_length,
        dataset_num_proc=2,
        packing=False,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        warmup_steps=1,
        max_steps=1,
        learning_rate=2e-4,
        logging_steps=1,
        optim="adamw_torch",
        weight_decay=0.01,
        lr_scheduler_type="linear",
        seed=3407,
        output_dir="outputs",
        report_to="none",
        use_cpu=True,
    ),
)
trainer_stats = trainer.train()

batch = next(iter(trainer.get_train_dataloader()))
ends = (batch["labels"] == tokenizer.eos_token_id).sum().item()
print("ends that are learnt:", ends)
"""
INSTRUCTED = rows(*({"instruction": a, "output": b} for a, b in PAIRS))
ENDED = rows(*({"text": f"[INST] {a} [/INST] {b}<|im_end|>"} for a, b in PAIRS))
HEALTHY = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
PLAIN_TOKENIZER = json.dumps({**HEALTHY, "chat_template": None})
PADS = (
    r"\bpad(ding|_token)?\b[^.]*(eos|end of|ends|stop)|(eos|im_end|end of (the |an )?answer)[^.]*"
    r"(\bpad|never learn|not learn|no loss|out of the loss|ignored|masked|-100)"
)
REPORTS = (
    Report(
        "mlabonne/llm-course#33",
        "ppo-first",
        "ends that are learnt: 0",
        PADS,
        {"train.py": LLAMA_2, "rows.jsonl": ENDED},
        changed(
            LLAMA_2,
            ("pad_token = tokenizer.eos_token\n", 'pad_token = "<|fim_pad|>"\n'),
        ),
    ),
    Report(
        "huggingface/smol-course#159",
        "grpo-first",
        "ends that are learnt: 0",
        PADS,
        {
            "train.py": SMOL,
            "rows.jsonl": CHATS,
            "model/tokenizer_config.json": PLAIN_TOKENIZER,
        },
        changed(
            SMOL,
            (
                "tokenizer=tokenizer)\n\nfinetune_name",
                'tokenizer=tokenizer)\ntokenizer.add_special_tokens({"pad_token": "<pad>"})\n'
                "model.resize_token_embeddings(len(tokenizer))\n\nfinetune_name",
            ),
        ),
        level="",
    ),
    Report(
        "unslothai/unsloth#416",
        "ppo-first",
        "ends that are learnt: 0",
        PADS,
        {"train.py": ALPACA, "rows.jsonl": INSTRUCTED},
        changed(
            ALPACA,
            (
                "\nalpaca_prompt =",
                'tokenizer.add_special_tokens({"pad_token": "<|fim_pad|>"})\n'
                "model.config.pad_token_id = tokenizer.pad_token_id\n\nalpaca_prompt =",
            ),
        ),
        model={"tokenizer_config.json": {"pad_token": "<|im_end|>"}},
    ),
)
