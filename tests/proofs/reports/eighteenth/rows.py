"""Threads of an eighteenth list: what becomes of the rows."""

from reports.report import COMPLETIONS, PAIRS, TEXT, Report, changed, rows

RESPONSE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
instructions = load_dataset("json", data_files="instructions.jsonl", split="train")
response_key = "### Answer: "


def to_text(row):
    return {"text": f"### Instruction: {row['instruction']}\\n{response_key}{row['output']}"}


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="instruct",
        max_seq_length=256,
        per_device_train_batch_size=2,
        max_steps=2,
        logging_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=instructions.map(to_text, remove_columns=instructions.column_names),
    data_collator=DataCollatorForCompletionOnlyLM(response_key, tokenizer=tokenizer),
    processing_class=tokenizer,
)
trainer.train()
"""
INSTRUCTIONS = rows(
    {"instruction": "Which number is next: two, four?", "output": "six"},
    {"instruction": "What was calm?", "output": "the sea"},
    {"instruction": "What is seven times six?", "output": "Forty-two"},
    {"instruction": "How many days has a week at work?", "output": "five"},
)
LIMIT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

max_seq_length = 2048
tokenizer = AutoTokenizer.from_pretrained("model", model_max_length=max_seq_length)
model = AutoModelForCausalLM.from_pretrained("model")
documents = load_dataset("json", data_files="documents.jsonl", split="train")

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=documents,
    args=SFTConfig(
        dataset_text_field="text",
        per_device_train_batch_size=1,
        gradient_accumulation_steps=1,
        max_steps=2,
        learning_rate=2e-4,
        logging_steps=1,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
longest = max(len(row["input_ids"]) for row in trainer.train_dataset)
whole = max(len(tokenizer(row["text"])["input_ids"]) for row in documents)
print(f"tokens of the longest row: {longest}, before training: {whole > 1024}")
trainer.train()
"""
DOCUMENTS = rows(
    *(
        {"text": "The sea was calm and the boat went on. " * 70 + f"{asked} {a}"}
        for asked, a in PAIRS[:2]
    )
)
OWN_DATA = """\
# the example script, with the data that the company has
from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments:
    model_name_or_path: str = "model"
    dataset_name: str = "questions.jsonl"
    dataset_train_split: str = "train"
    dataset_test_split: str = "test"


parser = HfArgumentParser((ScriptArguments, SFTConfig))
script_args, training_args = parser.parse_dict(
    {
        "output_dir": "sft_openassistant",
        "per_device_train_batch_size": 2,
        "max_steps": 1,
        "learning_rate": 1.41e-5,
        "report_to": "none",
        "save_strategy": "no",
        "use_cpu": True,
    }
)
dataset = load_dataset("json", data_files=script_args.dataset_name)
trainer = SFTTrainer(
    model=script_args.model_name_or_path,
    args=training_args,
    train_dataset=dataset[script_args.dataset_train_split],
    eval_dataset=dataset[script_args.dataset_test_split],
    processing_class=AutoTokenizer.from_pretrained(script_args.model_name_or_path),
)
trainer.train()
"""
BASE_MODEL = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

# a base model is to become an instruct model
dataset = load_dataset("json", data_files="instructions.jsonl", split="train")
trainer = SFTTrainer(
    "model",
    args=SFTConfig(
        output_dir="instruct",
        max_seq_length=256,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=dataset,
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#1183",
        "grpo-first",
        "Could not find response key",
        "response.?(template|key)|### Answer",
        {"train.py": RESPONSE, "instructions.jsonl": INSTRUCTIONS},
        changed(
            RESPONSE,
            ('response_key = "### Answer: "', 'response_key = "### Answer:"'),
            ("{response_key}{row", "{response_key} {row"),
        ),
        level="",
    ),
    Report(
        "unslothai/unsloth#2904",
        "grpo-shapes",
        "tokens of the longest row: 1024, before training: True",
        "max_length|max_seq_length",
        {"train.py": LIMIT, "documents.jsonl": DOCUMENTS},
        changed(
            LIMIT,
            (
                '        dataset_text_field="text",\n',
                '        dataset_text_field="text",\n        max_length=max_seq_length,\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#2253",
        "ppo-first",
        "KeyError: 'test'",
        "'test'|test.split|split.{0,20}test",
        {"train.py": OWN_DATA, "questions.jsonl": TEXT},
        changed(
            OWN_DATA,
            (
                "data_files=script_args.dataset_name)\n",
                "data_files=script_args.dataset_name)\n"
                'dataset = dataset["train"].train_test_split(test_size=0.25, seed=1)\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1233",
        "ppo-first",
        "chat_template is not set",
        "chat.template",
        {"train.py": BASE_MODEL, "instructions.jsonl": COMPLETIONS},
        {},
        level="",
        model={"tokenizer_config.json": {"chat_template": None}},
    ),
)
