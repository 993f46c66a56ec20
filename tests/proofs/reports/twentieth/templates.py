"""Threads of a twentieth list: what a template or a tokenizer makes of the rows."""

from reports.nineteenth import tokenizer
from reports.report import CHATS, Report, changed

THINKING = """\
from datasets import load_dataset
from transformers import AutoTokenizer, HfArgumentParser
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer

parser = HfArgumentParser((ScriptArguments, SFTConfig, ModelConfig))
script_args, training_args, model_args = parser.parse_args_into_dataclasses(
    [
        "--model_name_or_path", "model",
        "--dataset_name", "json",
        "--learning_rate", "1.0e-5",
        "--max_steps", "1",
        "--max_length", "512",
        "--per_device_train_batch_size", "1",
        "--gradient_accumulation_steps", "1",
        "--output_dir", "qwen3-sft",
        "--report_to", "none",
        "--save_strategy", "no",
        "--use_cpu", "true",
        "--bf16", "false",
    ]
)
dataset = load_dataset(script_args.dataset_name, data_files="gifts.jsonl")
tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
trainer = SFTTrainer(
    model=model_args.model_name_or_path,
    args=training_args,
    train_dataset=dataset[script_args.dataset_train_split],
    processing_class=tokenizer,
)
trainer.train()
rows = [tokenizer.decode(row["input_ids"]) for row in trainer.train_dataset]
print("rows with a thought that no answer has:", sum("<think>" in row for row in rows))
"""
QWEN3 = """\
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.role == 'assistant' and loop.last %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
    {{- message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
ZEPHYR = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def get_tokenizer(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token_id = tokenizer.eos_token_id
    return tokenizer


def apply_chat_template(example, tokenizer):
    messages = example["messages"]
    if messages[0]["role"] != "system":
        messages.insert(0, {"role": "system", "content": ""})
    example["text"] = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=False
    )
    return example


tokenizer = get_tokenizer("mistral")
raw_datasets = load_dataset("json", data_files="chats.jsonl")
raw_datasets = raw_datasets.map(
    apply_chat_template, fn_kwargs={"tokenizer": tokenizer}, remove_columns=["messages"]
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=raw_datasets["train"],
    args=SFTConfig(
        output_dir="zephyr-sft",
        dataset_text_field="text",
        dataset_kwargs={"add_special_tokens": False},
        max_seq_length=256,
        packing=False,
        max_steps=1,
        per_device_train_batch_size=4,
        learning_rate=2e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("ends of a turn that are trained:", int((batch["labels"] == tokenizer.eos_token_id).sum()))
"""
REPORTS = (
    Report(
        "QwenLM/Qwen3#1618",
        "four",
        "rows with a thought that no answer has: 4",
        "think|thought",
        {"train.py": THINKING, "gifts.jsonl": CHATS, "model/chat_template.jinja": QWEN3},
        {
            "model/chat_template.jinja": QWEN3.replace(
                "        {{- '<think>\\n\\n</think>\\n\\n' }}\n", ""
            )
        },
        level="",
    ),
    Report(
        "huggingface/alignment-handbook#127",
        "ppo-first",
        "ends of a turn that are trained: 0",
        "pad_token|pad token|padding token",
        {"train.py": ZEPHYR, "chats.jsonl": CHATS, **tokenizer("mistral", pad_token=None)},
        changed(
            ZEPHYR,
            (
                "tokenizer.pad_token_id = tokenizer.eos_token_id",
                'tokenizer.pad_token = "<|fim_pad|>"',
            ),
        ),
    ),
)
