"""Threads of a forty-second list: the end of a text, and of a turn."""

import json

from laid import ROOT

from reports.report import CHATS, COMPLETIONS, Report, changed

LLAMA2 = '''\
"""Fine-tuning on instructions in one text."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def to_text(example):
    return {"text": f"### Human: {example['prompt']}\\n### Assistant:{example['completion']}"}


dataset = load_dataset("json", data_files="answers.jsonl", split="train").map(to_text)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="sft",
        dataset_text_field="text",
        max_seq_length=128,
        per_device_train_batch_size=2,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
ended = sum(row["input_ids"][-1] == tokenizer.eos_token_id for row in trainer.train_dataset)
print("texts that end with the end token:", ended)
'''
FOLDER = ROOT / "fixtures/models/healthy"
BASE = {
    name: json.dumps(json.loads((FOLDER / name.split("/")[1]).read_text()) | keys)
    for name, keys in {
        "model/config.json": {"eos_token_id": 296},
        "model/generation_config.json": {"eos_token_id": 296},
        "model/tokenizer_config.json": {"eos_token": "<|endoftext|>"},
    }.items()
}
TURN_END = '''\
"""Fine-tuning of a base model on chats."""

from datasets import load_dataset
from transformers import AutoTokenizer, GenerationConfig
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="data/sft-no-packing",
    learning_rate=2e-5,
    num_train_epochs=2,
    per_device_train_batch_size=4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model="model",
    args=args,
    train_dataset=load_dataset("json", data_files="capybara.jsonl", split="train"),
)
trainer.train()
trainer.save_model("data/sft-no-packing")
tokenizer = AutoTokenizer.from_pretrained("data/sft-no-packing")
ends = GenerationConfig.from_pretrained("data/sft-no-packing").eos_token_id
ends = ends if isinstance(ends, list) else [ends]
turn_end = tokenizer.convert_tokens_to_ids("<|im_end|>")
print("the saved model stops where a turn ends:", turn_end in ends)
'''
REPORTS = (
    Report(
        "huggingface/trl#931",
        "ppo-first",
        r"texts that end with the end token: 0\b",
        r"\beos\b|eos_token|end token|<\|im_end\|>|never (ends|stops)",
        {"train.py": LLAMA2, "answers.jsonl": COMPLETIONS},
        changed(
            LLAMA2, ("{example['completion']}\"", "{example['completion']}\" + tokenizer.eos_token")
        ),
    ),
    Report(
        "huggingface/trl#3299",
        "current",
        "the saved model stops where a turn ends: False",
        r"eos_token|<\|im_end\|>|ends? (a|of) turn",
        {"train.py": TURN_END, "capybara.jsonl": CHATS, **BASE},
        changed(
            TURN_END,
            ("    learning_rate=2e-5,\n", '    learning_rate=2e-5,\n    eos_token="<|im_end|>",\n'),
        ),
    ),
)
