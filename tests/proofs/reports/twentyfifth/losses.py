"""Threads of a twenty-fifth list: losses of the wrong tokens, or of one row alone."""

from reports.report import PAIRS, Report, changed, rows

TEXTS = rows(*({"text": f"{a} {b}<|im_end|>"} for a, b in PAIRS))
UNSHIFTED = """\
import torch
from datasets import load_dataset
from torch.nn.functional import pad
from transformers import AutoTokenizer, MBartConfig, MBartForCausalLM, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")


class NextTokenMBart(MBartForCausalLM):
    def forward(self, input_ids=None, attention_mask=None, labels=None, use_cache=False):
        if labels is not None:
            labels = pad(labels[:, 1:], (0, 1), value=-100)
        return super().forward(
            input_ids=input_ids, attention_mask=attention_mask, labels=labels, use_cache=use_cache
        )


config = MBartConfig(
    vocab_size=320,
    d_model=64,
    decoder_layers=2,
    decoder_attention_heads=2,
    decoder_ffn_dim=64,
    max_position_embeddings=256,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
    bos_token_id=None,
    dropout=0.0,
)
model = MBartForCausalLM(config)

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="eli5.jsonl", split="train"),
    args=SFTConfig(
        output_dir="eli5-clm",
        max_steps=60,
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
ids = torch.tensor([trainer.train_dataset[0]["input_ids"]])
with torch.no_grad():
    best = trainer.model.eval()(input_ids=ids).logits.argmax(dim=-1)
same = (best == ids).float().mean().item()
coming = (best[:, :-1] == ids[:, 1:]).float().mean().item()
print(f"of the tokens, it gives again {same:.2f}, and the next {coming:.2f}")
print("it has learnt to", "copy its input" if same > coming else "go on")
"""
FIRST_ROW = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class TranslationTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        # Exclude the last step as it does not appear in the targets.
        logits = outputs.logits[0, :-1]
        # Similarly, the first token cannot be predicted.
        target_tokens = inputs["input_ids"][0, 1:]
        target_mask = (inputs["labels"][0, 1:] != -100).float()
        log_probs = torch.log_softmax(logits.float(), dim=-1)
        nll = -log_probs.gather(-1, target_tokens.unsqueeze(-1)).squeeze(-1)
        loss = (nll * target_mask).sum() / target_mask.sum()
        return (loss, outputs) if return_outputs else loss


trainer = TranslationTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="mtnt.jsonl", split="train"),
    args=SFTConfig(
        output_dir="translator",
        max_steps=3,
        per_device_train_batch_size=4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()


@torch.no_grad()
def loss_of(batch):
    return trainer.compute_loss(trainer.model.eval(), batch).item()


batch = next(iter(trainer.get_train_dataloader()))
whole, count = loss_of(batch), 0
for row in range(len(batch["input_ids"])):
    without = {name: value.clone() for name, value in batch.items()}
    without["labels"][row] = -100
    count += loss_of(without) != whole
print("rows of a batch that count:", count)
"""
REPORTS = (
    Report(
        "huggingface/transformers#27517",
        "four",
        "it has learnt to copy its input",
        r"shift|(current|same|next) token|cop(y|ies)",
        {"train.py": UNSHIFTED, "eli5.jsonl": TEXTS},
        changed(UNSHIFTED, ("model = MBartForCausalLM(config)", "model = NextTokenMBart(config)")),
        level="",
    ),
    Report(
        "google-deepmind/gemma#48",
        "current",
        "rows of a batch that count: 1\n",
        r"(first|one|single) row|other rows|rows? of (a|the|each) batch|\[0, ?:-1\]",
        {"train.py": FIRST_ROW, "mtnt.jsonl": TEXTS},
        changed(FIRST_ROW, ("[0, :-1]", "[:, :-1]"), ("[0, 1:]", "[:, 1:]")),
        level="",
    ),
)
