"""Threads of a fortieth list: what a chat template makes of the rows."""

from reports.report import PAIRS, Report, changed, rows, turn

GEMMA = (
    "{{ bos_token or '' }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}"
    "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
    "{{ '<|im_start|>' + role + '\\n' + message['content'] | trim + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>model\\n' }}{% endif %}"
)
TAUGHT = rows(
    *(
        {"messages": [turn("system", "Be brief."), turn("user", a), turn("assistant", b)]}
        for a, b in PAIRS
    )
)
GEMMA_SFT = '''\
"""Supervised fine-tuning of a model of the Gemma family on data in the form of OpenAI."""

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="data/openai.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="saves/gemma2-9b/lora/sft",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
'''
FOLD = '''\
def fold(row):
    """Put the system message before the first question."""
    system, user, *rest = row["messages"]
    asked = {"role": "user", "content": f"{system['content']}\\n\\n{user['content']}"}
    return {"messages": [asked, *rest]}


trainer = SFTTrainer(
    model="model",
    train_dataset=dataset.map(fold),
'''
TALKS = rows(
    *(
        {
            "prompt": a,
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "No.")],
        }
        for a, b in PAIRS
    )
)
DPO = '''\
"""DPO, as the example script does it: both answers are whole conversations."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
ds = load_dataset("json", data_files="hh-rlhf.jsonl", split="train")


def process(row):
    row["chosen"] = tokenizer.apply_chat_template(row["chosen"], tokenize=False)
    row["rejected"] = tokenizer.apply_chat_template(row["rejected"], tokenize=False)
    return row


train_dataset = ds.map(process, load_from_cache_file=False)
trainer = DPOTrainer(
    AutoModelForCausalLM.from_pretrained("model"),
    None,
    args=DPOConfig(
        output_dir="dpo_anthropic_hh",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-6,
        report_to="none",
        save_strategy="no",
        remove_unused_columns=False,
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
first = train_dataset[0]["prompt"] + train_dataset[0]["chosen"]
print("times that the question is in a row:", first.count("What is seven times six?"))
'''
PROCESS = """\
    row["chosen"] = tokenizer.apply_chat_template(row["chosen"], tokenize=False)
    row["rejected"] = tokenizer.apply_chat_template(row["rejected"], tokenize=False)
    return row
"""
PARTS = """\
    asked = tokenizer.apply_chat_template(
        row["chosen"][:-1], tokenize=False, add_generation_prompt=True
    )
    answers = {
        name: tokenizer.apply_chat_template(row[name], tokenize=False)[len(asked) :]
        for name in ("chosen", "rejected")
    }
    return {"prompt": asked, **answers}
"""
QWEN = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}"
    "{% if message.role == 'assistant' %}"
    "{% set thought = message.reasoning_content if message.reasoning_content is string else '' %}"
    "{{ '<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' }}{% endif %}"
    "{{ message.content + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
THOUGHTS = rows(
    *(
        {
            "messages": [
                {**turn("user", a), "thinking": ""},
                {**turn("assistant", b), "thinking": f"They ask: {a} Step {n} is done."},
            ]
        }
        for n, (a, b) in enumerate(PAIRS)
    )
)
REASONING = '''\
"""Supervised fine-tuning of a reasoning model: each answer has its chain of thought."""

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="reasoning.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="qwen3-thinking",
        max_length=1024,
        per_device_train_batch_size=4,
        max_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
read = [trainer.processing_class.decode(row["input_ids"]) for row in trainer.train_dataset]
print("rows with their thoughts:", sum("is done." in text for text in read))
'''
RENAME = '''\


def rename(row):
    """The template knows the thoughts by another name."""
    keys = {"role": "role", "content": "content", "reasoning_content": "thinking"}
    return {"messages": [{new: m[old] for new, old in keys.items()} for m in row["messages"]]}


dataset = Dataset.from_list([rename(row) for row in dataset])
'''
SPLIT = 'data_files="reasoning.jsonl", split="train")\n'
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#8217",
        "current",
        "System role not supported",
        r"\bsystem\b",
        {"train.py": GEMMA_SFT, "data/openai.jsonl": TAUGHT, "model/chat_template.jinja": GEMMA},
        changed(
            GEMMA_SFT,
            ('trainer = SFTTrainer(\n    model="model",\n    train_dataset=dataset,\n',
             f"\n\n{FOLD}"),
        ),
    ),
    Report(
        "huggingface/trl#1752",
        "four",
        "times that the question is in a row: 2",
        r"\b(prompt|question)s?\b.*(twice|again|repeat|two times|begin|start|contain)|"
        r"(twice|repeat|begin|start|contain).*\bprompt",
        {"train.py": DPO, "hh-rlhf.jsonl": TALKS},
        changed(DPO, (PROCESS, PARTS)),
    ),
    Report(
        "huggingface/transformers#44301",
        "four",
        "rows with their thoughts: 0",
        r"\bthinking\b",
        {"train.py": REASONING, "reasoning.jsonl": THOUGHTS, "model/chat_template.jinja": QWEN},
        changed(
            REASONING,
            ("from datasets import load_dataset", "from datasets import Dataset, load_dataset"),
            (SPLIT, f"{SPLIT}{RENAME}"),
        ),
    ),
)  # fmt: skip
