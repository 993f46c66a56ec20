"""Models, optimizers and checkpoints of SFT, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms
from two_forms.sft import sft

OPTIMIZER_TOO_EARLY = """\
import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
lora = LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
model = get_peft_model(model, lora)  #~good
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = get_cosine_schedule_with_warmup(optimizer, 2, 6)
talk = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, two."}]
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=6, per_device_train_batch_size=2, use_cpu=True,
                   bf16=False, report_to="none"),
    train_dataset=Dataset.from_dict({"messages": [talk] * 12}),
    processing_class=tokenizer,
    peft_config=lora,  #~bad
    optimizers=(optimizer, schedule),
)
trainer.train()
moved = sum(float(weights.detach().abs().sum())
            for name, weights in trainer.model.named_parameters() if "lora_B" in name)
print("MOVED", moved > 0)
"""
SCHEDULE_TOO_SHORT = (
    ("max_steps=2", "num_train_epochs=3"),
    ("BEFORE", "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)\n"
               "steps = len(rows) // 4  #~bad\n"
               "steps = 3 * len(rows) // 4  #~good\n"
               "schedule = get_linear_schedule_with_warmup(optimizer, 2, steps)"),
    ("MORE", "optimizers=(optimizer, schedule),"),
    ("SHOW", "trainer.train()\n"
             "logs = [log for log in trainer.state.log_history if 'loss' in log]\n"
             "rates = [log['learning_rate'] for log in logs]\n"
             "print('IDLE', sum(rate == 0 for rate in rates) > 2)"),
)  # fmt: skip
TOKENIZER_NOT_SAVED = (
    ("BEFORE", "tokenizer.add_tokens(['<think>'])"),
    ("MORE", ""),
    ("SHOW", "import os\n"
             "trainer.train()\n"
             "trainer.model.save_pretrained('final')\n"
             "tokenizer.save_pretrained('final')  #~good\n"
             "print('TOKENS', 'tokenizer.json' in os.listdir('final'))"),
)  # fmt: skip
MERGE_THROWN_AWAY = (
    ("BEFORE", "from peft import LoraConfig"),
    ("MORE", "peft_config=LoraConfig(r=4, task_type='CAUSAL_LM'),"),
    ("SHOW", "import os\n"
             "trainer.train()\n"
             "merged = trainer.model\n"
             "merged.merge_and_unload()  #~bad\n"
             "merged = merged.merge_and_unload()  #~good\n"
             "merged.save_pretrained('merged')\n"
             "print('WHOLE', 'config.json' in os.listdir('merged'))"),
)  # fmt: skip
ALL_FROZEN = (
    ("BEFORE", "for name, weights in model.named_parameters():\n"
               "    weights.requires_grad = False  #~bad\n"
               "    weights.requires_grad = 'layers.1.' not in name  #~good"),
    ("    MORE\n", ""),
    ("SHOW", "layer = model.model.layers[0].mlp.up_proj.weight\n"
             "before = layer.detach().clone()\n"
             "trainer.train()\n"
             "print('MOVED', not bool((layer == before).all()))"),
)  # fmt: skip
WEIGHTS_NOT_FROZEN = (
    ("BEFORE", "for name, weights in model.named_parameters():\n"
               "    if name.startswith('transformer.wte'):  #~bad\n"
               "    if name.startswith('model.embed'):  #~good\n"
               "        weights.requires_grad = False"),
    ("    MORE\n", ""),
    ("SHOW", "layer = model.model.embed_tokens.weight\n"
             "before = layer.detach().clone()\n"
             "trainer.train()\n"
             "print('STAYED', bool((layer == before).all()))"),
)  # fmt: skip
COMPARE_WEIGHTS = (
    "from safetensors.torch import load_file\n"
    "trained = dict(trainer.model.named_parameters())['model.layers.0.mlp.up_proj.weight']\n"
    "saved = load_file('final/model.safetensors')['model.layers.0.mlp.up_proj.weight']\n"
    "print('TRAINED', bool((saved == trained).all()))"
)
ANOTHER_MODEL_SAVED = (
    ("    model=model,\n", "    model='models/healthy',  #~bad\n    model=model,  #~good\n"),
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", f"trainer.train()\nmodel.save_pretrained('final')\n{COMPARE_WEIGHTS}"),
)
WRAPPED_MODEL_SAVED = (
    ("BEFORE", "from peft import LoraConfig"),
    ("MORE", "peft_config=LoraConfig(r=4, task_type='CAUSAL_LM'),"),
    ("SHOW", "trainer.train()\n"
             "model.save_pretrained('final')  #~bad\n"
             "trainer.model.merge_and_unload().save_pretrained('final')  #~good\n"
             "from safetensors.torch import load_file\n"
             "names = load_file('final/model.safetensors')\n"
             "print('LOADS', 'model.layers.0.self_attn.q_proj.weight' in names)"),
)  # fmt: skip
SECOND_TRAINING = (
    ("BEFORE", ""),
    ("MORE", ""),
    ("SHOW", "before = trainer.evaluate(trainer.train_dataset)['eval_loss']\n"
             "trainer.train()\n"
             "model = AutoModelForCausalLM.from_pretrained(  #~good\n"
             "    'models/healthy', torch_dtype=torch.float32)  #~good\n"
             "second = SFTTrainer(model=model, args=SFTConfig('b', learning_rate=1e-2,\n"
             "    max_steps=2, use_cpu=True, bf16=False, report_to='none'),\n"
             "    train_dataset=rows, processing_class=tokenizer)\n"
             "now = second.evaluate(second.train_dataset)['eval_loss']\n"
             "print('SAME', abs(before - now) < 1e-4)\n"
             "second.train()"),
)  # fmt: skip
ANSWERS_AFTER_PADDING = (
    ("BEFORE", ""),
    ("MORE", ""),
    ("SHOW", "trainer.train()\n"
             "tokenizer.padding_side = 'right'  #~bad\n"
             "tokenizer.padding_side = 'left'  #~good\n"
             "batch = tokenizer(['What is it?', 'What, please, is three and three?'],\n"
             "                  return_tensors='pt', padding=True)\n"
             "trainer.model.eval()\n"
             "answers = trainer.model.generate(**batch, max_new_tokens=4, do_sample=False)\n"
             "print('AFTER PADDING', bool((batch['attention_mask'][:, -1] == 0).any()))"),
)  # fmt: skip

OPTIMIZER_OF_ANOTHER_MODEL = (
    ("BEFORE", "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n"
               "model = AutoModelForCausalLM.from_pretrained('models/healthy',  #~bad\n"
               "                                             torch_dtype=torch.float32)  #~bad\n"
               "first = model.lm_head.weight.detach().clone()"),
    ("MORE", "optimizers=(optimizer, None)"),
    ("SHOW", "trainer.train()\nprint('MOVED', not first.equal(model.lm_head.weight))"),
)  # fmt: skip
FROZEN_EMBEDDING = (
    ("BEFORE", "model.get_input_embeddings().requires_grad_(False)\n"
               "model.enable_input_require_grads()  #~good\n"
               "weight = model.model.layers[0].self_attn.q_proj.weight\n"
               "first = weight.detach().clone()"),
    ("MORE", ""),
    ("SHOW", "trainer.train()\nprint('MOVED', not first.equal(weight))"),
)  # fmt: skip
TIED_WEIGHTS = (
    ("BEFORE", "from safetensors.torch import save_file, save_model"),
    ("MORE", ""),
    ("SHOW", "trainer.train()\n"
             "save_file(trainer.model.state_dict(), 'final.safetensors')  #~bad\n"
             "save_model(trainer.model, 'final.safetensors')  #~good\n"
             "print('SAVED')"),
)  # fmt: skip

SCRIPTS = (
    TwoForms("an optimizer of another model", "four", "step-optimizer-lacks-weights",
             sft(OPTIMIZER_OF_ANOTHER_MODEL),
             "MOVED False", "MOVED True", says="holds none of the"),
    TwoForms("an optimizer made before the adapter", "current", "step-optimizer-lacks-weights",
             OPTIMIZER_TOO_EARLY,
             "MOVED False", "MOVED True", says="holds none of the 8 weights"),
    TwoForms("a schedule of one epoch", "grpo-first", "schedule-ends-before-run",
             sft(SCHEDULE_TOO_SHORT),
             "IDLE True", "IDLE False", "warning", "is 0 in the last 16 of 24 steps"),
    TwoForms("a tokenizer is not saved", "four", "tokenizer-never-saved",
             sft(TOKENIZER_NOT_SAVED),
             "TOKENS False", "TOKENS True", "warning"),
    TwoForms("a merged model is thrown away", "current", "adapter-merge-thrown-away",
             sft(MERGE_THROWN_AWAY),
             "WHOLE False", "WHOLE True", "warning"),
    TwoForms("weights are not frozen", "four", "model-freezes-nothing",
             sft(WEIGHTS_NOT_FROZEN),
             "STAYED False", "STAYED True", "warning", "the loop matches no name"),
    TwoForms("all weights are frozen, here without an error", "current", "model-is-frozen",
             sft(ALL_FROZEN),
             "MOVED False", "MOVED True", says="all weights of model are frozen here"),
    TwoForms("all weights are frozen", "four", "model-is-frozen",
             sft(ALL_FROZEN),
             "does not require grad", "MOVED True", says="all weights of model are frozen here"),
    TwoForms("another model is saved", "four", "saved-model-is-untrained",
             sft(ANOTHER_MODEL_SAVED),
             "TRAINED False", "TRAINED True", "warning", "weights from before the training"),
    TwoForms("a wrapped model is saved", "current", "saved-model-is-untrained",
             sft(WRAPPED_MODEL_SAVED),
             "LOADS False", "LOADS True", "warning", "under names of an adapter"),
    TwoForms("two trainings of one model", "current", "training-ignores-earlier-one",
             sft(SECOND_TRAINING),
             "SAME False", "SAME True", "warning", "trains the model that SFTTrainer has trained"),
    TwoForms("a frozen embedding", "four", "step-gradients-missing",
             sft(FROZEN_EMBEDDING),
             "MOVED False", "MOVED True", "warning", "these layers are not trained"),
    TwoForms("tied weights", "four", "saved-weights-are-tied",
             sft(TIED_WEIGHTS),
             "Some tensors share memory", "SAVED", says="gets trainer.model.state_dict()"),
    TwoForms("answers after padding", "four", "generation-after-padding",
             sft(ANSWERS_AFTER_PADDING),
             "AFTER PADDING True", "AFTER PADDING False", "warning", "padded on the right"),
)  # fmt: skip
