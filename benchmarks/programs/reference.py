import contextlib
import gc
import inspect
import sys
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
import trl
from trl import KTOConfig, KTOTrainer

print(trl.__version__, torch.__version__, sys.version)
taken = inspect.signature(KTOConfig).parameters
given = {"max_length": 64, "max_prompt_length": 32, "desirable_weight": 1.0}
given = {name: value for name, value in given.items() if name in taken}


@contextlib.contextmanager
def timed(what):
    print("begin", what)
    yield
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def load():
    quantised = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 8
    kind = torch.bfloat16 if quantised else torch.float32
    return AutoModelForCausalLM.from_pretrained("model", torch_dtype=kind)


with timed("load"):
    model, reference = load(), load()
    reference.eval().requires_grad_(False)
    tok = AutoTokenizer.from_pretrained("model", use_fast=True)
rows = load_dataset("json", data_files="labels.jsonl", split="train")
good = rows.filter(lambda row: row["label"])
print(f"{len(good)} of {len(rows)} rows are good")
assert 0 < len(good) < len(rows)
args = KTOConfig(
    "out", use_cpu=True, bf16=False, max_steps=3, report_to="none", learning_rate=1e-4,
    per_device_train_batch_size=4, save_strategy="no", gradient_checkpointing=False, **given
)
with timed("train"):
    trainer = KTOTrainer(
        model, reference, args=args, train_dataset=rows, processing_class=tok
    )
    trainer.train()
names = {name for name, weight in model.named_parameters() if weight.requires_grad}
assert names
model.save_pretrained("out/model", max_shard_size="50MB")
tok.save_pretrained("out/model")
