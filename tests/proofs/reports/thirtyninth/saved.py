"""Threads of a thirty-ninth list: what is saved, and how it is loaded."""

from reports.report import CHOICES, TEXT, Report, changed

WRAPPED = '''\
"""A trainer of another library around SFTTrainer: it makes the model, trains it and saves it."""

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class FeedbackTrainer:
    def __init__(self, model, dataset):
        self._transformers_model = AutoModelForCausalLM.from_pretrained(model, dtype="float32")
        self._transformers_tokenizer = AutoTokenizer.from_pretrained(model)
        self._dataset = dataset
        self.trainer_kwargs = {}
        self.training_args_kwargs = {"report_to": "none", "use_cpu": True, "bf16": False}

    def update_config(self, peft_config=None, **kwargs):
        self.trainer_kwargs["peft_config"] = peft_config
        self.training_args_kwargs.update(kwargs)

    def train(self, output_dir):
        self._trainer = SFTTrainer(
            model=self._transformers_model,
            processing_class=self._transformers_tokenizer,
            train_dataset=self._dataset,
            args=SFTConfig(output_dir=output_dir, **self.training_args_kwargs),
            **self.trainer_kwargs,
        )
        self._trainer.train()
        self.save(output_dir)

    def save(self, output_dir):
        self._transformers_model.save_pretrained(output_dir)
        self._transformers_tokenizer.save_pretrained(output_dir)


dataset = load_dataset("json", data_files="texts.jsonl", split="train")
trainer = FeedbackTrainer("model", dataset)
trainer.update_config(
    peft_config=LoraConfig(r=8, lora_alpha=16, task_type="CAUSAL_LM", target_modules=["q_proj"]),
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=1e-2,
    save_strategy="no",
)
trainer.train("out")

ids = torch.arange(5, 25)[None]
loaded = AutoModelForCausalLM.from_pretrained("out", dtype="float32").eval()
with torch.no_grad():
    was, now = (model(ids).logits for model in (trainer._trainer.model.eval(), loaded))
print("what is loaded", "is what was trained" if torch.allclose(was, now, atol=1e-4) else "differs")
'''
TOKENS = '''\
"""New tokens and LoRA; afterwards the adapter is loaded for inference."""

from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.add_tokens([f"<word_{n}>" for n in range(64)])
model = AutoModelForCausalLM.from_pretrained("model")
model.resize_token_embeddings(len(tokenizer))
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    peft_config=LoraConfig(
        r=8,
        target_modules=["q_proj", "v_proj"],
        modules_to_save=["embed_tokens", "lm_head"],
        task_type="CAUSAL_LM",
    ),
    args=SFTConfig(
        output_dir="lora",
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model("lora")
tokenizer.save_pretrained("mytokenizer")

tokenizer = AutoTokenizer.from_pretrained("mytokenizer")
model = AutoModelForCausalLM.from_pretrained("model")
model = PeftModel.from_pretrained(model, "lora")
inputs = tokenizer("Count to five.", return_tensors="pt")
print(tokenizer.decode(model.generate(**inputs, max_new_tokens=4)[0]))
'''
SCORES = '''\
"""Trains a reward model, then scores the answers of a benchmark with a pipeline."""

from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)
choices = load_dataset("json", data_files="choices.jsonl", split="train")
trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=choices,
    args=RewardConfig(
        output_dir="TinyLlama-RM",
        max_length=512,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=4,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model("TinyLlama-RM")
tokenizer.save_pretrained("TinyLlama-RM")

reward_pipe = pipeline("text-classification", model="TinyLlama-RM", tokenizer=tokenizer)
kwargs = {"batch_size": 2, "truncation": True, "padding": True, "function_to_apply": "none"}
for column in ("chosen", "rejected"):
    print(column, [result["score"] for result in reward_pipe(list(choices[column]), **kwargs)])
'''
REPORTS = (
    Report(
        "argilla-io/argilla#3795",
        "current",
        "what is loaded differs",
        r"adapter|base_layer|lora",
        {"train.py": WRAPPED, "texts.jsonl": TEXT},
        changed(
            WRAPPED,
            ("self._transformers_model.save_pretrained(output_dir)",
             "self._trainer.model.save_pretrained(output_dir)"),
        ),
    ),
    Report(
        "unslothai/unsloth#978",
        "current",
        r"size mismatch for ",
        r"resize|size mismatch|vocab|embed",
        {"train.py": TOKENS, "texts.jsonl": TEXT},
        changed(
            TOKENS,
            ('model = PeftModel.from_pretrained(model, "lora")',
             "model.resize_token_embeddings(len(tokenizer))\n"
             'model = PeftModel.from_pretrained(model, "lora")'),
        ),
    ),
    Report(
        "allenai/reward-bench#115",
        "ppo-first",
        "Cannot handle batch sizes > 1 if no padding token is defined",
        r"pad_token_id|padding token|pad token",
        {"train.py": SCORES, "choices.jsonl": CHOICES},
        changed(
            SCORES,
            (
                "num_labels=1)\n",
                "num_labels=1)\nmodel.config.pad_token_id = tokenizer.pad_token_id\n",
            ),
        ),
        model={"config.json": {"pad_token_id": None}},
    ),
)  # fmt: skip
