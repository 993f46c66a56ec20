"""Threads of a thirty-sixth list: adapters that do not fit their model."""

from reports.report import TEXT, Report, changed

RESIZED = '''\
"""Trains an adapter with marks for rewards in the prompt, and loads it for the evaluation."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
MARKS = ["<rm1_score>", "</rm1_score>", "<rm2_score>", "</rm2_score>"]


def load_tokenizer():
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    tokenizer.add_special_tokens({"additional_special_tokens": MARKS})
    return tokenizer


def train(tokenizer):
    model = AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)
    model.resize_token_embeddings(len(tokenizer))
    data = load_dataset("json", data_files="texts.jsonl", split="train")
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data.map(lambda row: {"text": f"<rm1_score>1.0</rm1_score> {row['text']}"}),
        peft_config=LoraConfig(
            r=4,
            target_modules=["q_proj", "v_proj"],
            modules_to_save=["embed_tokens"],
            task_type="CAUSAL_LM",
        ),
        args=SFTConfig(
            output_dir="ric",
            max_steps=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model("ric")


def load_for_evaluation(tokenizer):
    model = AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)
    return PeftModel.from_pretrained(model, "ric")


def main():
    tokenizer = load_tokenizer()
    train(tokenizer)
    model = load_for_evaluation(tokenizer)
    inputs = tokenizer("<rm1_score>1.0</rm1_score> Count to five.", return_tensors="pt")
    output = model.generate(**inputs, max_new_tokens=8, do_sample=False)
    print(tokenizer.decode(output[0]))


if __name__ == "__main__":
    main()
'''
COMMAS = '''\
"""Fine-tunes with LoRA on the layers that are named on the command line."""

import argparse

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--target_modules", nargs="+", default=["q_proj,v_proj"])
parser.add_argument("--lora_rank", type=int, default=8)
options = parser.parse_args()

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    peft_config=LoraConfig(
        r=options.lora_rank,
        target_modules=options.target_modules,
        task_type="CAUSAL_LM",
    ),
    args=SFTConfig(
        output_dir="lora",
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
'''
REPORTS = (
    Report(
        "YangRui2015/RiC#19",
        "current",
        "size mismatch",
        r"resize|vocab|embed|size mismatch|rows of",
        {"train.py": RESIZED, "texts.jsonl": TEXT},
        changed(
            RESIZED,
            (
                '    return PeftModel.from_pretrained(model, "ric")',
                "    model.resize_token_embeddings(len(tokenizer))\n"
                '    return PeftModel.from_pretrained(model, "ric")',
            ),
        ),
    ),
    Report(
        "modelscope/ms-swift#6516",
        "current",
        "not found in the base model",
        r"target_modules|q_proj,v_proj",
        {"train.py": COMMAS, "texts.jsonl": TEXT},
        changed(COMMAS, ('default=["q_proj,v_proj"]', 'default=["q_proj", "v_proj"]')),
    ),
)
