"""Threads of a twenty-sixth list: a batch without labels, and a loss that skips a token."""

from reports.report import PAIRS, Report, changed, rows, turn

NO_LABELS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

processor = AutoTokenizer.from_pretrained("model")


def collate_fn(examples):
    texts = [
        processor.apply_chat_template(example["messages"], tokenize=False) for example in examples
    ]
    batch = processor(texts, return_tensors="pt", padding=True)
    return batch


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=processor,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    data_collator=collate_fn,
    args=SFTConfig(
        output_dir="mllama",
        max_steps=1,
        per_device_train_batch_size=2,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
FIRST_TOKEN = """\
import torch
from datasets import load_dataset
from torch.nn.functional import logsigmoid
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def load():
    return AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)


def response_logprobs(logits, input_ids, response_start, response_end):
    logprobs = torch.log_softmax(logits[:-1], dim=-1)
    logprobs = logprobs.gather(-1, input_ids[1:].unsqueeze(-1)).squeeze(-1)
    return logprobs[response_start : response_end - 1].sum()


class MarginTrainer(DPOTrainer):
    def score(self, model, inputs):
        given = {name: inputs[name] for name in ("input_ids", "attention_mask")}
        logits = model(**given).logits
        scores = []
        for row, ids, mask in zip(logits, inputs["input_ids"], inputs["completion_mask"]):
            start = int(mask.argmax())
            scores.append(response_logprobs(row, ids, start, start + int(mask.sum())))
        return torch.stack(scores)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        scores = self.score(model, inputs)
        with torch.no_grad():
            reference = self.score(self.ref_model, inputs)
        chosen, rejected = (scores - reference).chunk(2)
        loss = -logsigmoid(self.args.beta * (chosen - rejected)).mean()
        return (loss, {}) if return_outputs else loss


trainer = MarginTrainer(
    model=load(),
    ref_model=load(),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="preferences.jsonl", split="train"),
    args=DPOConfig(
        output_dir="dpo",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()

logits = torch.zeros(6, 320, requires_grad=True)
response_logprobs(logits, torch.tensor([1, 2, 3, 4, 5, 6]), 3, 6).backward()
seen = int((logits.grad.abs().sum(dim=-1) > 0).sum())
print(f"of an answer of 3 tokens, the loss sees {seen}")
"""
CHATS = rows(
    *({"messages": [turn("user", asked), turn("assistant", answer)]} for asked, answer in PAIRS)
)
CHOSEN = rows(*({"prompt": a, "chosen": f" {b}", "rejected": " No."} for a, b in PAIRS))
REPORTS = (
    Report(
        "huggingface/transformers#34392",
        "ppo-first",
        "did not return a loss from the inputs",
        r"\blabels\b",
        {"train.py": NO_LABELS, "chats.jsonl": CHATS},
        changed(
            NO_LABELS,
            (
                "    return batch\n",
                '    labels = batch["input_ids"].clone()\n'
                "    labels[labels == processor.pad_token_id] = -100\n"
                '    batch["labels"] = labels\n'
                "    return batch\n",
            ),
        ),
        level="",
    ),
    Report(
        "fw-ai/cookbook#388",
        "current",
        "of an answer of 3 tokens, the loss sees 2",
        r"first (token|word)|response_start|off[- ]by[- ]one|shift(ed)? by",
        {"train.py": FIRST_TOKEN, "preferences.jsonl": CHOSEN},
        changed(
            FIRST_TOKEN,
            (
                "logprobs[response_start : response_end",
                "logprobs[response_start - 1 : response_end",
            ),
        ),
        level="",
    ),
)
