"""Threads of a thirty-eighth list: evaluations without rows, and rows without an evaluation."""

from reports.report import PAIRS, Report, changed, rows

ALPACA = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
SPLIT = '''\
"""Supervised fine-tuning with the options of a command line, as a dictionary here."""

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

OPTIONS = {
    "dataset": "psychology.jsonl",
    "template": "Human: {instruction}\\nAssistant: {output}",
    "val_size": 0,
}


def get_dataset():
    data = load_dataset("json", data_files=OPTIONS["dataset"], split="train")
    data = data.map(lambda row: {"text": OPTIONS["template"].format(**row)})
    return data.select_columns(["text"])


def split_dataset(data):
    if OPTIONS["val_size"] > 0:
        parts = data.train_test_split(test_size=OPTIONS["val_size"], seed=42)
        return {"train_dataset": parts["train"], "eval_dataset": parts["test"]}
    return {"train_dataset": data}


def run_sft():
    training_args = SFTConfig(
        output_dir="checkpoints",
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        eval_strategy="steps",
        eval_steps=1,
        save_strategy="steps",
        save_steps=1,
        load_best_model_at_end=True,
        max_steps=2,
        learning_rate=5e-5,
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    trainer = SFTTrainer(model="model", args=training_args, **split_dataset(get_dataset()))
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    run_sft()
'''
QUESTIONS = "".join(
    f'{{"question": "{a}", "reply": "{b}"}}\n' for a, b in (*PAIRS, ("Who wrote it?", "A friend."))
)
NOTEBOOK = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")

dataset = load_dataset("json", data_files={"train": "train.jsonl"})
test_dataset = load_dataset("json", data_files={"train": "test.jsonl"})


def to_text(row):
    turns = [
        {"role": "user", "content": row["question"]},
        {"role": "assistant", "content": row["reply"]},
    ]
    return {"text": tokenizer.apply_chat_template(turns, tokenize=False)}


formatted_dataset = dataset.map(to_text, remove_columns=["question", "reply"])
test_dataset = test_dataset.map(to_text, remove_columns=["question", "reply"])
num_train_data = 4

sft_config = SFTConfig(
    dataset_text_field="text",
    max_seq_length=96,
    output_dir="tmp",
    num_train_epochs=1,
    learning_rate=1e-4,
    report_to="none",
    logging_steps=1,
    save_strategy="no",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model,
    processing_class=tokenizer,
    train_dataset=formatted_dataset["train"].select(range(num_train_data)),
    eval_dataset=test_dataset["train"],
    args=sft_config,
)
trainer.train()
print("evaluations in the log:", sum("eval_loss" in entry for entry in trainer.state.log_history))
"""
TOOL = '''\
"""The fine-tuning mode of a tool: its options are in two classes."""

from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


@dataclass
class DataOptions:
    train_file: str = "train.jsonl"
    dev_file: str = "test.jsonl"


class TrainingOptions(SFTConfig):
    def __init__(self, **kwargs):
        options = {
            "output_dir": "checkpoint/sft",
            "do_train": True,
            "do_eval": True,
            "per_device_train_batch_size": 2,
            "per_device_eval_batch_size": 2,
            "learning_rate": 1e-5,
            "max_steps": 2,
            "logging_steps": 1,
            "save_strategy": "no",
            "report_to": "none",
            "use_cpu": True,
            "bf16": False,
        }
        super().__init__(**(options | kwargs))


class Train:
    def __init__(self, data_args, training_args):
        self.data_args, self.training_args = data_args, training_args
        self.tokenizer = AutoTokenizer.from_pretrained("model")
        self.model = AutoModelForCausalLM.from_pretrained("model")

    def read(self, path):
        data = load_dataset("json", data_files=path, split="train")
        columns = {"question": "prompt", "reply": "completion"}
        return data.rename_columns(columns)

    def supervised_fine_tuning(self):
        trainer = SFTTrainer(
            model=self.model,
            args=self.training_args,
            processing_class=self.tokenizer,
            train_dataset=self.read(self.data_args.train_file),
            eval_dataset=self.read(self.data_args.dev_file),
        )
        trainer.train()
        losses = [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry]
        print(f"eval losses during training: {len(losses)}")


if __name__ == "__main__":
    Train(DataOptions(), TrainingOptions()).supervised_fine_tuning()
'''
NEVER = (
    r"never (evaluat|used)|not evaluated|no evaluation|eval_strategy|without an evaluation"
    r"|do_eval"
)
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#744",
        "four",
        "eval_dataset",
        r"eval_dataset|nothing to evaluate|eval_strategy",
        {"train.py": SPLIT, "psychology.jsonl": ALPACA},
        changed(SPLIT, ('"val_size": 0,', '"val_size": 0.25,')),
    ),
    Report(
        "huggingface/trl#2203",
        "ppo-first",
        "evaluations in the log: 0",
        NEVER,
        {"train.py": NOTEBOOK, "train.jsonl": QUESTIONS, "test.jsonl": QUESTIONS},
        changed(
            NOTEBOOK, ("    logging_steps=1,", '    logging_steps=1,\n    eval_strategy="epoch",')
        ),
    ),
    Report(
        "stanleylsx/llms_tool#60",
        "current",
        "eval losses during training: 0",
        NEVER,
        {"train.py": TOOL, "train.jsonl": QUESTIONS, "test.jsonl": QUESTIONS},
        changed(
            TOOL,
            ('"do_eval": True,', '"do_eval": True,\n            "eval_strategy": "steps",'),
            ('"logging_steps": 1,', '"logging_steps": 1,\n            "eval_steps": 1,'),
        ),
    ),
)
