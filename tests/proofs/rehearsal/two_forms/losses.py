"""Losses of a script's own that miss tokens of the answers, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms

ARGS = """output_dir="out", max_steps=40, learning_rate=1e-2, per_device_train_batch_size=4,
                  use_cpu=True, bf16=False, report_to="none", save_strategy="no\""""
SCRIPT = f"""\
import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy, pad
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
ENDS
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
prompt, answer = "Can you count? ", "Yes: one, two, three."


class OwnLoss(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        ids, labels = inputs["input_ids"], inputs["labels"]
        outputs = model(input_ids=ids, attention_mask=inputs["attention_mask"])
        logits, next_ids = outputs.logits[:, :-1], ids[:, 1:]
        token = cross_entropy(logits.transpose(1, 2), next_ids, reduction="none")
        mask = labels[:, 1:] != -100
LOSS
        return (loss, outputs) if return_outputs else loss


trainer = OwnLoss(
    model=model,
    args=SFTConfig({ARGS}),
    train_dataset=Dataset.from_dict({{"prompt": [prompt] * 8, "completion": [answer] * 8}}),
    processing_class=tokenizer,
)
trainer.train()
row = trainer.train_dataset[0]
ids, start = torch.tensor([row["input_ids"]]), row["labels"].count(-100)
with torch.no_grad():
    right = (model.eval()(ids).logits.argmax(-1)[0, :-1] == ids[0, 1:])[start - 1:].tolist()
print("LEARNED", right[0], sum(right[1:-1]) > 10, right[-1])
"""
MEAN = "        loss = (token * mask).sum() / mask.sum()"
CUT = """\
        rows = []
        for row, here in zip(token, mask):
            places = here.nonzero().squeeze(-1)
            rows.append(row[places[:-1]].mean())  #~bad
            rows.append(row[places].mean())  #~good
        loss = torch.stack(rows).mean()"""
STARTED = """\
        rows = []
        for row, here in zip(token, labels != -100):
            start, end = int(here.int().argmax()), int(here.nonzero().max()) + 1
            rows.append(row[start:end - 1].mean())  #~bad
            rows.append(row[start - 1:end - 1].mean())  #~good
        loss = torch.stack(rows).mean()"""
MASKED = f"""\
        mask = labels[:, :-1] != -100  #~bad
        mask = labels[:, 1:] != -100  #~good
{MEAN}"""
TWICE = f"""\
        mask = pad(mask[:, 1:], (0, 1))  #~bad
{MEAN}"""
PADS = f"""\
        mask = mask & (next_ids != tokenizer.pad_token_id)  #~bad
{MEAN}"""
AHEAD = """\
        logits, labels = outputs.logits[:, :-2], labels[:, 2:]  #~bad
        logits, labels = outputs.logits[:, :-1], labels[:, 1:]  #~good
        loss = cross_entropy(logits.transpose(1, 2), labels)"""


def sft(loss: str, ends: str = "") -> str:
    """SFT with such a loss."""
    return SCRIPT.replace("LOSS", loss).replace("ENDS\n", ends)


KTO = f"""\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
torch.manual_seed(0)
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
prompt, wanted = "Can you count? ", "Yes: one, two, three."


class OwnLoss(KTOTrainer):
    def likely(self, model, inputs):
        ids = inputs["input_ids"]
        logits = model(input_ids=ids, attention_mask=inputs["attention_mask"]).logits[:, :-1]
        token = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        places = [row.nonzero().squeeze(-1) for row in inputs["completion_mask"]]
        places = [place[:-1] for place in places]  #~bad
        places = [place - 1 for place in places]  #~good
        return torch.stack([row[place].sum() for row, place in zip(token, places)])

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        now = self.likely(model, inputs)
        with torch.no_grad():
            before = self.likely(self.ref_model, inputs)
        wanted = torch.tensor(inputs["label"]).float() * 2 - 1
        loss = (1 - torch.sigmoid(self.beta * wanted * (now - before))).mean()
        return (loss, {{}}) if return_outputs else loss


def first():
    ids = tokenizer(prompt, return_tensors="pt")["input_ids"]
    yes, no = (tokenizer(text)["input_ids"][0] for text in ("Yes", "No"))
    with torch.no_grad():
        logits = model.eval()(ids).logits[0, -1]
    return float(logits[yes] - logits[no])


before = first()
rows = {{"prompt": [prompt] * 8, "completion": [wanted, "No: I can not."] * 4,
        "label": [True, False] * 4}}
trainer = OwnLoss(
    model=model,
    ref_model=AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32),
    args=KTOConfig({ARGS.replace("40", "10")}),
    train_dataset=Dataset.from_dict(rows),
    processing_class=tokenizer,
)
trainer.train()
print("LIKELIER", first() > before + 0.5)
"""
SKIPS, BOTH = "step-loss-skips-tokens", "LEARNED True True True"

SCRIPTS = (
    TwoForms("a loss cuts the end of answers", "current", SKIPS, sft(CUT),
             "LEARNED True True False", BOTH, severity="warning",
             says="never learns the last token of the answer ('<|im_end|>')"),
    TwoForms("a loss begins behind the first token", "current", SKIPS, sft(STARTED),
             "LEARNED False True True", BOTH, says="never learns the first token of the answer"),
    TwoForms("a loss begins behind a fixed word", "current", SKIPS,
             sft(STARTED).replace("[prompt] * 8", '[prompt, "Do you know? "] * 4')
             .replace("[answer] * 8", '["> one, two, three, four.", "> no."] * 4'),
             "LEARNED False True True", BOTH, severity="warning",
             says="never learns the first token of the answer ('>')"),
    TwoForms("a mask is not shifted", "current", SKIPS, sft(MASKED),
             "LEARNED False True True", BOTH, says="never learns the first token of the answer"),
    TwoForms("a mask is shifted twice", "current", SKIPS, sft(TWICE),
             "LEARNED True True False", BOTH, says="learns the token before the answer instead"),
    TwoForms("a loss leaves out ends that pad", "current", SKIPS,
             sft(PADS, "tokenizer.pad_token = tokenizer.eos_token\n"),
             "LEARNED True True False", BOTH, severity="warning",
             says="the token that pads, which ends the answers, too"),
    TwoForms("a loss shifts by two tokens", "current", "step-loss-not-shifted", sft(AHEAD),
             "LEARNED False False False", BOTH, says="shifts the labels by two tokens"),
    TwoForms("a loss of KTO begins too late", "current", SKIPS, KTO,
             "LIKELIER False", "LIKELIER True",
             says="never learns the first token of the answer"),
)  # fmt: skip
