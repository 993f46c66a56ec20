"""Threads of a forty-third list: rows that are prepared for another reader."""

from reports.report import ASKED, PAIRS, Report, changed, rows, turn

BATCHED = '''\
"""Fine-tuning on instructions; the text of a row is put together by a function."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

max_seq_length = 256
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def formatting_prompts_func(example):
    output_texts = []
    for i in range(len(example["instruction"])):
        text = f"### Question: {example['instruction'][i]}\\n ### Answer: {example['output'][i]}"
        output_texts.append(text)
    return output_texts


dataset = load_dataset("json", data_files="alpaca.jsonl", split="train")
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    formatting_func=formatting_prompts_func,
    args=SFTConfig(
        output_dir="outputs",
        max_length=max_seq_length,
        packing=False,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        warmup_steps=1,
        max_steps=1,
        learning_rate=2e-4,
        logging_steps=1,
        optim="adamw_torch",
        weight_decay=0.01,
        seed=3407,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
'''
ALL_AT_ONCE = """\
    output_texts = []
    for i in range(len(example["instruction"])):
        text = f"### Question: {example['instruction'][i]}\\n ### Answer: {example['output'][i]}"
        output_texts.append(text)
    return output_texts
"""
ONE_BY_ONE = """\
    return f"### Question: {example['instruction']}\\n ### Answer: {example['output']}"
"""
ALPACA = rows(*({"instruction": asked, "output": said} for asked, said in PAIRS))
PRINTED = '''\
"""Fine-tuning on calls of tools; some samples are shown before."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def print_dataset_samples(dataset, count=2):
    """The beginnings of the messages of the first conversations."""
    for index in range(min(count, len(dataset))):
        print(f"--- sample {index + 1} ---")
        for message in dataset[index]["messages"]:
            content = message["content"]
            preview = content[:60] + "..." if len(content) > 60 else content
            print(f"[{message['role']}] {preview}")


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    model = AutoModelForCausalLM.from_pretrained("model")
    dataset = load_dataset("json", data_files="syngen_tools.jsonl", split="train")
    print(f"{len(dataset)} conversations")
    print_dataset_samples(dataset)
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir="sft_output",
            per_device_train_batch_size=2,
            gradient_accumulation_steps=1,
            learning_rate=2e-4,
            max_length=512,
            max_steps=1,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
LENGTH = (
    '            content = message["content"]\n',
    '            content = message["content"] or f"<{len(message[\'tool_calls\'] or [])} calls>"\n',
)
TOOLS_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.content %}{{ m.content }}{% endif %}"
    "{% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>{{ call.function.name }}"
    "({{ call.function.arguments }})</tool_call>{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def called(asked: str, name: str) -> dict[str, object]:
    """A question that is answered by a call."""
    call = {"type": "function", "function": {"name": name, "arguments": '{"limit": 3}'}}
    answer = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"messages": [{**turn("user", asked), "tool_calls": None}, answer]}


CALLS = rows(*(called(asked, f"vault_search_{at}") for at, asked in enumerate(ASKED)))
TOKENIZED = '''\
"""DPO without a reward model: the lesson's data, preprocessed."""

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model_name = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name)
model = AutoModelForCausalLM.from_pretrained(model_name)

raw_data = [
    {"prompt": "What is the capital of France?", "chosen": " It is Paris.", "rejected": " No."},
    {"prompt": "Name a primary colour.", "chosen": " Red is one.", "rejected": " Loud."},
    {"prompt": "How many legs has a spider?", "chosen": " Eight.", "rejected": " A few."},
    {"prompt": "What is two and two?", "chosen": " Four.", "rejected": " Twenty-two."},
]


def preprocess(example):
    """Tokenise the prompt and both answers."""
    tokens = {}
    for part in ("prompt", "chosen", "rejected"):
        coded = tokenizer(example[part], truncation=True, max_length=128)
        tokens[f"{part}_input_ids"] = coded["input_ids"]
        tokens[f"{part}_attention_mask"] = coded["attention_mask"]
    return tokens


dataset = Dataset.from_list(raw_data)
dataset = dataset.map(preprocess, remove_columns=dataset.column_names)
dpo_config = DPOConfig(
    output_dir="dpo_model",
    learning_rate=5e-6,
    per_device_train_batch_size=2,
    max_length=128,
    beta=0.1,
    max_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=model,
    args=dpo_config,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
'''
REPORTS = (
    Report(
        "unslothai/unsloth#603",
        "current",
        "string index out of range",
        r"formatting(_prompts)?_func|formatting function|string index",
        {"train.py": BATCHED, "alpaca.jsonl": ALPACA},
        changed(BATCHED, (ALL_AT_ONCE, ONE_BY_ONE)),
    ),
    Report(
        "ProfSynapse/Synaptic-Tuner#42",
        "current",
        "object of type 'NoneType' has no len|'NoneType' object is not subscriptable",
        r"NoneType|\bcontent\b.*\b(None|null|empty)\b|\b(None|null|empty)\b.*\bcontent\b",
        {
            "train.py": PRINTED,
            "syngen_tools.jsonl": CALLS,
            "model/chat_template.jinja": TOOLS_TEMPLATE,
        },
        changed(PRINTED, LENGTH),
    ),
    Report(
        "theneuralbase.com/fine-tuning-llm/learn/intermediate/"
        "dpo-direct-preference-optimization-without-a-reward-model",
        "four",
        r"KeyError: '(chosen|prompt|rejected)'|Column to remove \[.*chosen.*\] not in",
        r"_input_ids|columns?\b.*\b(chosen|prompt|rejected)|(chosen|prompt|rejected)\b.*\bcolumn",
        {"train.py": TOKENIZED},
        changed(
            TOKENIZED,
            ("dataset = dataset.map(preprocess, remove_columns=dataset.column_names)\n", ""),
        ),
    ),
)
