"""Threads that searches drawn by a seed found: supervised training.

The words of the modules thirteenth* were drawn before the first result. The first list: GRPO, SFT,
DPO, KTO, PPO, RewardTrainer and RLOO with KeyError, loss nan, loss zero, shape mismatch, TypeError
unexpected keyword, reward zero, never stops generating, OOM, checkpoint save, resume, evaluation,
tokenizer, chat template, dataset format, LoRA, vLLM, DeepSpeed, accelerate, multi-gpu, streaming,
images, tool calls, gradient checkpointing, padding, truncation, import error, AttributeError and
accuracy stuck at 0.5: random.Random("kestrel").sample(pairs, 60), asked as "training with TRL
<trainer>Trainer, problem: <symptom>"; 49 were asked. It gave little that was new, so a second list
was written: the same trainers, ORPO, OnlineDPO and GKD with adapter not saved, gibberish after
training, labels all -100, eos token not learned, wrong number of steps, reward function arguments,
dataset column, compute_metrics, callback, data collator, custom loss subclass, ref_model, generate
during eval, loss does not decrease, learning rate zero, max_length, special tokens added, resize
embeddings, merge adapter, seed reproducible, logging, iterable dataset, batch size,
num_generations, gradient accumulation, packing, dataloader workers, pickle, formatting_func and
completion only loss: random.Random("kestrel-2").sample(pairs, 110), asked as "huggingface trl
<trainer>Trainer <symptom>", 33 of the first 50, and ten of the others as "I am training with TRL's
<trainer>Trainer and have a problem: <symptom>". Those that were not asked are of trainers for
which the list had given nothing new. 92 searches of issues, five of pages, which gave manuals
alone, and 15 for more of what a thread says.

Taken is the first thread of each answer that no module has, that fails in an environment here, and
that a CPU can show. The pairs: SFT LoRA; PPO import error; RLOO TypeError; RewardTrainer accuracy;
SFT resume; SFT checkpoint save; GRPO loss nan; DPO compute_metrics (trl#3384, by way of
transformers#26886, which is of 2023); ORPO eos token; GRPO ref_model; PPO dataset column; PPO
max_length; GKD data collator; DPO data collator; DPO seed; GRPO num_generations; SFT labels. Nearly
all others gave threads that are here or in docs/accuracy-history.md already, or no TRL. Left out
besides: no known cause, or no failure: trl#1239, #1578, #1597, #1643, #1648, #1810, #2047, #2316,
#2578, #2872, #2960, #3442, #3714, #3750, #3903, #4004, #4086, #4110, #4147, #4277, #4309, #4738,
#5226, #5588, #5608, #6702, open-r1#628, DeepSick-R1#1, X-R1#66, R1-V#192, QeRL#23, CSR#3,
transformers#31734, #42153; a GPU, or an engine: trl#1087, #1189, #1667, #2452, #2878, #2887, #2891,
#3157, #3168, #3569, #4850; a release or a pair that no environment has: trl#1025, #1073, #1216,
#1365, #1473, #1629, #1679, #2025, #2029, #2515, #3257, #4150, #5175, minimind#141, Q-Adapter#3; not
failing when rebuilt: trl#3544, #3567, #3618; another program's trainer: RLHF-Reward-Modeling#6,
axolotl#3269, OpenRLHF#1200, and some 40 of unsloth, LlamaFactory, ms-swift, torchtune and trlx.

Three are rebuilt otherwise than the thread has them: trl#4887 is of runs in two processes and its
rebuilt script of two in one; train-deepseek-r1#4 has only the log, and its cause is in the thread
#2 beside it; HelloAgents#56 shows the class and no run.
"""

from dataclasses import replace

from reports.report import PAIRS, TEXT, Report, changed, rows
from reports.thirteenth import columns, groups, ppo, projects

