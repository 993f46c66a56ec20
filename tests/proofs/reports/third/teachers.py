"""Threads that searches for symptoms found: a teacher and a student."""

from reports.report import CHATS, COMPLETIONS, PROMPTS, Report, changed, rows, turn

PROMPTS_ONLY = """\
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
student = AutoModelForCausalLM.from_pretrained("model")
teacher = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model"))
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(lambda row: tokenizer(row["prompt"]))

training_args = GKDConfig(
    output_dir="gkd-qlora",
    max_steps=1,
    logging_steps=1,
    lmbda=0.0,
    per_device_train_batch_size=2,
    max_new_tokens=8,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GKDTrainer(
    model=student,
    teacher_model=teacher,
    args=training_args,
    processing_class=tokenizer,
    train_dataset=dataset,
)
labels = [batch["labels"] for batch in trainer.get_train_dataloader()]
print("tokens to learn:", sum((one != -100).sum().item() for one in labels))
trainer.train()
"""
ON_POLICY = """\
import torch
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("model", dtype="float32")
teacher = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model"))
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")
made = []


class Watched(GKDTrainer):
    @staticmethod
    def generate_on_policy_outputs(*args, **kwargs):
        tokens, mask, labels = GKDTrainer.generate_on_policy_outputs(*args, **kwargs)
        made.append((labels == tokenizer.eos_token_id).sum().item())
        return tokens, mask, labels


args = GKDConfig(
    output_dir="gkd",
    lmbda=1.0,
    max_new_tokens=16,
    max_steps=1,
    per_device_train_batch_size=4,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = Watched(
    model=model,
    teacher_model=teacher,
    args=args,
    processing_class=tokenizer,
    train_dataset=train_dataset,
)
trainer.train()
print("ends that are learnt:", sum(made))
"""
ASKED_ONLY = """\
from datasets import Dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

SYSTEM = "You improve answers."
TASKS = ("What is seven times six?", "Count to five.", "Write about the sea.", "And two weeks?")


def build_chat_dataset_rows(prompts):
    # the student answers them itself
    return [
        {
            "messages": [{"role": "user", "content": SYSTEM + "\\n" + prompt}],
        }
        for prompt in prompts
    ]


def run_gkd(student, teacher, output_dir):
    tokenizer = AutoTokenizer.from_pretrained(student)
    trainer = GKDTrainer(
        model=AutoModelForCausalLM.from_pretrained(student),
        teacher_model=AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(teacher)),
        args=GKDConfig(
            output_dir=output_dir,
            lmbda=1.0,
            max_new_tokens=8,
            max_steps=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            bf16=False,
            use_cpu=True,
        ),
        train_dataset=Dataset.from_list(build_chat_dataset_rows(TASKS)),
        processing_class=tokenizer,
    )
    trainer.train()


run_gkd("model", "model", "opd")
"""
LONG_ANSWERS = """\
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl.experimental.gkd import GKDConfig, GKDTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("model")
training_args = GKDConfig(
    output_dir="gkd-openthoughts",
    learning_rate=2e-5,
    lmbda=1.0,
    temperature=0.9,
    max_length=64,
    max_new_tokens=8,
    max_steps=1,
    per_device_train_batch_size=2,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = GKDTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    teacher_model=AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model")),
    args=training_args,
    processing_class=tokenizer,
    train_dataset=dataset,
)
trainer.train()
"""
LONG = "Think of it step by step, and once more, and then again. " * 8
THOUGHTS = rows(
    *({"messages": [turn("user", "And then?"), turn("assistant", LONG)]} for _ in range(4))
)
REPORTS = (
    Report(
        "huggingface/trl#2217",
        "ppo-first",
        "tokens to learn: 0",
        r"(no|without an?|lack\w*|needs an?) (\w+ )?(assistant|answer|completion|target)",
        {"train.py": PROMPTS_ONLY, "rows.jsonl": PROMPTS},
        {
            "rows.jsonl": COMPLETIONS,
            **changed(
                PROMPTS_ONLY,
                ('tokenizer(row["prompt"])', 'tokenizer(row["prompt"] + row["completion"])'),
            ),
        },
        level="",
    ),
    Report(
        "huggingface/trl#6357",
        "four",
        "ends that are learnt: 0",
        "pad.*eos|eos.*pad|never.*(stop|end)",
        {"train.py": ON_POLICY, "rows.jsonl": CHATS},
        changed(ON_POLICY, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
    ),
    Report(
        "greyhaven-ai/autocontext#1050",
        "four",
        "IndexError: list index out of range",
        "assistant",
        {"train.py": ASKED_ONLY},
        changed(
            ASKED_ONLY,
            (
                '"content": SYSTEM + "\\n" + prompt}],',
                '"content": SYSTEM + "\\n" + prompt},'
                '{"role": "assistant", "content": "(to be written)"}],',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#4725",
        "current",
        "has no prompt tokens left after truncation",
        "max_length|prompt.*(cut|dropped|lost)",
        {"train.py": LONG_ANSWERS, "rows.jsonl": THOUGHTS},
        changed(LONG_ANSWERS, ("max_length=64", "max_length=1024")),
        level="",
    ),
)
