"""Threads of a twenty-ninth list: losses, and what an evaluation measures."""

from reports.report import TEXT, Report, changed
from reports.twentyninth.data import TEXTS
from reports.twentyninth.texts import END

SPLIT = (
    """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

num_validation_sequences = 3


def training_set(data):
    data = data.shuffle(seed=7)
    return data.select(range(num_validation_sequences, len(data)))


def validation_set(data):
    return data.select(range(num_validation_sequences))


data = load_dataset("json", data_files="texts.jsonl", split="train")
train, validation = training_set(data), validation_set(data)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=train,
    eval_dataset=validation,
"""
    + END
    + """\
print("eval loss:", trainer.evaluate()["eval_loss"])
print("validated texts that were trained on:", len(set(train["text"]) & set(validation["text"])))
"""
)
DISTILLED = """\
import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained("model")
teacher = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32).eval()


class DistillTrainer(Trainer):
    alpha, temperature = 0.5, 2.0

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        with torch.no_grad():
            taught = teacher(**inputs).logits
        kd = F.kl_div(
            F.log_softmax(outputs.logits / self.temperature, dim=-1).flatten(0, 1),
            F.softmax(taught / self.temperature, dim=-1).flatten(0, 1),
            reduction="batchmean",
        )
        kd = kd * self.temperature**2
        loss = self.alpha * outputs.loss + (1 - self.alpha) * kd
        return (loss, outputs) if return_outputs else loss


texts = load_dataset("json", data_files="rows.jsonl", split="train")
trainer = DistillTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    train_dataset=texts.map(lambda row: tokenizer(row["text"]), remove_columns=["text"]),
    data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    args=TrainingArguments(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
print("the first loss:", round(trainer.state.log_history[0]["loss"], 1))
"""
PADDED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorWithPadding
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")
data_collator = DataCollatorWithPadding(tokenizer=tokenizer)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=data_collator,
    train_dataset=train_dataset,
    args=SFTConfig(
        dataset_text_field="text",
        packing=False,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        max_steps=1,
        learning_rate=2e-4,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "marin-community/marin#2700",
        "current",
        "were trained on: [1-9]",
        r"(eval|valid)\w*.{0,120}(overlap|leak|\balso\b|the same|contamin|\bboth\b|trained on|seen)"
        r"|train\w*.{0,80}(eval|valid)\w*.{0,80}(overlap|same|both|share)|rows?.{0,60}in both",
        {"train.py": SPLIT, "texts.jsonl": TEXTS},
        changed(
            SPLIT,
            (
                "    data = data.shuffle(seed=7)\n"
                "    return data.select(range(num_validation_sequences, len(data)))\n",
                "    data = data.select(range(num_validation_sequences, len(data)))\n"
                "    return data.shuffle(seed=7)\n",
            ),
        ),
    ),
    Report(
        "MakazhanAlpamys/Soup#720",
        "current",
        r"the first loss: 1\d",
        r"num_items_in_batch|model_accepts_loss_kwargs|loss\w*.{0,100}(accumulat|divid)"
        r"|accumulat\w*.{0,100}(loss|divid|times|scal|larg)",
        {"train.py": DISTILLED, "rows.jsonl": TEXT},
        changed(
            DISTILLED,
            (
                "trainer.train()\n",
                "trainer.model_accepts_loss_kwargs = False\ntrainer.train()\n",
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#455",
        "grpo-first",
        "did not return a loss",
        r"DataCollatorWithPadding|collator.{0,80}label|no labels?|return a loss"
        r"|labels?.{0,60}(miss|not|never|none)",
        {"train.py": PADDED, "rows.jsonl": TEXT},
        changed(
            PADDED,
            (
                "AutoTokenizer, DataCollatorWithPadding",
                "AutoTokenizer, DataCollatorForLanguageModeling",
            ),
            (
                "DataCollatorWithPadding(tokenizer=tokenizer)",
                "DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False)",
            ),
        ),
    ),
)
