"""Threads of a thirty-third list: a round that does nothing, and the model afterwards."""

import json

from reports.report import CHATS, TEXT, Report, changed

HYBRID = json.dumps(
    {
        "model_type": "qwen3_5_text",
        "vocab_size": 300,
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 4,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 32,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 2,
        "linear_key_head_dim": 16,
        "linear_value_head_dim": 16,
        "eos_token_id": 298,
        "pad_token_id": 299,
    }
)
ROUNDS = '''\
"""Two rounds of LoRA: first the general notes, then those of the team."""

import shutil
from pathlib import Path

from datasets import load_dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

OUT = Path("rounds")


def trainer_for(file, steps):
    return SFTTrainer(
        model="model",
        train_dataset=load_dataset("json", data_files=file, split="train"),
        peft_config=LoraConfig(r=4, target_modules=["q_proj", "v_proj"]),
        args=SFTConfig(
            output_dir=str(OUT),
            max_steps=steps,
            save_steps=2,
            per_device_train_batch_size=2,
            learning_rate=1e-3,
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
    )


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    first = trainer_for("general.jsonl", steps=4)
    first.train()

    # The second round goes on from the checkpoint of the first.
    second = trainer_for("team.jsonl", steps=4)
    second.train(resume_from_checkpoint=True)
    second.save_model("adapter-of-the-team")
    print("steps on the notes of the team:", second.state.global_step - first.state.global_step)


if __name__ == "__main__":
    main()
'''
AFTER = '''\
"""SFT of a small hybrid chat model, with a look at its answers before and after saving."""

import torch
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

TOKENIZER = "model"
SHAPE = "hybrid"
OUT = "sft-baseline"
QUESTIONS = ["What is a reward model?", "Count to five.", "Write about the sea."]


@torch.no_grad()
def answer(model, tokenizer, question, max_new_tokens=24):
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], tokenize=False, add_generation_prompt=True
    )
    inputs = tokenizer(text, return_tensors="pt")
    output = model.generate(**inputs, max_new_tokens=max_new_tokens, do_sample=False)
    return tokenizer.decode(output[0, inputs["input_ids"].shape[1] :])


def main():
    set_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(TOKENIZER)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(SHAPE)),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
        args=SFTConfig(
            output_dir=OUT,
            max_steps=8,
            learning_rate=3e-3,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()

    model = trainer.model
    fresh = {question: answer(model, tokenizer, question) for question in QUESTIONS}
    trainer.save_model(OUT)
    saved = AutoModelForCausalLM.from_pretrained(OUT, dtype=torch.float32)
    same = [fresh[question] == answer(saved, tokenizer, question) for question in QUESTIONS]
    print("the trained model and the saved one answer alike:", all(same))


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "modelscope/ms-swift#3396",
        "current",
        "steps on the notes of the team: 0",
        r"max_steps|resume|checkpoint|no (more )?steps?|already|nothing (is )?(left|train)",
        {"train.py": ROUNDS, "general.jsonl": TEXT, "team.jsonl": TEXT},
        changed(
            ROUNDS, ('trainer_for("team.jsonl", steps=4)', 'trainer_for("team.jsonl", steps=8)')
        ),
    ),
    Report(
        "jsboige/CoursIA#12720",
        "ppo-last",
        "the trained model and the saved one answer alike: False",
        r"gradient.?checkpointing|use_cache|\bcache\b|eval\(\)|train(ing)? mode"
        r"|generat.{0,120}train",
        {"train.py": AFTER, "chats.jsonl": CHATS, "hybrid/config.json": HYBRID},
        changed(
            AFTER,
            (
                "    model = trainer.model\n",
                "    model = trainer.model\n"
                "    model.gradient_checkpointing_disable()\n"
                "    model.config.use_cache = True\n"
                "    model.eval()\n",
            ),
        ),
    ),
)
