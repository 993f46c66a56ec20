"""Threads of a seventeenth list: settings that do not arrive, and losses of the user's own."""

from reports.report import CHATS, COMPLETIONS, PREFERENCES, Report, changed

EXPANDED = '''\
"""One command for several tasks; the settings are in soup.yaml."""
import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

COMMON = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False}


def add_tokens(cfg, tokenizer, model):
    new = cfg["data"].get("new_special_tokens") or []
    if new:
        tokenizer.add_special_tokens({"additional_special_tokens": new})
    if cfg["data"].get("resize_vocab"):
        model.resize_token_embeddings(len(tokenizer))


def load(cfg):
    model = AutoModelForCausalLM.from_pretrained(cfg["base"])
    return model, AutoTokenizer.from_pretrained(cfg["base"])


def setup_sft(cfg):
    model, tokenizer = load(cfg)
    add_tokens(cfg, tokenizer, model)
    rows = load_dataset("json", data_files=cfg["data"]["train"], split="train")
    args = SFTConfig(output_dir=cfg["output"], **cfg["training"], **COMMON)
    return SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)


def setup_dpo(cfg):
    model, tokenizer = load(cfg)
    rows = load_dataset("json", data_files=cfg["data"]["train"], split="train")
    args = DPOConfig(output_dir=cfg["output"], **cfg["training"], **COMMON)
    return DPOTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)


with open("soup.yaml") as file:
    cfg = yaml.safe_load(file)
trainer = {"sft": setup_sft, "dpo": setup_dpo}[cfg["task"]](cfg)
trainer.train()
print("tokens of <plan>:", len(trainer.processing_class.tokenize("<plan>")))
'''
SOUP = """\
base: model
task: dpo
output: soup-out
data:
  train: pairs.jsonl
  new_special_tokens: ["<plan>", "</plan>"]
  resize_vocab: true
training:
  max_steps: 1
  per_device_train_batch_size: 2
  learning_rate: 0.00001
"""
PLANNED = PREFERENCES.replace('"chosen": " ', '"chosen": " <plan>I think.</plan> ')
DISTILLED = '''\
"""SFT with a second loss: the logits of a teacher."""
import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def uld_distill_loss(student, teacher, mask):
    distance = (student.softmax(-1).sort(-1)[0] - teacher.softmax(-1).sort(-1)[0]).abs().sum(-1)
    return (distance * mask).sum() / mask.sum()


class DistillTrainer(SFTTrainer):
    def __init__(self, *args, teacher, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher.eval()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        with torch.no_grad():
            taught = self.teacher(
                input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
            )
        shifted = outputs.logits[:, :-1].float()
        labels = inputs["labels"][:, 1:]
        loss = F.cross_entropy(shifted.flatten(0, 1), labels.flatten(), ignore_index=-100)
        mask = inputs["attention_mask"].float()
        loss = loss + 1.5 * uld_distill_loss(outputs.logits.float(), taught.logits.float(), mask)
        self.outside = int(mask.sum()) - int((labels != -100).sum())
        return (loss, outputs) if return_outputs else loss


trainer = DistillTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    teacher=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    args=SFTConfig(
        output_dir="distilled",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="answers.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
print("masked positions in the second loss:", trainer.outside)
'''
TEN_STEPS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    args=SFTConfig(
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        warmup_steps=2,
        max_steps=10,
        num_train_epochs=20,
        learning_rate=2e-4,
        logging_steps=1,
        weight_decay=0.01,
        lr_scheduler_type="linear",
        seed=3407,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("epochs:", trainer.state.epoch, "of", trainer.args.num_train_epochs)
"""
UNALIGNED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from trl import SFTConfig, SFTTrainer

training_args = SFTConfig(
    output_dir="distill",
    eos_token="<|im_end|>",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=4e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()

# Save model
trainer.save_model(training_args.output_dir)
trainer.model.config.use_cache = True
trainer.model.config.save_pretrained(training_args.output_dir)

saved = GenerationConfig.from_pretrained(training_args.output_dir)
ends = AutoTokenizer.from_pretrained(training_args.output_dir).eos_token_id
print("generation of the saved model stops at the eos:", saved.eos_token_id == ends)
"""
BASE = {
    "tokenizer_config.json": {"eos_token": "<|endoftext|>"},
    "generation_config.json": {"eos_token_id": 296},
    "config.json": {"eos_token_id": 296},
}
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#292",
        "current",
        "tokens of <plan>: [2-9]",
        "new_special_tokens|resize_vocab|<plan>|add_tokens",
        {"train.py": EXPANDED, "soup.yaml": SOUP, "pairs.jsonl": PLANNED},
        changed(
            EXPANDED,
            (
                "def setup_dpo(cfg):\n    model, tokenizer = load(cfg)\n",
                "def setup_dpo(cfg):\n    model, tokenizer = load(cfg)\n"
                "    add_tokens(cfg, tokenizer, model)\n",
            ),
        ),
        level="",
    ),
    Report(
        "MakazhanAlpamys/Soup#682",
        "current",
        "masked positions in the second loss: [1-9]",
        "label|mask|(prompt|question).{0,60}(loss|learn|train)|loss.{0,60}(prompt|question)",
        {"train.py": DISTILLED, "answers.jsonl": COMPLETIONS},
        changed(
            DISTILLED,
            (
                'mask = inputs["attention_mask"].float()\n',
                "mask = (labels != -100).float()\n"
                "        logits, taught_logits = shifted, taught.logits[:, :-1].float()\n",
            ),
            ("outputs.logits.float(), taught.logits.float(), mask", "logits, taught_logits, mask"),
        ),
        level="",
    ),
    Report(
        "unslothai/unsloth#594",
        "current",
        "epochs: 5.0 of 20",
        "max_steps",
        {"train.py": TEN_STEPS, "chats.jsonl": CHATS},
        changed(TEN_STEPS, ("        max_steps=10,\n", "")),
    ),
    Report(
        "huggingface/open-r1#663",
        "grpo-shapes",
        "generation of the saved model stops at the eos: False",
        "generation_config|generation.{0,60}(stop|end)|eos",
        {"train.py": UNALIGNED, "chats.jsonl": CHATS},
        changed(
            UNALIGNED,
            (
                "# Save model\n",
                "# Save model\n"
                "trainer.model.generation_config.eos_token_id = tokenizer.eos_token_id\n",
            ),
        ),
        model=BASE,
    ),
)
