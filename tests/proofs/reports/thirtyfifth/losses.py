"""Threads of a thirty-fifth list: losses and rewards that scripts write themselves."""

from reports.report import PAIRS, PREFERENCES, Report, changed, rows

QUESTIONS = rows(*({"prompt": a, "solution": b} for a, b in PAIRS))
MEAN = '''\
"""Length-normalised DPO: the log-probabilities of an answer are averaged, not summed."""

import sys

from datasets import load_dataset
from trl import DPOConfig, DPOTrainer, ModelConfig, TrlParser


def main(arguments):
    parser = TrlParser((DPOConfig, ModelConfig))
    args, model_args = parser.parse_args_and_config(arguments)
    trainer = DPOTrainer(
        model=model_args.model_name_or_path,
        args=args,
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    )
    trainer.train()
    last = [log for log in trainer.state.log_history if "rewards/margins" in log][-1]
    print(f"loss {last['loss']:.3f}, margin {last['rewards/margins']:.3f}")
    print("it hardly learnt:", last["loss"] > 0.6)


if __name__ == "__main__":
    main(sys.argv[1:] or ["--config", "dpo.yaml"])
'''
RUN = """\
model_name_or_path: model
dtype: float32
output_dir: normalised
max_steps: 20
per_device_train_batch_size: 4
learning_rate: 1.0e-4
lr_scheduler_type: constant
logging_steps: 5
loss_type: [sigmoid_norm]
beta: 0.1
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
PADDED = '''\
"""DPO with a loss of one's own, as in the paper."""

import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

BETA = 0.1


class Pairs:
    """Pads prompts with answers; the chosen answers come first."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        texts = [one["prompt"] + one[side] for side in ("chosen", "rejected") for one in rows]
        prompts = self.tokenizer([one["prompt"] for one in rows] * 2)["input_ids"]
        texts = [text + self.tokenizer.eos_token for text in texts]
        batch = self.tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
        batch["starts"] = torch.tensor([len(prompt) for prompt in prompts])
        return batch


def answer_logps(model, batch):
    """The log-probability of each answer."""
    ids, mask = batch["input_ids"], batch["attention_mask"]
    logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1]
    logps = logits.log_softmax(-1).gather(2, ids[:, 1:, None]).squeeze(2)
    places = torch.arange(1, ids.shape[1])[None]
    inside = (places >= batch["starts"][:, None]).float()
    return (logps * inside).sum(-1)


class Preferences(Trainer):
    reference = None

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        with torch.no_grad():
            before = answer_logps(self.reference, inputs)
        rewards = BETA * (answer_logps(model, inputs) - before)
        chosen, rejected = rewards.chunk(2)
        return -F.logsigmoid(chosen - rejected).mean()


def load():
    return AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    rows = load_dataset("json", data_files="pairs.jsonl", split="train")
    Preferences.reference = load().eval()
    trainer = Preferences(
        model=load(),
        train_dataset=rows,
        data_collator=Pairs(tokenizer),
        args=TrainingArguments(
            output_dir="own",
            max_steps=20,
            per_device_train_batch_size=4,
            learning_rate=1e-3,
            remove_unused_columns=False,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
    )
    trainer.train()
    collate, rows = Pairs(tokenizer), list(rows)
    with torch.no_grad():
        alone = answer_logps(trainer.model.eval(), collate(rows[:1]))[1].item()
        among = answer_logps(trainer.model, collate(rows))[len(rows)].item()
    print(f"the same answer alone {alone:.2f}, with longer ones {among:.2f}")
    print("they agree:", abs(alone - among) < 0.01)


if __name__ == "__main__":
    main()
'''
FIRST = '''\
"""SFT with a loss of one's own: the mask says which tokens are of the answer."""

import torch
from datasets import load_dataset
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


class Masked(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss_mask = (inputs["labels"] != -100).float()
        ids = inputs["input_ids"]
        outputs = model(input_ids=ids, attention_mask=inputs["attention_mask"])
        logits, labels = outputs.logits[:, :-1], ids[:, 1:]
        losses = cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        mask = loss_mask[:, :-1]
        loss = (losses * mask).sum() / mask.sum()
        return (loss, outputs) if return_outputs else loss


def first_words(model, tokenizer, rows):
    """Answers whose first token the model says."""
    right = 0
    for row in rows:
        prompt = tokenizer(row["prompt"], return_tensors="pt")
        with torch.no_grad():
            said = model(**prompt).logits[0, -1].argmax().item()
        right += said == tokenizer(row["completion"])["input_ids"][0]
    return right


def main():
    set_seed(8)
    tokenizer = AutoTokenizer.from_pretrained("model")
    rows = load_dataset("json", data_files="answers.jsonl", split="train")
    trainer = Masked(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=rows,
        args=SFTConfig(
            output_dir="masked",
            num_train_epochs=60,
            per_device_train_batch_size=4,
            learning_rate=1e-2,
            lr_scheduler_type="constant",
            logging_steps=30,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    known = first_words(trainer.model.eval(), tokenizer, rows)
    print(f"first words that it learnt: {known} of {len(rows)}")


if __name__ == "__main__":
    main()
'''
ANSWERS = rows(*({"prompt": f"{a}\n", "completion": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "eric-mitchell/direct-preference-optimization#48",
        "current",
        "it hardly learnt: True",
        r"beta|sigmoid_norm",
        {"train.py": MEAN, "dpo.yaml": RUN, "pairs.jsonl": PREFERENCES},
        {"dpo.yaml": RUN.replace("beta: 0.1", "beta: 10.0")},
    ),
    Report(
        "0xallam/Direct-Preference-Optimization#4",
        "current",
        "they agree: False",
        r"pad",
        {"train.py": PADDED, "pairs.jsonl": PREFERENCES},
        changed(PADDED, ("(logps * inside).sum(-1)", "(logps * inside * mask[:, 1:]).sum(-1)")),
    ),
    Report(
        "verl-project/verl#3287",
        "current",
        "first words that it learnt: [0-2] of 4",
        r"shift|first (token|word)|one (token|place|position)|mask.{0,80}(one|position|align)"
        r"|(answer|label|completion).{0,80}(not learn|no loss|left out)"
        r"|loss.{0,80}(skip|miss|leave)",
        {"train.py": FIRST, "answers.jsonl": ANSWERS},
        changed(FIRST, ("mask = loss_mask[:, :-1]", "mask = loss_mask[:, 1:]")),
    ),
)
