"""Threads of TRL's own tracker: pairs in DPO."""

from reports.report import PREFERENCES, Report, changed

TWICE = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

MODEL_ID = "model"
model = AutoModelForCausalLM.from_pretrained(MODEL_ID)
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)


def turn(role, text):
    return [{"role": role, "content": text}]


questions = ["What is 2+2?", "And 3+3?", "Name a colour.", "Say hello."]
good = ["2+2 equals 4.", "6.", "Blue.", "Hello!"]
bad = ["5", "7", "Table.", "No."]
dataset = Dataset.from_dict(
    {
        "prompt": [turn("user", text) for text in questions],
        "chosen": [turn("assistant", text) for text in good],
        "rejected": [turn("assistant", text) for text in bad],
    }
)
trainer = DPOTrainer(
    model=model,
    args=DPOConfig(
        output_dir="dpo-chat",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-6,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
print("the chosen answer:", repr(tokenizer.decode(trainer.train_dataset[0]["chosen_input_ids"])))
"""
RENDERED = """\
dataset = dataset.map(
    lambda row: {
        "prompt": tokenizer.apply_chat_template(
            row["prompt"], tokenize=False, add_generation_prompt=True
        ),
        "chosen": row["chosen"][0]["content"],
        "rejected": row["rejected"][0]["content"],
    }
)
trainer = DPOTrainer("""
ALIASED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

base = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
tok = AutoTokenizer.from_pretrained("model")


def get_models():
    policy = base
    reference = base.eval()
    return policy, reference


policy, reference = get_models()
trainer = DPOTrainer(
    model=policy,
    ref_model=reference,
    args=DPOConfig(
        output_dir="dpo-out",
        beta=0.1,
        per_device_train_batch_size=2,
        learning_rate=5e-6,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tok,
)
trainer.train()
"""
DIVERGENCE = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, FDivergenceType

model = AutoModelForCausalLM.from_pretrained("model")
training_args = DPOConfig(
    output_dir="dpo-js",
    beta=0.1,
    f_divergence_type=FDivergenceType.JS_DIVERGENCE,
    per_device_train_batch_size=2,
    learning_rate=1e-5,
    max_steps=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=model,
    args=training_args,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()

# what does the trainer make of a pair that the policy has learnt?
learnt = [torch.tensor([value]) for value in (-5.0, -30.0, -10.0, -10.0)]
loss = trainer.dpo_loss(*learnt)[0]
reverse_kl = -torch.nn.functional.logsigmoid(torch.tensor([0.1 * 25.0]))
print("it is the loss of the reverse KL:", torch.allclose(loss, reverse_kl))
"""
REPORTS = (
    Report(
        "huggingface/trl#4481",
        "four",
        "<\\|im_end\\|>\\\\n<\\|im_end\\|>",
        "(twice|second|another).{0,60}(eos|im_end)|(eos|im_end).{0,80}(twice|second|again)",
        {"train.py": TWICE},
        changed(TWICE, ("trainer = DPOTrainer(", RENDERED)),
        level="",
    ),
    Report(
        "huggingface/trl#2057",
        "ppo-first",
        "`model` and `ref_model` cannot be the same object",
        "ref_model.*(same|is the object)|same.*ref_model",
        {"train.py": ALIASED, "pairs.jsonl": PREFERENCES},
        changed(
            ALIASED,
            ("import torch", "import copy\n\nimport torch"),
            ("base.eval()", "copy.deepcopy(base).eval()"),
        ),
    ),
    Report(
        "huggingface/trl#4171",
        "grpo-shapes",
        "it is the loss of the reverse KL: True",
        "f_divergence_type|FDivergenceType",
        {"train.py": DIVERGENCE, "pairs.jsonl": PREFERENCES},
        changed(
            DIVERGENCE,
            ("FDivergenceType.JS_DIVERGENCE", '"js_divergence"'),
            (", FDivergenceType", ""),
        ),
    ),
)
