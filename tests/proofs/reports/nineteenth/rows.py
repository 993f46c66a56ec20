"""Threads of a nineteenth list: rows, and what becomes of them."""

from reports.report import CHATS, COMPLETIONS, TEXT, Report, changed

STREAMED = """\
from dataclasses import dataclass

from datasets import load_dataset
from transformers import HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class DataArguments:
    dataset: str = "corpus.jsonl"
    streaming: bool = True
    max_epochs: int = 1


parser = HfArgumentParser((DataArguments, SFTConfig))
data_args, training_args = parser.parse_args_into_dataclasses(
    [
        "--output_dir", "embedding",
        "--num_train_epochs", "1",
        "--per_device_train_batch_size", "2",
        "--gradient_accumulation_steps", "1",
        "--learning_rate", "5e-6",
        "--warmup_steps", "0",
        "--report_to", "none",
        "--save_strategy", "no",
        "--use_cpu", "true",
        "--bf16", "false",
    ]
)
dataset = load_dataset(
    "json", data_files=data_args.dataset, split="train", streaming=data_args.streaming
)
trainer = SFTTrainer(model="model", args=training_args, train_dataset=dataset)
trainer.train()
"""
NOTEBOOK = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import SFTTrainer

template_tokenizer = AutoTokenizer.from_pretrained("model")


def format_prompt(example):
    chat = example["messages"]
    return {"text": template_tokenizer.apply_chat_template(chat, tokenize=False)}


dataset = load_dataset("json", data_files="ultrachat.jsonl", split="train").map(format_prompt)

model = AutoModelForCausalLM.from_pretrained("model")
model.config.use_cache = False
tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.padding_side = "left"

training_arguments = TrainingArguments(
    output_dir="results",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    learning_rate=2e-4,
    lr_scheduler_type="cosine",
    max_steps=1,
    logging_steps=10,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    dataset_text_field="text",
    tokenizer=tokenizer,
    args=training_arguments,
    max_seq_length=512,
)
trainer.train()
"""
BASE_TEMPLATE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class Prompter:
    instruction = "Solve the problem step by step."

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def generate(self, data_point):
        messages = [
            {"role": "system", "content": self.instruction},
            {"role": "user", "content": data_point["prompt"]},
            {"role": "assistant", "content": data_point["completion"]},
        ]
        return {"text": self.tokenizer.apply_chat_template(messages, tokenize=False)}


def train(base_model="model", data_path="math.jsonl", cutoff_len=256):
    tokenizer = AutoTokenizer.from_pretrained(base_model)
    prompter = Prompter(tokenizer)
    data = load_dataset("json", data_files=data_path)
    train_data = data["train"].shuffle(seed=1).map(
        prompter.generate, remove_columns=["prompt", "completion"]
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(base_model),
        processing_class=tokenizer,
        train_dataset=train_data,
        args=SFTConfig(
            output_dir="nlft",
            max_length=cutoff_len,
            max_steps=1,
            per_device_train_batch_size=2,
            learning_rate=3e-4,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    train()
"""
REPORTS = (
    Report(
        "modelscope/ms-swift#6827",
        "current",
        "max_steps has to be specified",
        "max_steps",
        {"train.py": STREAMED, "corpus.jsonl": TEXT},
        changed(STREAMED, ('"--num_train_epochs", "1",', '"--max_steps", "2",')),
    ),
    Report(
        "HandsOnLLM/Hands-On-Large-Language-Models#32",
        "grpo-first",
        "unexpected keyword argument 'dataset_text_field'",
        "dataset_text_field",
        {"train.py": NOTEBOOK, "ultrachat.jsonl": CHATS},
        changed(
            NOTEBOOK,
            ("AutoTokenizer, TrainingArguments\n", "AutoTokenizer\n"),
            ("from trl import SFTTrainer", "from trl import SFTConfig, SFTTrainer"),
            (
                'TrainingArguments(\n    output_dir="results",\n',
                'SFTConfig(\n    output_dir="results",\n    dataset_text_field="text",\n'
                "    max_seq_length=512,\n",
            ),
            ('    dataset_text_field="text",\n    tokenizer=tokenizer,\n', ""),
            (
                "    args=training_arguments,\n    max_seq_length=512,\n",
                "    args=training_arguments,\n    processing_class=tokenizer,\n",
            ),
        ),
    ),
    Report(
        "Julia-LiuJ/NLFT#3",
        "current",
        "chat_template is not set",
        "chat_template|chat template",
        {"train.py": BASE_TEMPLATE, "math.jsonl": COMPLETIONS},
        {},
        level="",
        model={"tokenizer_config.json": {"chat_template": None}},
    ),
)
