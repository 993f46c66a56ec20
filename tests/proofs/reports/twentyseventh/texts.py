"""Threads of a twenty-seventh list: rows that are made as no one wanted, and answers' ends."""

from reports.report import Report, changed
from reports.twentyseventh.data import CHATS, COMPLETIONS, base_model, dialogue

LETTERS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def to_text(examples):
    chats = [
        [{"role": "user", "content": problem}, {"role": "assistant", "content": answer}]
        for problem, answer in zip(examples["prompt"], examples["completion"])
    ]
    return {"text": tokenizer.apply_chat_template(chats, tokenize=False)}


dataset = load_dataset("json", data_files="math.jsonl", split="train")
dataset = dataset.map(to_text, batched=False, remove_columns=dataset.column_names)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="math",
        max_steps=3,
        per_device_train_batch_size=4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
HOLES = """\
import pandas as pd
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

lines = pd.read_csv("dialogue.csv")
lines["context"] = lines["line"].shift(1)
lines = lines.rename(columns={"context": "prompt", "line": "completion"})
dataset = Dataset.from_pandas(lines[["prompt", "completion"]], preserve_index=False)

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="chatbot",
        max_steps=3,
        per_device_train_batch_size=4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
OTHER_END = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
args = SFTConfig(
    output_dir="math-chat",
    max_steps=45,
    per_device_train_batch_size=12,
    learning_rate=2e-2,
    logging_steps=20,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
dataset = load_dataset("json", data_files="chats.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    args=args,
)
trainer.train()
trainer.save_model()

tokenizer = AutoTokenizer.from_pretrained("math-chat")
model = AutoModelForCausalLM.from_pretrained("math-chat").eval()
ended = 0
for row in dataset:
    ids = tokenizer.apply_chat_template(
        row["messages"][:1], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    output = model.generate(**ids, max_new_tokens=24, do_sample=False)
    ended += output.shape[1] < ids["input_ids"].shape[1] + 24
print(f"answers that end before the limit: {ended} of {len(dataset)}")
"""
REPORTS = (
    Report(
        "probabilistic-inference-scaling/probabilistic-inference-scaling#6",
        "current",
        "'list' object has no attribute 'endswith'",
        r"batched|letter|character|list of (strings|texts)|(text|column).{0,80}\blists?\b",
        {"train.py": LETTERS, "math.jsonl": COMPLETIONS},
        changed(LETTERS, ("batched=False", "batched=True")),
        level="",
    ),
    Report(
        "RuolinZheng08/twewy-discord-chatbot#13",
        "current",
        "need to specify either `text`",
        r"\bNone\b|\bnull\b|\bNaN\b|empty|missing|not (a )?(string|text)",
        {"train.py": HOLES, "dialogue.csv": dialogue()},
        changed(
            HOLES,
            (
                'lines["context"] = lines["line"].shift(1)\n',
                'lines["context"] = lines["line"].shift(1)\nlines = lines.dropna()\n',
            ),
        ),
        level="",
    ),
    Report(
        "hiyouga/LlamaFactory#7454",
        "current",
        "that end before the limit: 0 of",
        r"eos_token|\beos\b|<\|im_end\|>|<\|endoftext\|>|(end|stop) token",
        {"train.py": OTHER_END, "chats.jsonl": CHATS, **base_model()},
        changed(
            OTHER_END,
            (
                '    output_dir="math-chat",\n',
                '    output_dir="math-chat",\n    eos_token="<|im_end|>",\n',
            ),
        ),
        level="files",
    ),
)
