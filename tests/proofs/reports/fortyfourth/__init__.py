"""Threads of a forty-fourth list, drawn as reports come: sixteen that die, four silent.

A thread is left out if it is rebuilt itself (its address stands in a list), or is the third of one
cause here. Of each answer each was taken that is about a training with TRL from 2024 on and whose
cause is the user's: script, data, configuration, model folder, launch or versions, that can happen
on a CPU. Causes of other lists are kept. A commit that mends a training script is a thread, too.

The draw: 62 phrases were fixed before an answer was seen; 53 of them were put, in 52 searches. To a
search over issues: 1. my finetuned adapter answers exactly like the base model in inference, LoRA
peft_config forgotten. 2. GRPO rewards all the same across group, std 0, frac_reward_zero_std 1. 3.
training loss printed only once or never, progress bar finishes within seconds. 4. Trainer got an
unexpected keyword argument max_seq_length, notebook colab. 5. 'SFTConfig' object has no attribute,
trl update broke script. 6. GRPO with Qwen thinking mode, think tag already in the prompt. 7.
KTOTrainer dataset columns prompt completion label missing. 8. RLOO trainer migration old API
rloo_k. 9. PPOTrainer no attribute generate after upgrading trl. 10. reward model training loss 0.69
margins zero, chosen rejected truncated same. 11. RewardTrainer num_labels AutoModelForCausalLM
logits shape. 12. online DPO judge returns ties never learns. 13. finetune.py eval_dataset missing
but eval_strategy steps. 14. open-r1 sft config yaml messages column KeyError system_prompt. 15.
llama-factory rlhf trl version conflict import error. 16. axolotl grpo reward function module not
found or signature. 17. axolotl kto dataset user_defined missing field label. 18. unsloth GRPO
dr_grpo loss_type or epsilon unknown in GRPOConfig. 19. unsloth save merged model gibberish after
SFT wrong chat template at inference. 20. multi-GPU DPO every rank loads model device_map auto. 21.
slurm job resumed after preemption starts over. 22. slurm job offline compute node load_dataset
fails. 23. wandb report_to none asks for login and hangs. 24. endless repetition after fine-tuning
no eos in labels. 25. loss masked wrongly, response template tokenized differently in context. 26.
system prompt is missing in training samples. 27. wrong column mapping instruction output. 28. GRPO
reward regex DOTALL multi-line answer never matched. 29. reward compares string with number. 30.
completions[0]['content'] string indices must be integers. 31. reward function positional arguments
prompts completions. 32. async reward or API call returns None. 33. GRPO steps_per_generation
generation_batch_size divisible. 35. GRPO beta 0 kl not logged. 37. DPO messages chosen rejected
implicit prompt extraction wrong. 38. DPO labels swapped margins go down. 39. DPO learning rate 1e-4
collapse rejected logps. 40. ORPO CPO removed from trl experimental. 42. tokenizer does not have a
padding token. 43. added pad token embedding not resized index out of range. 46. and 47. cosine
learning rate never decays, or warmup longer than the training. 48. save steps eval steps mismatch
load_best_model_at_end. 49. compute_metrics preds tuple logits. 50. use_liger_kernel not installed.
51. Gemma 3 processor text only pad_token. 52. vision SFT content list of dicts images KeyError. 53.
deepspeed zero2 optimizer scheduler mismatch. 55. max_length smaller than prompt, loss nan. To one
over pages: 56. SFTTrainer mistake I made, model learned nothing. 58. SFTTrainer TypeError
stackoverflow. To one over documentation, for the forum: 61. SFTTrainer dataset formatting error.
62. GRPOTrainer reward function argument error. Not put: 34, 36, 41, 44, 45, 54, 57, 59, 60
(temperature 0; one step an epoch; padding side; special tokens; use_cache; fsdp; three for pages).

They gave ten, so 22 more were put, in four rounds: an SFT script that trained on wrong data; KTO
with labels inverted; a reward model's pad token; a question that is not in the prompt;
target_modules; commits that mend arguments. Commits on DPO's columns, on the evaluation, on a
reward; a reward for unfinished answers; rows that are empty; an adapter without config.json;
setup_chat_format. ref_model and peft_config; keys of a recipe; vllm not installed; padding in the
loss. Commits on num_generations and on columns; prompts of training and inference; rows in both
splits; a reward of zeros. They gave ten. Three asked to read a thread, and gave none.

What is weak: four fifths die. Over sixty of the threads that the answers named stand in a list
already; of the rest, the commits of users' repositories are new, nine of twenty, and such a commit
shows what was changed, seldom what was seen before. Read as excerpts. ligaments-dev has two here,
and one in another list. No KTO, RLOO, PPO, reward model, engine or Slurm, no model that sees
images.

Rebuilt otherwise: open-r1#340 with the field named in the recipe, as an answer there says;
open-r1#307 is a proposal for that data set. ms-swift#4589 is TRL's trainer in one process, which
asks before ms-swift's sampler would divide by zero. trl#4130 wishes for what newer releases can.
trl#1465 is the answer about the adapter; the older releases would take an instruct model, this one
takes a base model alone. trl#1414 wishes for a check, and tells what it is for. OLMo#622 is the
other way round, OLMo's names on a Llama. FineTuningLLMs#5 was left out of the eleventh list as a
cause that it had. tobil's commit leaves another argument that TRL does not know, it is right here.
papebaba's, albertlieadrian's and sunkencity's jobs run on few rows, YUGOROU's without Unsloth: what
its adapter in an adapter did there is not told, here the trainer dies of it. Erpg12's and
mcp-tools' are programs that others copy.

Left out: no cause in what was read: trl#4110, #1457, #1665, #5138, unsloth#172, #2585, #3121,
#3657, fms-hf-tuning#103, LlamaFactory#6448, peft#2211, luiscosio's and epinfomax's commits; no
failure or a question: trl#1597, #1819, #2644, #4277, SimPO#26, unsloth#2690, reward-composer#1,
Transformers-Tutorials#456, a commit of nroggendorff; the library's: trl#1675, #2135, #3889, #4147,
#4189, #4497, #5066, #5807, #6309, transformers#38217, open-r1#366, Liger-Kernel#568,
unsloth#3920; Unsloth's or axolotl's alone: unsloth#1327, axolotl#1417; several GPUs or a GPU:
transformers#29620, trl#1399, #1645, #5608, OpenFedLLM#51, LlamaFactory#2735, ModelForge#63; a
release that no environment has (or has with these): transformers#31280, trl#1642, #1861,
fms-hf-tuning#213, LlamaFactory#10757, opensloth#3, unsloth#2056, #2170, thebridgehostel.com.br; not
TRL's trainer, or not told: transformers#28393, #29348, #30513, AReno#79, OpenJarvis#521,
liquid-finetune#32; the third of a cause here: two more commits of ligaments-dev and stmasson, those
of kintopp, burtenshaw, gonzalolinares, md896 and agentDebugger.
"""

from dataclasses import replace

from reports.fortyfourth import (
    adapters,
    batches,
    columns,
    contests,
    models,
    names,
    rewards,
    texts,
)

REPORTS = tuple(
    replace(report, level="", group="fortyfourth")
    for report in (
        *names.REPORTS,
        *columns.REPORTS,
        *contests.REPORTS,
        *texts.REPORTS,
        *rewards.REPORTS,
        *models.REPORTS,
        *adapters.REPORTS,
        *batches.REPORTS,
    )
)
