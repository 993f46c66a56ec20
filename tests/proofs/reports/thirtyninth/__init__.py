"""Threads of a thirty-ninth list, drawn as reports come: eleven that die, thirteen silent.

A thread is left out if it is rebuilt itself (its address stands in a list), or is the third of one
cause here. Of each answer the first was taken, in its order, that is about a training with TRL and
whose cause is the user's: script, data, configuration, model folder, launch or versions, that can
happen on a CPU. Threads of other trackers than TRL's went before those of TRL's.

The draw was fixed before an answer was seen: 44 phrases. To a search over issues: 1. fine-tuned
model repeats the same sentence forever after SFTTrainer. 2. SFTTrainer ValueError unable to create
tensor padding truncation. 3. open-r1 GRPO accuracy reward always zero. 4. open-r1 SFT training
error in recipe config. 5. alignment-handbook DPO training error. 6. alignment-handbook SFT chat
template problem. 7. trl DPO rewards accuracies stay at 0.5, model does not change. 8. DPO training
with LoRA adapter loads base model, reference model wrong. 9. KTO training kl zero or loss does not
change. 10. ORPO training error chosen rejected columns. 11. PPO training negative KL divergence
reward collapse. 12. PPOTrainer generate query tensors error. 13. reward model training
RewardTrainer shape or collator error. 14. reward model score same for every answer after training.
15. GRPO use_vllm server connection or weights not updated. 16. GRPO reward std is zero, no
gradient, loss 0.0. 17. custom reward function kwargs None or wrong length GRPO. 18. multi-turn tool
calling environment GRPO training error. 19. SFTTrainer QLoRA 4bit loss nan or gradient error. 20.
LoRA merge and unload after SFTTrainer gives garbage output. 21. modules_to_save embed_tokens
lm_head resize vocabulary SFTTrainer adapter load size mismatch. 22. peft get_peft_model SFTTrainer
no trainable parameters does not require grad. 23. gradient checkpointing element 0 of tensors does
not require grad trl. 24. trl trainer dataset KeyError remove_unused_columns. 25. SFTTrainer
formatting_func returns wrong type. 26. DataCollatorForCompletionOnlyLM could not find response key.
27. SFTTrainer compute_metrics evaluation predictions shape. 28. SFTTrainer early stopping
load_best_model_at_end metric missing. 29. save_pretrained after trl training model cannot be
loaded. 30. accelerate launch deepspeed zero3 trl training script fails at start. 31. Slurm srun
multi node trl training wrong world size. 32. streaming iterable dataset SFTTrainer max_steps. 33.
vision language model SFT trl collator image tokens mismatch. 34. training with trl after upgrade
TypeError unexpected keyword argument tokenizer. 42. learning rate, warmup or epochs ignored in trl
training. 43. trl online DPO or nash or xpo judge training error. 44. GRPO max_completion_length
clipped ratio 1.0 completions never finish. To one over pages: 35. SFTTrainer fine-tuned model does
not stop generating. 36. SFTTrainer loss is zero or does not decrease. 37. DPOTrainer error while
training. 38. PPOTrainer error stackoverflow. 39. SFTTrainer error stackoverflow. 40. GRPOTrainer
reward not increasing. 41. fine-tuned LoRA model gives same output as base model SFTTrainer.

They gave few, so 28 more were fixed: axolotl ORPO or KTO; unsloth GRPO reward KeyError, SFTTrainer
IndexError, DPO ref_model, train_on_responses_only, resume, evaluation; transformers SFTTrainer
gradient accumulation; peft SFTTrainer resume, DPOTrainer modules_to_save; accelerate launch config;
datasets map tokenization; vLLM chat template; smol-course; cookbook; LlamaFactory PPO; ms-swift ORM
zero; open-r1 format reward zero; prompt column list object; KTOTrainer labels; RewardTrainer
accuracy 0.5; RLOOTrainer reward_funcs; GRPO LoRA kl zero; tool calling tools column;
assistant_only_loss; packing contamination; GKDTrainer vocab mismatch; completion_only_loss. And
eight: two over pages of the forum, PPOTrainer value_model, reward model pad_token_id, DPO chosen
rejected swapped, RLOO tokenizer mismatch (not put), accelerate yaml argument unknown, KTO label
boolean. Twelve questions asked for the cause of a thread that had been found: unsloth#11321,
text_classification_scripts#14 and open-r1#628 came with these.

What is weak: over fifty of the threads that the answers named stand in a list already. No KTO,
RLOO, vLLM or VLM; the phrases for these were answered with other programs, with a GPU, or with the
library's bugs. The causes of LlamaFactory#3224 (a line of its shell command lacks its backslash),
open-r1#362 (two words of a command are one string) and trl#3577 (a language model in place of a
classifier) are to be seen in what the thread shows, nobody says them. The threads were read as
excerpts.

Rebuilt otherwise: programs' threads are scripts that do what the program does with TRL's trainer.
LlamaFactory#3224 has ZeRO 0 and no GPU. unsloth#11321 dies here: TRL drops the rows. In
reward-bench#115 and unsloth#978 what is trained fails when the same script loads it. open-r1#545
has 128 positions in place of 4096, R1-V#124 no images, DistillKit#7 means of hidden states.

Left out: no cause: DeepSeek-R1#505, trl#1449, #2371, #3452, #3857, #3903, #4535, ms-swift#3926,
#4512, #4570, #4950, #6830, unsloth#1275, #1787, #1942, #3070, #3657, llms_tuning#1, X-R1#73; the
library's: open-r1#520, peft#2415, trl#3926, #4029, #4037, #2604, #6259, #7031, llm-finetuning#1;
a GPU or several processes: trl#3587, #3467, #618, peft#1923, LlamaFactory#8184; an API that no
environment has: LlamaFactory#664 and other PPO of 2023, trl#1017, #793, dive-into-llms#37; another
program's trainer: trlx#549, VLM2Vec#107, cookbook#442, setfit#137, IDEFICS#3, Qwen-VL#181; no
failure: alignment-handbook#204, open-r1#239, #581, axolotl#1068, trl#4543, verifiers#120; an error
of that program alone: unsloth#603, Reason4Rec#1, ms-swift#4535, LlamaFactory#6581; a peft that no
environment of that release has: trl#3089, Qwen3-Coder#384; tutorials: most pages.
"""

from dataclasses import replace

from reports.thirtyninth import (
    columns,
    labels,
    launches,
    lengths,
    models,
    prompts,
    rewards,
    saved,
)

REPORTS = tuple(
    replace(report, level="", group="thirtyninth")
    for report in (
        *rewards.REPORTS,
        *prompts.REPORTS,
        *labels.REPORTS,
        *lengths.REPORTS,
        *columns.REPORTS,
        *models.REPORTS,
        *saved.REPORTS,
        *launches.REPORTS,
    )
)
