"""Threads of a twenty-third list: the model, what is added to it, and what is saved of it."""

from reports.report import CHOICES, TEXT, Report, changed, rows

SENTENCES = rows(
    {"text": "The <company>maker</company> sells <product>bread</product>.", "label": "sells"},
    {"text": "<person>Ann</person> lives in <city>Bonn</city> now.", "label": "lives in"},
    {"text": "A <cause>storm</cause> led to a <effect>flood</effect>.", "label": "leads to"},
    {"text": "The <part>wheel</part> of the <whole>cart</whole> broke.", "label": "part of"},
)
ENTITY_TAGS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

ENTITIES = (
    "content container origin topic tool member group country "
    "person city company product cause effect part whole"
).split()
ADDITIONAL_SPECIAL_TOKENS = [t for e in ENTITIES for t in (f"<{e}>", f"</{e}>")]


def load_tokenizer(path):
    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.add_special_tokens({"additional_special_tokens": ADDITIONAL_SPECIAL_TOKENS})
    return tokenizer


def to_text(example):
    return {"text": f"{example['text']} => {example['label']}"}


tokenizer = load_tokenizer("model")
model = AutoModelForCausalLM.from_pretrained("model")
train = load_dataset("json", data_files="semeval.jsonl", split="train").map(to_text)
train = train.remove_columns("label")

args = SFTConfig(
    output_dir="relations",
    max_steps=4,
    per_device_train_batch_size=2,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
SFTTrainer(model=model, args=args, train_dataset=train, processing_class=tokenizer).train()
"""
CHECKPOINTED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")

# only the queries and the values are tuned, to save memory
for name, param in model.named_parameters():
    param.requires_grad = "q_proj" in name or "v_proj" in name
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(f"trainable params: {trainable} of {model.num_parameters()}")

training_args = SFTConfig(
    output_dir="qv-alpaca",
    per_device_train_batch_size=2,
    gradient_checkpointing=True,
    gradient_checkpointing_kwargs={"use_reentrant": True},
    max_steps=3,
    learning_rate=1e-4,
    logging_steps=1,
    max_length=128,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=load_dataset("json", data_files="alpaca_data.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
"""
REWARD_HEAD = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed
from trl import RewardConfig, RewardTrainer

SAVE_PATH = "reward-model"
set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)
model.config.pad_token_id = tokenizer.pad_token_id

trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="stack-pairs.jsonl", split="train"),
    peft_config=LoraConfig(
        r=8, lora_alpha=32, lora_dropout=0.1, target_modules=["q_proj", "v_proj"]
    ),
    args=RewardConfig(
        output_dir="rm",
        max_steps=3,
        learning_rate=1e-3,
        per_device_train_batch_size=2,
        gradient_checkpointing=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model(SAVE_PATH)

probe = tokenizer("What is seven times six? Forty-two.", return_tensors="pt")
with torch.no_grad():
    before = trainer.model.eval()(**probe).logits.item()
    set_seed(1)
    base = AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)
    base.config.pad_token_id = tokenizer.pad_token_id
    after = PeftModel.from_pretrained(base, SAVE_PATH).eval()(**probe).logits.item()
same = abs(before - after) < 1e-3
print("the reward of the reloaded model is", "the same" if same else "another one")
"""
REPORTS = (
    Report(
        "mickeysjm/R-BERT#5",
        "current",
        "index out of range in self",
        r"resize_token_embeddings|embedding|vocabulary|vocab_size",
        {"train.py": ENTITY_TAGS, "semeval.jsonl": SENTENCES},
        changed(
            ENTITY_TAGS,
            (
                'model = AutoModelForCausalLM.from_pretrained("model")\n',
                'model = AutoModelForCausalLM.from_pretrained("model")\n'
                "model.resize_token_embeddings(len(tokenizer))\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#26334",
        "four",
        "does not require grad and does not have a grad_fn",
        r"enable_input_require_grads|use_reentrant|gradient.checkpointing",
        {"train.py": CHECKPOINTED, "alpaca_data.jsonl": TEXT},
        changed(
            CHECKPOINTED,
            (
                '"v_proj" in name\ntrainable',
                '"v_proj" in name\nmodel.enable_input_require_grads()\ntrainable',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1379",
        "current",
        "the reward of the reloaded model is another one",
        r"modules_to_save|SEQ_CLS|\bscore\b",
        {"train.py": REWARD_HEAD, "stack-pairs.jsonl": CHOICES},
        changed(
            REWARD_HEAD,
            (
                'target_modules=["q_proj", "v_proj"]\n',
                'target_modules=["q_proj", "v_proj"],\n        modules_to_save=["score"],\n',
            ),
        ),
    ),
)
