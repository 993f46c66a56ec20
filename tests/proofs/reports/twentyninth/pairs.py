"""Threads of a twenty-ninth list: pairs that are compared."""

from reports.report import CHOICES, PAIRS, Report, changed, rows, turn
from reports.twentyninth.data import COMPARED

ARGUMENTS = """\
        output_dir="out",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
"""
EQUAL = f"""\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

MAX_LENGTH = 64
tokenizer = AutoTokenizer.from_pretrained("model")


def tokenize(prompt, answer):
    messages = [{{"role": "user", "content": prompt}}, {{"role": "assistant", "content": answer}}]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    return tokenizer(text, truncation=True, max_length=MAX_LENGTH)["input_ids"]


def build(row):
    return {{
        "chosen_ids": tokenize(row["prompt"], row["chosen"]),
        "rejected_ids": tokenize(row["prompt"], row["rejected"]),
    }}


pairs = load_dataset("json", data_files="pairs.jsonl", split="train")
pairs = pairs.map(build, remove_columns=pairs.column_names)
trainer = RewardTrainer(
    model=AutoModelForSequenceClassification.from_pretrained("model", num_labels=1),
    processing_class=tokenizer,
    train_dataset=pairs,
    args=RewardConfig(
{ARGUMENTS}    ),
)
trainer.train()
trained = trainer.train_dataset
same = sum(a == b for a, b in zip(trained["chosen_ids"], trained["rejected_ids"]))
print("pairs between which nothing differs:", same)
"""
POOLED = f"""\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("reward")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForSequenceClassification.from_pretrained(
    "reward", num_labels=1, torch_dtype=torch.float32
)
model.config.pad_token_id = tokenizer.pad_token_id
trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    args=RewardConfig(
{ARGUMENTS}        max_length=512,
    ),
)
trainer.train()


def reward(ids):
    with torch.no_grad():
        return model.eval()(torch.tensor([ids])).logits.item()


rows = trainer.train_dataset
same = sum(reward(row["input_ids_chosen"]) == reward(row["input_ids_rejected"]) for row in rows)
print(f"pairs with one reward for both: {{same}} of {{len(rows)}}")
"""
HEAD = f"""\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer


def base_model():
    return AutoModelForSequenceClassification.from_pretrained(
        "model", num_labels=1, dtype=torch.float32
    )


def reward(model):
    with torch.no_grad():
        return model.eval()(**tokenizer("Fourteen days.", return_tensors="pt")).logits.item()


tokenizer = AutoTokenizer.from_pretrained("model")
trainer = RewardTrainer(
    model=base_model(),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    peft_config=LoraConfig(
        r=8,
        lora_alpha=16,
        target_modules=["q_proj", "v_proj"],
    ),
    args=RewardConfig(
{ARGUMENTS}    ),
)
trainer.train()
trainer.save_model("reward-adapter")

loaded = PeftModel.from_pretrained(base_model(), "reward-adapter")
same = abs(reward(trainer.model) - reward(loaded)) < 1e-5
print("the loaded reward model gives the reward of the trained one:", same)
"""
TALKS = rows(
    *(
        {
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "I do not know.")],
        }
        for a, b in PAIRS
    )
)
REPORTS = (
    Report(
        "natolambert/rlhf-book#504",
        "current",
        "nothing differs: [1-9]",
        r"(chosen|rejected|pair).{0,100}(same|identical|equal|differ)|(same|identical|equal)"
        r".{0,60}(chosen|rejected|pair)|trunc.{0,80}(chosen|rejected|pair)",
        {"train.py": EQUAL, "pairs.jsonl": COMPARED},
        changed(
            EQUAL,
            (
                "remove_columns=pairs.column_names)\n",
                "remove_columns=pairs.column_names)\n"
                'pairs = pairs.filter(lambda row: row["chosen_ids"] != row["rejected_ids"])\n',
            ),
        ),
    ),
    Report(
        "huggingface/transformers#35352",
        "ppo-first",
        "one reward for both: 4 of 4",
        r"pad.{0,80}(eos|end|stop)|(eos|end.of).{0,80}pad|first (eos|end|stop|pad)"
        r"|last (token|non.?pad)",
        {"train.py": POOLED, "pairs.jsonl": TALKS},
        changed(POOLED, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
    ),
    Report(
        "OpenRLHF/OpenRLHF#1342",
        "current",
        "reward of the trained one: False",
        r"\bscore\b.{0,80}(sav|train|adapter|init|random|head|layer)|modules_to_save|SEQ_CLS|task_type"
        r"|(head|classifier).{0,60}(sav|train|adapter|init|random)",
        {"train.py": HEAD, "pairs.jsonl": CHOICES},
        changed(
            HEAD,
            (
                "    ),\n    args=",
                '        modules_to_save=["score"],\n    ),\n    args=',
            ),
        ),
    ),
)
