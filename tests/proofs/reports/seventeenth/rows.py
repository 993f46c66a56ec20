"""Threads of a seventeenth list: what becomes of the rows of SFT and KTO."""

from reports.report import PAIRS, TEXT, Report, changed, rows, turn

PLAIN = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' "
    "+ message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SPLITTING = (
    "{% for message in messages %}{% set content = message['content'] %}"
    "{% if message['role'] == 'assistant' and '</think>' in content %}"
    "{% set content = content.split('</think>')[-1] %}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + content + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
REASONING = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

# a distilled reasoning model, and answers that begin with their reasoning
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="reasoned.jsonl", split="train")
args = SFTConfig(
    output_dir="reasoning-sft",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
first = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
print("the reasoning is in the rows:", "I count in my head" in first)
"""
REASONED = rows(
    *(
        {
            "messages": [
                turn("user", asked),
                turn("assistant", f"<think>\nI count in my head.\n</think>\n{answer}"),
            ]
        }
        for asked, answer in PAIRS
    )
)
TOOLS = '''\
"""KTO on conversations of an assistant that has tools."""
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

TEMPLATE = (
    "{% if tools %}{{ '<|im_start|>system\\\\nTools: ' }}{% for tool in tools %}"
    "{{ tool['function']['name'] + ' ' }}{% endfor %}{{ '<|im_end|>\\\\n' }}{% endif %}"
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\\\n' "
    "+ message['content'] + '<|im_end|>' + '\\\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\\\n' }}{% endif %}"
)
tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = TEMPLATE
dataset = load_dataset("json", data_files="calls.jsonl", split="train")

trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    args=KTOConfig(
        output_dir="kto-tools",
        per_device_train_batch_size=4,
        max_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
first = tokenizer.decode(trainer.train_dataset[0]["prompt_input_ids"])
print("the tools are in the prompts:", "get_weather" in first)
'''
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
CALLS = rows(
    *(
        {
            "prompt": [turn("user", f"What is the weather in {city}?")],
            "completion": [turn("assistant", answer)],
            "label": good,
            "tools": [WEATHER],
        }
        for city in ("Paris", "Rome")
        for answer, good in ((f'get_weather(city="{city}")', True), ("I do not know.", False))
    )
)
RENDERED = """\
dataset = load_dataset("json", data_files="calls.jsonl", split="train")
dataset = dataset.map(
    lambda row: {
        "prompt": tokenizer.apply_chat_template(
            row["prompt"], tools=row["tools"], tokenize=False, add_generation_prompt=True
        ),
        "completion": row["completion"][0]["content"] + "<|im_end|>\\n",
    },
    remove_columns=["tools"],
)
"""
UNUSED_FORMAT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")

# Data preparation for continued pretraining
EOS_TOKEN = tokenizer.eos_token  # must be added, or the generation goes on forever


def formatting_prompts_func(examples):
    return {"text": [text + EOS_TOKEN for text in examples["text"]]}


dataset = load_dataset("json", data_files="articles.jsonl", split="train")

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        max_seq_length=256,
        output_dir="outputs",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=5e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
ends = [row[-1] == tokenizer.eos_token_id for row in trainer.train_dataset["input_ids"]]
print("rows that end with the eos:", sum(ends), "of", len(ends))
"""
REPORTS = (
    Report(
        "huggingface/open-r1#515",
        "current",
        "the reasoning is in the rows: False",
        "template.{0,80}(drop|leave|lose|omit|cut|remove|without)|think",
        {"train.py": REASONING, "reasoned.jsonl": REASONED},
        changed(
            REASONING,
            (
                'tokenizer = AutoTokenizer.from_pretrained("model")\n',
                'tokenizer = AutoTokenizer.from_pretrained("model")\n'
                f"tokenizer.chat_template = {PLAIN!r}\n",
            ),
        ),
        model={"tokenizer_config.json": {"chat_template": SPLITTING}},
    ),
    Report(
        "huggingface/trl#6259",
        "four",
        "the tools are in the prompts: False",
        "tools",
        {"train.py": TOOLS, "calls.jsonl": CALLS},
        changed(
            TOOLS,
            (
                'dataset = load_dataset("json", data_files="calls.jsonl", split="train")\n',
                RENDERED,
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#683",
        "ppo-first",
        "rows that end with the eos: 0 of 4",
        "eos|formatting_prompts_func",
        {"train.py": UNUSED_FORMAT, "articles.jsonl": TEXT},
        changed(
            UNUSED_FORMAT,
            (
                'data_files="articles.jsonl", split="train")\n',
                'data_files="articles.jsonl", split="train")\n'
                "dataset = dataset.map(formatting_prompts_func, batched=True)\n",
            ),
        ),
    ),
)
