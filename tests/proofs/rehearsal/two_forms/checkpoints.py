"""What the script's own code does when a checkpoint is saved, which a job does hours later."""

from __future__ import annotations

from two_forms.script import TwoForms

ROWS = """\
rows = Dataset.from_list([
    {"messages": [{"role": "user", "content": f"What is {n}?"},
                  {"role": "assistant", "content": f"{n} is a number."}]} for n in range(24)])
usual = {"output_dir": "out", "max_steps": 4, "per_device_train_batch_size": 2, "use_cpu": True,
         "report_to": "none", "bf16": False, "save_steps": 2}
"""
CALLBACK = f"""\
import os

from datasets import Dataset
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer


class Exports(TrainerCallback):
    def on_save(self, args, state, control, model=None, **more):
        folder = os.path.join(args.output_dir, f"checkpoint-{{state.global_step}}")
        assert "optimizer.pt" in os.listdir(folder)
        assert "eval_loss" in state.log_history[-1]
        tokenizer = more["tokenizer"]  #~bad
        tokenizer = more["processing_class"]  #~good
        tokenizer.save_pretrained(f"export/step-{{state.global_step}}")

    def on_train_end(self, args, state, control, **more):
        print("EXPORTED", len(os.listdir("export")))


{ROWS}
args = SFTConfig(eval_strategy="steps", eval_steps=2, **usual)
trainer = SFTTrainer("models/healthy", args=args, train_dataset=rows.select(range(20)),
                     eval_dataset=rows.select(range(20, 24)), callbacks=[Exports()])
trainer.train()
"""
OWN_TRAINER = f"""\
import json

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer


class Noted(GRPOTrainer):
    def _save_checkpoint(self, model, trial, metrics=None):
        super()._save_checkpoint(model, trial)
        notes = {{"seen": self.notes.keys()}}  #~bad
        notes = {{"seen": list(self.notes)}}  #~good
        with open(f"{{self.args.output_dir}}/notes.json", "w") as file:
            json.dump(notes, file)
        print("NOTED")


def short(completions, **columns):
    return [-float(len(str(completion))) for completion in completions]


{ROWS}
rows = rows.map(lambda row: {{"prompt": row["messages"][:1]}}, remove_columns=["messages"])
trainer = Noted("models/healthy", args=GRPOConfig(
    num_generations=2, max_completion_length=8, **usual), reward_funcs=short, train_dataset=rows)
trainer.notes = {{"short": 1}}
trainer.train()
"""
PPO = """\
from pathlib import Path

from datasets import Dataset
from transformers import (AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer,
                          TrainerCallback)
from trl.experimental.ppo import PPOConfig, PPOTrainer


class Links(TrainerCallback):
    def on_save(self, args, state, control, **more):
        folder = Path(args.output_dir) / f"checkpoint-{state.episode}"  #~bad
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"  #~good
        print("SAVED", len(list((folder / "model.safetensors").open("rb"))) > 0)


tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
questions = [f"<|im_start|>user\\nWhat is {n}?<|im_end|>\\n<|im_start|>assistant\\n"
             for n in range(16)]
rows = Dataset.from_list([{"input_ids": tokenizer(text)["input_ids"]} for text in questions])
model = AutoModelForCausalLM.from_pretrained("models/healthy")
reference = AutoModelForCausalLM.from_pretrained("models/healthy")
reward = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
value = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
args = PPOConfig(output_dir="out", total_episodes=8, save_steps=1, report_to="none", use_cpu=True,
                 bf16=False, per_device_train_batch_size=2, num_mini_batches=1,
                 gradient_accumulation_steps=1, response_length=8, stop_token="eos",
                 missing_eos_penalty=1.0, num_sample_generations=0)
PPOTrainer(args=args, processing_class=tokenizer, model=model, ref_model=reference,
           reward_model=reward, value_model=value, train_dataset=rows, eval_dataset=rows,
           callbacks=[Links()]).train()
"""

SAVES = f"""\
from datasets import Dataset
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer

{ROWS}

class Save(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        control.should_save = state.global_step % 2 == 0  #~good
        return control


usual.update(save_steps=500, max_steps=8, eval_strategy="steps", eval_steps=2,
             load_best_model_at_end=True)
trainer = SFTTrainer(model="models/healthy", args=SFTConfig(**usual), train_dataset=rows,
                     eval_dataset=rows.select(range(4)), callbacks=[Save()])
trainer.train()
trainer.save_model("best")
import os
print("CHECKPOINTS", len([name for name in os.listdir("out") if name.startswith("checkpoint")]))
"""

LAST = f"""\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

{ROWS}
usual.update(max_steps=-1, num_train_epochs=1, eval_strategy="steps", load_best_model_at_end=True)
usual.update(eval_steps=7, save_steps=7)  #~bad
usual.update(eval_steps=4, save_steps=4)  #~good
trainer = SFTTrainer(model="models/healthy", args=SFTConfig(learning_rate=1e-3, **usual),
                     train_dataset=rows, eval_dataset=rows.select(range(4)))
trainer.train()
trainer.save_model("best")
print("KEPT", trainer.state.best_model_checkpoint.rpartition("-")[2], "OF", trainer.state.max_steps)
"""

THAWED = f"""\
from datasets import Dataset
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

{ROWS}

def stage(path, thawed, steps):
    model = AutoModelForCausalLM.from_pretrained(path)
    for name, weights in model.named_parameters():
        weights.requires_grad_(thawed or ".layers.1." in name)
    usual.update(max_steps=steps, gradient_checkpointing=False)
    return SFTTrainer(model, args=SFTConfig(**usual), train_dataset=rows)


stage("models/healthy", False, 2).train()
stage("models/healthy", True, 4).train(resume_from_checkpoint="out/checkpoint-2")  #~bad
stage("out/checkpoint-2", True, 2).train()  #~good
print("THAWED")
"""

SCRIPTS = (
    TwoForms("a checkpoint of fewer weights", "current", "resume-weights-differ", THAWED,
             "doesn't match the size of optimizer's group", "THAWED",
             says="the checkpoint has the optimizer of"),
    TwoForms("the best of the first steps", "grpo-shapes", "checkpoint-best-leaves-last-steps",
             LAST, "KEPT 7 OF 12", "KEPT 12 OF 12", "warning",
             says="the last evaluation is after 7 of 12 steps"),
    TwoForms("the best of no checkpoints", "current", "checkpoint-best-never-saved", SAVES,
             "CHECKPOINTS 1", "CHECKPOINTS 4", "warning",
             says="the first checkpoint is due after 500 steps"),
    TwoForms("a callback at a checkpoint", "current", "script-fails", CALLBACK,
             "KeyError: 'tokenizer'", "EXPORTED 2", says="KeyError: 'tokenizer'"),
    TwoForms("a trainer that saves more", "grpo-first", "script-fails", OWN_TRAINER,
             "dict_keys is not JSON serializable", "NOTED", says="not JSON serializable"),
    TwoForms("a callback at a checkpoint of PPO", "ppo-last", "script-fails", PPO,
             "FileNotFoundError", "SAVED True", says="FileNotFoundError"),
)  # fmt: skip
