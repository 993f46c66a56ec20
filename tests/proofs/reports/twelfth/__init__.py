"""Threads that searches drawn by a seed found: supervised training.

The words of the modules twelfth* were drawn before the first result: a trainer (GRPO, SFT, DPO,
KTO, RLOO, reward model, PPO, OnlineDPO, ORPO) with a symptom (error, crash, KeyError, ValueError,
TypeError, loss nan, loss zero, reward zero, not learning, hangs, stuck, wrong output, does not
stop, out of range, mismatch, shape, resume, checkpoint, save, evaluation, dataset, tokenizer, chat
template, padding, LoRA, vLLM, deepspeed, accelerate launch, config yaml, notebook), 40 of their
pairs by random.Random("twelfth").sample(pairs, 40): KTO loss zero; SFT dataset; GRPO TypeError;
RLOO LoRA; reward model ValueError; PPO accelerate launch; OnlineDPO dataset; SFT does not stop;
ORPO padding; ORPO resume; GRPO does not stop; OnlineDPO error; PPO resume; SFT chat template;
reward model evaluation; KTO dataset; ORPO does not stop; RLOO deepspeed; KTO evaluation; KTO
ValueError; GRPO vLLM; GRPO hangs; SFT vLLM; OnlineDPO loss nan; SFT tokenizer; reward model does
not stop; OnlineDPO resume; SFT save; RLOO crash; DPO checkpoint; OnlineDPO notebook; DPO deepspeed;
ORPO out of range; GRPO wrong output; PPO padding; SFT accelerate launch; OnlineDPO stuck; KTO loss
nan; RLOO mismatch; ORPO crash. And 40 of the others by the same generator, once these were
searched, of which the first 15 were looked for: KTO does not stop; PPO out of range; PPO dataset;
ORPO notebook; SFT shape; RLOO evaluation; OnlineDPO reward zero; SFT loss zero; KTO hangs; SFT
evaluation; RLOO notebook; GRPO stuck; PPO save; reward model config yaml; SFT hangs.

Taken is the first thread of each answer that no module has, that fails in an environment here, and
that files, libraries or a tiny run can show. As bare words most of the pairs gave other programs'
trainers, so 22 of the first 40 and all 15 of the second were asked as a sentence ("I am training
with ... and have a problem: ..."); that was decided after those answers. 79 searches of issues, 2
of pages, which gave TRL's manual alone, and 7 for more of what a thread says. It is a thread each
of 14 pairs. Nearly all others gave threads that are here or in docs/accuracy-history.md already, or
no TRL.
Left out besides: no known cause or no failure: trl#226, #503, #519, #785, #940, #1785, #2194,
#2490, #2696, #2758, #2778, #2927, #3097, #3369, #3739, #4023, #5041, #5785, smol2operator#2,
DistillKit#9, MedicalGPT#252; a GPU, several processes or a kernel of Jupyter: trl#677, #1164,
#1342, #1396, #2100, #2410, #2532, #2961, #2977, #3098, #3671, accelerate#2618, #3230, open-r1#331,
#478; the hub: trl#3301; a model that can answer: trl#5697; a pair or a release that no environment
has: trl#439, #828, #886, #1443, #1663, #3532, rl-swarm#304, Qwen-VL-Series-Finetune#197; functions
of unsloth, of LlamaFactory and of ms-swift: some 30 threads; wishes: trl#2387, #2404, #2820, #3018,
#5389.

Two fail in other words today: trl#917 (an error of the schema then) and trl#1007 (an index then).
MedicalGPT#475 asks whether the missing side of padding does harm; its run shows that prompts end in
padding where the answer is to begin.
"""

import json
from dataclasses import replace

from reports.report import CHATS, Report, changed
from reports.twelfth import groups, orpo, recipes, rewards

DISTILL = """\
# train_gkd.py of the project: a small model learns from a larger one
import sys

from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer, ModelConfig, SFTScriptArguments, TrlParser

GIVEN = (
    "--model_name_or_path model --dataset_name alpaca_demo.jsonl --learning_rate 2e-5 "
    "--per_device_train_batch_size 2 --output_dir gkd-model2 --logging_steps 1 --max_steps 1 "
    "--lmbda 1 --beta 0.5 --max_new_tokens 8 --save_strategy no --report_to none --use_cpu true"
)

if __name__ == "__main__":
    parser = TrlParser((SFTScriptArguments, GKDConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_into_dataclasses(
        sys.argv[1:] or GIVEN.split()
    )
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path, padding_side="left")
    trainer = GKDTrainer(
        model=AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path),
        teacher_model=AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model")),
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
        processing_class=tokenizer,
    )
    trainer.train()
"""
COURSE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

device = "cpu"
model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name).to(device)
tokenizer = AutoTokenizer.from_pretrained(model_name)

finetune_name = "SmolLM2-FT-MyDataset"
ds = load_dataset("json", data_files={"train": "smoltalk.jsonl", "test": "smoltalk.jsonl"})

sft_config = SFTConfig(
    output_dir="./sft_output",
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=5e-5,
    logging_steps=1,
    save_strategy="no",
    eval_strategy="steps",
    eval_steps=2,
    use_cpu=True,
    bf16=False,
    report_to="none",
)
trainer = SFTTrainer(
    model=model,
    args=sft_config,
    train_dataset=ds["train"],
    tokenizer=tokenizer,
    eval_dataset=ds["test"],
)
trainer.train()
trainer.save_model(f"./{finetune_name}")
"""
LOCAL = """\
import os

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

here = os.path.dirname(os.path.abspath(__file__))
dataset = load_dataset("json", data_files=os.path.join(here, "data", "alpaca.json"))

model = AutoModelForCausalLM.from_pretrained(os.path.join(here, "model"))
tokenizer = AutoTokenizer.from_pretrained(os.path.join(here, "model"))


def one_text(row):
    return {"text": f"### Instruction: {row['instruction']}\\n### Response: {row['output']}"}


trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset["train"].map(one_text, remove_columns=["instruction", "output"]),
    args=SFTConfig(
        output_dir=os.path.join(here, "mistral-out"),
        per_device_train_batch_size=2,
        max_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
ALPACA = json.dumps(
    [
        {"instruction": "Name a prime.", "output": "Seven."},
        {"instruction": "Say a colour.", "output": "Blue."},
        {"instruction": "Count to three.", "output": "One, two, three."},
    ]
)
THREADS = (
    Report(
        "mst272/LLM-Dojo#28",
        "grpo-first",
        "cannot import name 'SFTScriptArguments'",
        "SFTScriptArguments",
        {"train.py": DISTILL, "alpaca_demo.jsonl": CHATS},
        changed(DISTILL, ("SFTScriptArguments", "ScriptArguments")),
    ),
    Report(
        "huggingface/smol-course#214",
        "four",
        "unexpected keyword argument 'tokenizer'",
        "tokenizer|processing_class",
        {"train.py": COURSE, "smoltalk.jsonl": CHATS},
        changed(COURSE, ("tokenizer=tokenizer", "processing_class=tokenizer")),
    ),
    Report(
        "huggingface/trl#917",
        "current",
        "corresponds to no data",
        "alpaca\\.json|no rows|no data|empty",
        {"train.py": LOCAL, "data/alpaca.json": "[]\n"},
        {"data/alpaca.json": ALPACA},
        level="",
    ),
)
REPORTS = tuple(
    replace(report, group="twelfth")
    for report in (*THREADS, *groups.REPORTS, *orpo.REPORTS, *recipes.REPORTS, *rewards.REPORTS)
)