RESTART = """\
# the job is stopped after two steps and started again with its checkpoint
import os

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import SFTConfig, SFTTrainer


class Steps(TrainerCallback):
    taken = 0

    def on_step_end(self, args, state, control, **kwargs):
        self.taken += 1


def trainer_of(max_steps, resume_from_checkpoint=None, callbacks=None):
    training_arguments = SFTConfig(
        output_dir="outputs",
        max_steps=max_steps,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        save_steps=2,
        logging_steps=1,
        report_to="none",
        use_cpu=True,
        bf16=False,
        resume_from_checkpoint=resume_from_checkpoint,
    )
    return SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        args=training_arguments,
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        callbacks=callbacks,
    )


if not os.path.isdir("outputs/checkpoint-2"):
    trainer_of(2).train()
steps = Steps()
trainer = trainer_of(4, "outputs/checkpoint-2", [steps])
trainer.train()
print("steps after the restart:", steps.taken)
"""
SMOLLM = """\
# train.py of the project: a small model learns to write code
import argparse

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, TrainingArguments, set_seed
from trl import SFTTrainer


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_id", default="model")
    parser.add_argument("--dataset", default="code.jsonl")
    parser.add_argument("--dataset_text_field", default="content")
    parser.add_argument("--max_seq_length", type=int, default=64)
    parser.add_argument("--max_steps", type=int, default=1)
    parser.add_argument("--micro_batch_size", type=int, default=2)
    parser.add_argument("--learning_rate", type=float, default=2e-4)
    parser.add_argument("--output_dir", default="finetune_smollm")
    return parser.parse_args()


def main(args):
    set_seed(0)
    lora_config = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    model = AutoModelForCausalLM.from_pretrained(args.model_id)
    data = load_dataset("json", data_files=args.dataset, split="train")
    trainer = SFTTrainer(
        model=model,
        train_dataset=data,
        max_seq_length=args.max_seq_length,
        args=TrainingArguments(
            per_device_train_batch_size=args.micro_batch_size,
            max_steps=args.max_steps,
            learning_rate=args.learning_rate,
            output_dir=args.output_dir,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
        ),
        peft_config=lora_config,
        dataset_text_field=args.dataset_text_field,
    )
    trainer.train()
    model.save_pretrained(f"{args.output_dir}/final_checkpoint")


if __name__ == "__main__":
    main(get_args())
"""
ENDLESS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token
dataset = load_dataset("json", data_files="guanaco.jsonl", split="train")

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="sft_openassistant-guanaco",
        dataset_text_field="text",
        max_seq_length=128,
        packing=False,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("ends that are learnt:", (labels == tokenizer.eos_token_id).sum().item())
"""
ENDED = """\
dataset = dataset.map(lambda row: {"text": row["text"] + tokenizer.eos_token})
"""
CODE = rows(
    *(
        {"content": f"def {name}(x):\n    return x {sign} 1\n"}
        for name, sign in (("up", "+"), ("down", "-"), ("same", "*"), ("whole", "//"))
    )
)
GUANACO = rows(*({"text": f"### Human: {a}### Assistant: {b}"} for a, b in PAIRS))
THREADS = (
    Report(
        "huggingface/transformers#7198",
        "current",
        "steps after the restart: 4",
        "resume_from_checkpoint",
        {"train.py": RESTART, "texts.jsonl": TEXT},
        changed(
            RESTART,
            (
                "[steps])\ntrainer.train()",
                "[steps])\ntrainer.train(resume_from_checkpoint=trainer.args.resume_from_checkpoint)",
            ),
        ),
        level="files",
    ),
    Report(
        "huggingface/smollm#68",
        "current",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length|dataset_text_field",
        {"train.py": SMOLLM, "code.jsonl": CODE},
        changed(
            SMOLLM,
            ("        max_seq_length=args.max_seq_length,\n", ""),
            ("        dataset_text_field=args.dataset_text_field,\n", ""),
            (
                "TrainingArguments, set_seed\nfrom trl import SFT",
                "set_seed\nfrom trl import SFTConfig, SFT",
            ),
            (
                "args=TrainingArguments(\n",
                "args=SFTConfig(\n            max_length=args.max_seq_length,\n"
                "            dataset_text_field=args.dataset_text_field,\n"
                "            bf16=False,\n",
            ),
        ),
        level="files",
    ),
    Report(
        "huggingface/trl#1623",
        "ppo-first",
        "ends that are learnt: 0",
        "(eos|im_end).{0,90}(loss|train|learn|label|mask|stop)"
        "|(loss|train|learn|label|mask|stop).{0,90}(eos|im_end)",
        {"train.py": ENDLESS, "guanaco.jsonl": GUANACO},
        changed(
            ENDLESS,
            ("tokenizer.pad_token = tokenizer.eos_token\n", ""),
            ('split="train")\n', f'split="train")\n{ENDED}'),
        ),
        level="",
    ),
)
REPORTS = tuple(
    replace(report, group="thirteenth")
    for report in (*THREADS, *columns.REPORTS, *groups.REPORTS, *ppo.REPORTS, *projects.REPORTS)
)
