"""Threads of a thirty-eighth list: options of another release, or that reach nobody."""

from reports.report import PAIRS, Report, changed, rows

COURSE = '''\
"""The chapter's script: the conversations are those of a file here."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name = "model"
finetune_name = "course-sft"
model = AutoModelForCausalLM.from_pretrained(model_name)
tokenizer = AutoTokenizer.from_pretrained(model_name)
ds = load_dataset("json", data_files={"train": "smol.jsonl", "test": "smol.jsonl"})

args = SFTConfig(
    output_dir="./sft_output",
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=5e-5,
    logging_steps=1,
    eval_strategy="steps",
    eval_steps=2,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=ds["train"],
    processing_class=tokenizer,
    eval_dataset=ds["test"],
    max_seq_length=512,
)
trainer.train()
trainer.save_model(f"./{finetune_name}")
'''
SMOL = rows(
    *(
        {"messages": [{"role": "user", "content": a}, {"role": "assistant", "content": b}]}
        for a, b in PAIRS
    )
)
LONG = rows(*({"text": f"### Human: {a} ### Assistant: {b * 6}"} for a, b in PAIRS))
EXAMPLE = '''\
"""An example of supervised fine-tuning with the arguments of a script."""

from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForCausalLM, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments:
    model_name: str = field(default="model", metadata={"help": "the model name"})
    dataset_name: str = field(default="guanaco.jsonl", metadata={"help": "the dataset name"})
    dataset_text_field: str = field(default="text", metadata={"help": "the text field"})
    batch_size: int = field(default=2, metadata={"help": "the batch size"})
    seq_length: int = field(default=48, metadata={"help": "Input sequence length"})
    learning_rate: float = field(default=1.41e-5, metadata={"help": "the learning rate"})
    max_steps: int = field(default=1, metadata={"help": "the number of training steps"})
    output_dir: str = field(default="output", metadata={"help": "the output directory"})


script_args = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(args=[])[0]
dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
training_args = SFTConfig(
    output_dir=script_args.output_dir,
    dataset_text_field=script_args.dataset_text_field,
    per_device_train_batch_size=script_args.batch_size,
    learning_rate=script_args.learning_rate,
    max_steps=script_args.max_steps,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(script_args.model_name),
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
longest = max(len(row["input_ids"]) for row in trainer.train_dataset)
print("tokens in the longest row:", longest)
'''
ASKS = rows(*({"prompt": a} for a, _ in PAIRS))
FARTHER = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="tldr.jsonl", split="train")


# Define the reward function, which rewards completions that are close to 20 characters
def reward_len(completions, **kwargs):
    return [abs(20 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="model-GRPO",
    logging_steps=1,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=12,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
near, far = reward_len(completions=["A line of 20 letters", "Too short."])
print("the nearer one is rewarded more:", near > far)
"""
REPORTS = (
    Report(
        "huggingface/course#1170",
        "current",
        "unexpected keyword argument 'max_seq_length'",
        r"max_seq_length|max_length",
        {"train.py": COURSE, "smol.jsonl": SMOL},
        changed(
            COURSE,
            ("    max_seq_length=512,\n", ""),
            ("    max_steps=2,\n", "    max_steps=2,\n    max_length=512,\n"),
        ),
    ),
    Report(
        "huggingface/trl#585",
        "four",
        r"tokens in the longest row: (49|[5-9]\d|\d{3})",
        r"seq_length",
        {"train.py": EXAMPLE, "guanaco.jsonl": LONG},
        changed(
            EXAMPLE,
            (
                "    learning_rate=script_args.learning_rate,\n",
                "    learning_rate=script_args.learning_rate,\n"
                "    max_length=script_args.seq_length,\n",
            ),
        ),
    ),
    Report(
        "huggingface/trl#2771",
        "grpo-first",
        "the nearer one is rewarded more: False",
        r"far|near|close|opposite|distance|sign|negative",
        {"train.py": FARTHER, "tldr.jsonl": ASKS},
        changed(FARTHER, ("return [abs(20", "return [-abs(20")),
    ),
)
