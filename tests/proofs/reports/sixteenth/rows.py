"""Threads of a sixteenth list: what becomes of the rows of SFT."""

from reports.report import TEXT, Report, changed, rows, turn
from reports.sixteenth.labels import COLLATED

INSTRUCT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name = "model"  # an instruct model
problems = load_dataset("json", data_files="math.jsonl", split="train")
dataset = problems.rename_columns({"problem": "prompt", "generated_solution": "completion"})
tokenizer = AutoTokenizer.from_pretrained(model_name)

training_args = SFTConfig(
    output_dir="math-sft",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    AutoModelForCausalLM.from_pretrained(model_name),
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
first = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
print("the chat template is in the rows:", "<|im_start|>user" in first)
"""
SOLVED = rows(
    {"problem": "What is 6 times 7?", "generated_solution": "It is 42."},
    {"problem": "What is 2 plus 2?", "generated_solution": "It is 4."},
    {"problem": "What is 9 minus 3?", "generated_solution": "It is 6."},
    {"problem": "What is 8 over 2?", "generated_solution": "It is 4."},
)
LAST_TURN = """\
from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer, apply_chat_template

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
train_data = load_dataset("json", data_files="talks.jsonl", split="train")

# the last message is what the model has to learn
trainset = Dataset.from_dict(
    {
        "prompt": [entry["messages"][:-1] for entry in train_data],
        "completion": [entry["messages"][-1:] for entry in train_data],
    }
)
trainset = trainset.map(apply_chat_template, fn_kwargs={"tokenizer": tokenizer})

trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="final-turn",
        max_seq_length=512,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=trainset,
    processing_class=tokenizer,
)
trainer.train()
first = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
print("turns of the user in the first row:", first.count("<|im_start|>user"))
"""
TALKS = rows(
    *(
        {
            "messages": [
                turn("system", "Answer in one sentence."),
                turn("user", f"What is {n} times two?"),
                turn("assistant", f"It is {2 * n}."),
            ]
        }
        for n in range(3, 7)
    )
)
PACKED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained("model")
short = load_dataset("json", data_files="short.jsonl", split="train")
args = SFTConfig(
    output_dir="short-samples",
    packing=True,
    max_seq_length=128,
    per_device_train_batch_size=1,
    max_steps=1,
    learning_rate=1e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(model=model, args=args, train_dataset=short, processing_class=tokenizer)
trainer.train()

row = torch.tensor([trainer.train_dataset[0]["input_ids"]])
samples = sum(text[:12] in tokenizer.decode(row[0]) for text in short["text"])
changed = row.clone()
changed[0, 0] = row[0, 0] + 1
with torch.no_grad():
    last, then = (trainer.model(ids).logits[0, -1] for ids in (row, changed))
print("a sample reads the ones before it:", samples > 1 and not torch.equal(last, then))
"""
REPORTS = (
    Report(
        "huggingface/trl#3468",
        "current",
        "the chat template is in the rows: False",
        "chat.template",
        {"train.py": INSTRUCT, "math.jsonl": SOLVED},
        changed(
            INSTRUCT,
            (
                'dataset = problems.rename_columns({"problem": "prompt", '
                '"generated_solution": "completion"})\n',
                "dataset = problems.map(\n"
                "    lambda row: {\n"
                '        "prompt": [{"role": "user", "content": row["problem"]}],\n'
                '        "completion": [{"role": "assistant", "content": '
                'row["generated_solution"]}],\n'
                "    },\n"
                "    remove_columns=problems.column_names,\n"
                ")\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#2545",
        "ppo-first",
        "turns of the user in the first row: 2",
        "template.{0,80}(twice|again|already|two)|(twice|again|already).{0,80}template",
        {"train.py": LAST_TURN, "talks.jsonl": TALKS},
        changed(
            LAST_TURN,
            (
                LAST_TURN[LAST_TURN.index("trainset = Dataset") : LAST_TURN.index("trainer = ")],
                "trainset = train_data.map(\n"
                "    lambda row: {\n"
                '        "text": tokenizer.apply_chat_template(row["messages"], tokenize=False)\n'
                "    }\n"
                ")\n\n",
            ),
            COLLATED,
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1230",
        "grpo-first",
        "a sample reads the ones before it: True",
        "packing",
        {"train.py": PACKED, "short.jsonl": TEXT},
        changed(PACKED, ("    packing=True,\n", "")),
    ),
)
