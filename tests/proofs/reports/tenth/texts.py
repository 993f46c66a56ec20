"""Threads that searches for data and tokens found: streams, and the tokens of a chat format."""

from reports.report import CHATS, PREFERENCES, Report, changed

STREAM = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def load_pairs(path, streaming=True):
    return load_dataset("json", data_files={"train": path}, streaming=streaming)["train"]


model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
train_dataset = load_pairs("rows.jsonl")

training_args = DPOConfig(
    output_dir="dpo-on-the-fly",
    beta=0.1,
    max_steps=1,
    per_device_train_batch_size=2,
    logging_steps=10,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
CHAT_FORMAT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

model_id = "model"
tokenizer = AutoTokenizer.from_pretrained(model_id)
model = AutoModelForCausalLM.from_pretrained(model_id)
tokenizer.padding_side = "right"
before = tokenizer.bos_token

# set the chat template to OpenAI's ChatML
model, tokenizer = setup_chat_format(model, tokenizer)

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"text": tokenizer.apply_chat_template(row["messages"], tokenize=False)},
    remove_columns=["messages"],
)
args = SFTConfig(
    output_dir="gemma-7b-chatml",
    max_steps=1,
    per_device_train_batch_size=2,
    learning_rate=2e-4,
    max_seq_length=128,
    packing=False,
    dataset_text_field="text",
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
print("the model's own bos is kept:", tokenizer.bos_token == before)
"""
OWN_FORMAT = """\
tokenizer.chat_template = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\\\n'"
    " + message['content'] + '<|im_end|>\\\\n' }}{% endfor %}"
)
"""
REPORTS = (
    Report(
        "huggingface/trl#3560",
        "grpo-first",
        "IterableDataset.map\\(\\) got an unexpected keyword argument",
        "stream|iterable",
        {"train.py": STREAM, "rows.jsonl": PREFERENCES},
        changed(STREAM, ("streaming=True)", "streaming=False)")),
    ),
    Report(
        "huggingface/trl#1412",
        "ppo-first",
        "the model's own bos is kept: False",
        "setup_chat_format|bos.{0,80}(replaced|changed|overwrit|becomes)",
        {"train.py": CHAT_FORMAT, "rows.jsonl": CHATS},
        changed(
            CHAT_FORMAT,
            ("model, tokenizer = setup_chat_format(model, tokenizer)\n", OWN_FORMAT),
            (", setup_chat_format", ""),
        ),
        level="",
        model={"tokenizer_config.json": {"chat_template": None, "bos_token": "<|endoftext|>"}},
    ),
)
