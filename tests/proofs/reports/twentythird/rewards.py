"""Threads of a twenty-third list: what is rewarded, and what is preferred."""

from reports.report import CHAT_PROMPTS, PAIRS, PREFERENCES, Report, changed, rows

REWARDED_IDS = """\
import re

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def reward_format(completions, completion_ids, **kwargs):
    \"\"\"1.25 for an answer that thinks first, -1 for any other.\"\"\"
    pattern = r"^<think>.*?</think><answer>.*?</answer>$"
    answers = tokenizer.batch_decode(completion_ids)
    return [1.25 if re.match(pattern, answer, re.DOTALL) else -1.0 for answer in answers]


def reward_brief(completions, **kwargs):
    return [-len(completion[0]["content"]) / 1000 for completion in completions]


trainer = GRPOTrainer(
    model="model",
    processing_class=tokenizer,
    reward_funcs=[reward_format, reward_brief],
    args=GRPOConfig(
        output_dir="simple-grpo",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        max_steps=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="qas.jsonl", split="train"),
)
trainer.train()
text = "<think>six times seven</think><answer>42</answer>"
ids = tokenizer(text)["input_ids"] + [tokenizer.eos_token_id]
message = [{"role": "assistant", "content": text}]
print("an answer in the right format is worth", reward_format([message], [ids])[0])
"""
NO = "I do not know."
FEEDBACK = rows(
    *({"prompt": a, "completion": f" {b}", "thumbs": "up"} for a, b in PAIRS),
    *({"prompt": a, "completion": f" {NO}", "thumbs": "down"} for a, _ in PAIRS),
)
ONE_CLASS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

dataset = load_dataset("json", data_files="feedback.jsonl", split="train")
dataset = dataset.map(lambda row: {"label": row["thumbs"] == "up"}, remove_columns=["thumbs"])
# a small subset for a first finetuning trial
dataset = dataset.select(range(4))

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = KTOTrainer(
    model=model,
    args=KTOConfig(
        output_dir="kto-aligned",
        per_device_train_batch_size=2,
        max_steps=2,
        learning_rate=5e-6,
        beta=0.1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
print("undesirable answers that were trained on:", list(dataset["label"]).count(False))
"""
TWO_HEADERS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def render(messages):
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)


def to_pair(row):
    question = [{"role": "user", "content": row["prompt"]}]
    prompt = render(question)
    pair = {"prompt": prompt}
    for side in ("chosen", "rejected"):
        whole = render(question + [{"role": "assistant", "content": row[side].strip()}])
        pair[side] = whole[len(prompt) :]
    return pair


train_set = load_dataset("json", data_files="preferences.jsonl", split="train").map(to_pair)
trainer = DPOTrainer(
    model=model,
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=train_set,
    args=DPOConfig(
        output_dir="dpo-run",
        beta=0.1,
        max_steps=2,
        per_device_train_batch_size=2,
        learning_rate=1e-6,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("the first preferred answer:", train_set[0]["chosen"].replace("\\n", " ").strip())
"""
REPORTS = (
    Report(
        "lsdefine/simple_GRPO#19",
        "current",
        "an answer in the right format is worth -1",
        r"reward_format",
        {"train.py": REWARDED_IDS, "qas.jsonl": CHAT_PROMPTS},
        changed(
            REWARDED_IDS,
            (
                "batch_decode(completion_ids)",
                "batch_decode(completion_ids, skip_special_tokens=True)",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1724",
        "current",
        "undesirable answers that were trained on: 0",
        r"undesirable|one class|same label|label.{0,60}(only|all|each)|(only|all) .{0,60}label",
        {"train.py": ONE_CLASS, "feedback.jsonl": FEEDBACK},
        changed(
            ONE_CLASS, ("dataset.select(range(4))", "dataset.shuffle(seed=0).select(range(4))")
        ),
        level="",
    ),
    Report(
        "Goekdeniz-Guelmez/mlx-lm-lora#83",
        "current",
        r"the first preferred answer: Forty-two\.<\|im_end\|> <\|im_start\|>assistant",
        r"add_generation_prompt|generation prompt|header|im_start",
        {"train.py": TWO_HEADERS, "preferences.jsonl": PREFERENCES},
        changed(
            TWO_HEADERS,
            (
                "def render(messages):\n"
                "    return tokenizer.apply_chat_template(messages, tokenize=False, "
                "add_generation_prompt=True)\n",
                "def render(messages, **kwargs):\n"
                "    return tokenizer.apply_chat_template(messages, tokenize=False, **kwargs)\n",
            ),
            ("prompt = render(question)", "prompt = render(question, add_generation_prompt=True)"),
        ),
        level="",
    ),
)
