"""Threads of a twenty-fourth list: pairs of answers, and a head that scores them."""

from reports.report import CHOICES, PAIRS, Report, changed, rows, turn

CONVERSATIONS = rows(
    *(
        {
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "No.")],
        }
        for a, b in PAIRS
    )
)
TWO_LOGITS = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

model_name = "model"
model = AutoModelForSequenceClassification.from_pretrained(model_name)
tokenizer = AutoTokenizer.from_pretrained(model_name)
model.config.pad_token_id = tokenizer.pad_token_id

trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="hh-rlhf.jsonl", split="train"),
    args=RewardConfig(
        output_dir="rm",
        max_steps=2,
        per_device_train_batch_size=2,
        learning_rate=1.41e-5,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
inputs = tokenizer("Hello, my dog is cute", return_tensors="pt")
print("rewards of one text:", trainer.model(**inputs).logits.shape[-1])
"""
PROMPT_TWICE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def preprocess(row):
    return {
        "prompt": row["chosen"][:-1],
        "chosen": row["chosen"],
        "rejected": row["rejected"],
    }


dataset = load_dataset("json", data_files="preference.jsonl", split="train").map(preprocess)
trainer = DPOTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=DPOConfig(
        output_dir="dpo",
        beta=0.1,
        max_steps=2,
        per_device_train_batch_size=2,
        learning_rate=5e-7,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
row = trainer.train_dataset[0]
text = tokenizer.decode(row["prompt_ids"] + row["chosen_ids"])
print("the question is in the first row", text.count(dataset[0]["prompt"][0]["content"]), "times")
"""
REPORTS = (
    Report(
        "huggingface/trl#566",
        "four",
        "rewards of one text: 2",
        r"num_labels|two (scores|logits|rewards|labels)|single (score|logit)",
        {"train.py": TWO_LOGITS, "hh-rlhf.jsonl": CHOICES},
        changed(TWO_LOGITS, ("(model_name)\ntok", "(model_name, num_labels=1)\ntok")),
    ),
    Report(
        "OpenRLHF/OpenRLHF#909",
        "current",
        "the question is in the first row 2 times",
        r"prompt.{0,80}(twice|again|repeat|begins?|contain|already)|repeats? .{0,20}prompt",
        {"train.py": PROMPT_TWICE, "preference.jsonl": CONVERSATIONS},
        changed(
            PROMPT_TWICE,
            ('"chosen": row["chosen"],', '"chosen": row["chosen"][-1:],'),
            ('"rejected": row["rejected"],', '"rejected": row["rejected"][-1:],'),
        ),
        level="",
    ),
)
