"""Threads of a forty-fourth list: rows that have a prompt and messages, and no completion."""

from reports.report import PAIRS, Report, changed, rows, turn

CONTEST = '''\
"""SFT of a small model on solutions of programming contests, as a job."""

from datasets import load_dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

print("Loading dataset...")
full_dataset = load_dataset("json", data_files="codeforces.jsonl", split="train")
dataset = full_dataset.select(range(4))
print(f"Dataset loaded: {len(dataset)} examples")

# Training configuration
config = SFTConfig(
    output_dir="qwen3-codeforces-sft",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=2e-4,
    max_length=256,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
peft_config = LoraConfig(
    r=16,
    lora_alpha=32,
    lora_dropout=0.05,
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    task_type="CAUSAL_LM",
)
print("Initializing trainer...")
trainer = SFTTrainer(
    model="model",
    train_dataset=dataset,
    args=config,
    peft_config=peft_config,
)
trainer.train()
'''
AS_TEXT = """\


def format_for_sft(example):
    text = ""
    for message in example["messages"]:
        text += f"{message['role'].title()}: {message['content']}\\n\\n"
    return {"text": text}


dataset = dataset.map(format_for_sft, remove_columns=dataset.column_names)

# Training configuration
"""
SOLUTIONS = rows(
    *(
        {
            "id": f"{number}/A",
            "prompt": asked,
            "generation": said,
            "messages": [turn("user", asked), turn("assistant", said)],
        }
        for number, (asked, said) in enumerate(PAIRS)
    )
)
EDITORIALS = '''\
"""SFT on a thousand solutions with editorials; the template makes the text."""

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="codeforces.jsonl", split="train[:1000]")

# the tokenizer has the template
tokenizer = AutoTokenizer.from_pretrained("model")


# what is trained of a row
def format_messages(example):
    """Convert messages to text with the chat template."""
    if "messages" in example and example["messages"]:
        text = tokenizer.apply_chat_template(
            example["messages"], tokenize=False, add_generation_prompt=False
        )
        return text
    return ""


peft_config = LoraConfig(
    r=16,
    lora_alpha=32,
    lora_dropout=0.05,
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    task_type="CAUSAL_LM",
)
config = SFTConfig(
    output_dir="qwen-codeforces-sft",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    learning_rate=2e-4,
    max_length=256,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model="model",
    train_dataset=dataset,
    args=config,
    peft_config=peft_config,
    formatting_func=format_messages,
)
trainer.train()
'''
MAPPED = (
    ("        return text\n    return \"\"\n",
     "        return {\"text\": text}\n    return {\"text\": \"\"}\n\n\n"
     "dataset = dataset.map(format_messages, remove_columns=dataset.column_names)\n"),
    ("    formatting_func=format_messages,\n", ""),
)  # fmt: skip
PROMPT = r"\bcompletion\b|\bprompt\b.*\bcolumn|\bcolumn.*\bprompt\b"
REPORTS = (
    Report(
        "huggingface.co/albertlieadrian/training-scripts/commit/66abccc8",
        "current",
        "KeyError: 'completion'",
        PROMPT,
        {"train.py": CONTEST, "codeforces.jsonl": SOLUTIONS},
        changed(CONTEST, ("\n# Training configuration\n", AS_TEXT)),
    ),
    Report(
        "huggingface.co/papebaba/training-scripts/commit/cb94b3f8",
        "current",
        "KeyError: 'completion'",
        PROMPT,
        {"train.py": EDITORIALS, "codeforces.jsonl": SOLUTIONS},
        changed(EDITORIALS, *MAPPED),
    ),
)  # fmt: skip
