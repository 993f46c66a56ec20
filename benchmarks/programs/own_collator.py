import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback, Trainer, TrainingArguments,
)


class Collator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        batch = self.tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")
        labels = batch["input_ids"].clone()
        labels[batch["attention_mask"] == 0] = -100
        batch["labels"] = labels
        return batch


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        out = model(**inputs)
        loss = out.loss * 0.5
        return (loss, out) if return_outputs else loss


tok = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
data = load_dataset("json", data_files={"train": "text.jsonl", "test": "text.jsonl"})
args = TrainingArguments(
    "out", use_cpu=True, bf16=False, report_to="none", num_train_epochs=1,
    per_device_train_batch_size=4, eval_strategy="steps", eval_steps=2, save_steps=2,
    save_strategy="steps", load_best_model_at_end=True, metric_for_best_model="eval_loss",
    greater_is_better=False, remove_unused_columns=False, warmup_steps=1,
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
trainer = Weighted(
    model=model, args=args, train_dataset=data["train"], eval_dataset=data["test"],
    data_collator=Collator(tok), optimizers=(optimizer, scheduler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
)
trainer.train()
print(trainer.evaluate()["eval_loss"], trainer.predict(data["test"]).predictions is not None)
best = trainer.state.best_model_checkpoint
AutoModelForCausalLM.from_pretrained(best)
