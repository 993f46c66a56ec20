"""Threads of a twenty-sixth list: what is asked of a trained model is not as in training."""

from reports.report import PAIRS, Report, changed, rows, turn

BATCHED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="tasks.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="actor",
        max_steps=40,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        logging_steps=20,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
model = trainer.model.eval()


def generate(contexts, max_new_tokens=24):
    inputs = tokenizer(contexts, padding=True, return_tensors="pt")
    outputs = model.generate(**inputs, max_new_tokens=max_new_tokens, do_sample=False)
    new = outputs[:, inputs["input_ids"].shape[1] :]
    return tokenizer.batch_decode(new, skip_special_tokens=True)


contexts = dataset["prompt"][:]
together = generate(contexts)
alone = [generate([context])[0] for context in contexts]
other = sum(one != two for one, two in zip(together, alone))
print(f"answers that are others in a batch: {other} of {len(contexts)}")
"""
RAW = """\
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="domain.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    peft_config=LoraConfig(
        r=32, lora_alpha=64, target_modules="all-linear", task_type="CAUSAL_LM"
    ),
    args=SFTConfig(
        output_dir="soup",
        max_steps=150,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        logging_steps=50,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model()


class TorchGenerator:
    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model.eval(), tokenizer

    def generate(self, prompt, max_tokens=32):
        inputs = self.tokenizer(prompt, return_tensors="pt")
        output = self.model.generate(**inputs, max_new_tokens=max_tokens, do_sample=False)
        new = output[0, inputs["input_ids"].shape[1] :]
        return self.tokenizer.decode(new, skip_special_tokens=True)


generator = TorchGenerator(trainer.model, tokenizer)
known = 0
for row in dataset:
    question, answer = row["messages"]
    known += generator.generate(question["content"]).strip() == answer["content"]
print(f"answers that the tuned model gives as it was taught: {known} of {len(dataset)}")
"""
ENDLESS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

MAX_LENGTH = 512
tokenizer = AutoTokenizer.from_pretrained("reward")
dataset = load_dataset("json", data_files="tldr.jsonl", split="train")
trainer = RewardTrainer(
    model=AutoModelForSequenceClassification.from_pretrained(
        "reward", num_labels=1, dtype=torch.float32
    ),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=RewardConfig(
        output_dir="tldr-reward",
        max_steps=10,
        max_length=MAX_LENGTH,
        per_device_train_batch_size=4,
        learning_rate=1e-3,
        logging_steps=5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
model = trainer.model.eval()


@torch.no_grad()
def score_pair(prompt, completion):
    text = prompt + completion
    encoded = tokenizer(text, return_tensors="pt", truncation=True, max_length=MAX_LENGTH)
    return model(**encoded).logits.squeeze(-1).item()


correct, other = 0, 0
for row, trained in zip(dataset, trainer.train_dataset):
    chosen = score_pair(row["prompt"], row["chosen"])
    correct += chosen > score_pair(row["prompt"], row["rejected"])
    with torch.no_grad():
        in_training = model(input_ids=torch.tensor([trained["chosen_ids"]])).logits.item()
    other += abs(chosen - in_training) > 1e-4
print(f"accuracy {correct / len(dataset):.2f}")
print(f"scores that are others than in training: {other} of {len(dataset)}")
"""
PROMPTED = rows(*({"prompt": asked, "completion": f" {answer}"} for asked, answer in PAIRS))
CHATS = rows(
    *({"messages": [turn("user", asked), turn("assistant", answer)]} for asked, answer in PAIRS)
)
CHOSEN = rows(*({"prompt": a, "chosen": f" {b}", "rejected": " No."} for a, b in PAIRS))
REPORTS = (
    Report(
        "flowersteam/lamorel#53",
        "current",
        "answers that are others in a batch: [1-9]",
        r"padding_side|padd(ed|ing) (on|at|to) the (left|right)|(left|right)[- ]?padd",
        {"train.py": BATCHED, "tasks.jsonl": PROMPTED},
        changed(
            BATCHED,
            (
                "    inputs = tokenizer(contexts, padding=True,",
                '    inputs = tokenizer(contexts, padding=True, padding_side="left",',
            ),
        ),
        level="",
    ),
    Report(
        "mkupermann/souprise#17",
        "current",
        "as it was taught: 0 of",
        r"chat[ _]template|add_generation_prompt",
        {"train.py": RAW, "domain.jsonl": CHATS},
        changed(
            RAW,
            (
                '        inputs = self.tokenizer(prompt, return_tensors="pt")\n',
                '        messages = [{"role": "user", "content": prompt}]\n'
                "        prompt = self.tokenizer.apply_chat_template(\n"
                "            messages, tokenize=False, add_generation_prompt=True\n"
                "        )\n"
                '        inputs = self.tokenizer(prompt, return_tensors="pt")\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#5813",
        "current",
        "scores that are others than in training: [1-9]",
        r"\beos\b|eos_token|<\|im_end\|>|(end|stop) token|end[- ]of[- ](sequence|text|turn)",
        {"train.py": ENDLESS, "tldr.jsonl": CHOSEN},
        changed(
            ENDLESS,
            ("text = prompt + completion\n", "text = prompt + completion + tokenizer.eos_token\n"),
        ),
        level="",
    ),
)
