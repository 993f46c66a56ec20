"""Threads of a forty-second list, drawn as reports come: six that die, eighteen silent.

A thread is left out if it is rebuilt itself (its address stands in a list), or is the third of one
cause here. Of each answer each was taken that is about a training with TRL and whose cause is the
user's: script, data, configuration, model folder, launch or versions, that can happen on a CPU. It
ended with the twenty-fourth, before some that are a second of their cause.

The draw: the matter of 56 phrases was fixed before an answer was seen, half of it symptoms without
an error; 42 of them were put. To a search over issues: 1. SFTTrainer fine-tuned model keeps
talking, writes the next user turn itself. 2. SFTTrainer loss starts at 12 unusually high initial
loss. 3. trl training loss drops to 0.0 after a few steps. 4. DPO rewards/accuracies always 1.0 from
the beginning. 5. trl model after training identical to base model outputs unchanged. 6.
assistant_only_loss or completion_only_loss has no effect trl. 7. DataCollatorForCompletionOnlyLM
could not find response key in the instance. 8. mean_token_accuracy high but generations bad SFT
trl. 9. new special tokens embeddings not trained LoRA modules_to_save SFTTrainer. 10.
IterableDataset streaming SFTTrainer max_steps error. 11. DPO loss stays at 0.6931 does not move.
12. element 0 of tensors does not require grad trl LoRA gradient checkpointing. 13. GRPO
completions/clipped_ratio 1.0 mean_length equals maximum, never terminates. 14. GRPO all generations
of a group are identical temperature. 15. accuracy_reward always 0 math_verify parse latex GRPO. 16.
GRPO reward function kwargs missing solution column TypeError. 17. train_on_responses_only all
labels -100 unsloth. 18. unsloth GRPO notebook reward stays zero own dataset. 19. trl grpo yaml
learning_rate string 1e-5 float error config. 20. SFTTrainer validation split overlaps training
rows, eval loss too good. 21. trl training finished but no checkpoint written output_dir empty. 22.
SimPO or CPOTrainer loss_type config wrong training length gamma. 23. precompute_ref_log_probs DPO
reference model adapter margins start non zero. 24. reward model prefers longer answers, long texts
cut, scores equal trl RewardTrainer. 25. mask_truncated_completions all completions masked loss zero
GRPO no learning. 26. accelerate launch each process trains on the same data trl custom sampler
dataloader. 27. Slurm sbatch multi node trl training script fails. 28. Kaggle Colab notebook
ImportError cannot import name from trl. 29. tool calling dataset arguments all tools merged null
keys Arrow schema SFT trl. 30. multi-turn conversations only last assistant reply trained trl prompt
completion. 31. generation prompt appears twice in training text apply_chat_template SFT. 32.
resize_token_embeddings size mismatch loading trained adapter trl. 33. effective batch size total
optimization steps fewer than expected multi GPU SFTTrainer epochs. 34. KTOTrainer
per_device_train_batch_size 1 mismatched pairs KL estimate. 35. padding_free packing without flash
attention cross contamination SFT loss. 36. LLaMA-Factory DPO chosen rejected fields swapped
dataset_info ranking. 37. distilled reasoning model SFT open-r1 stops thinking or eos token mismatch
after training. To one over pages: 38. SFTTrainer fine-tuned model gives the same answer for every
prompt. 39. trl ValueError unable to create tensor padding truncation excessive nesting SFTTrainer.
40. GRPO training mistakes reward design silent failure postmortem TRL. To one over documentation,
for the forum: 41. SFTTrainer LoRA model output unchanged after training. 42. GRPOTrainer reward not
improving custom dataset.

They gave eleven, so 34 more were fixed, in three rounds: hyperparameter in our config silently
ignored; fix of a reward function that returns the same score; DPO's loss nan from the first step;
remove_unused_columns; adapter without effect, lora_B zero; early stopping and the best model; DPO
went wrong (pages); PPO's empty answers; DPO's chosen falls; half precision, no update; DDP and
torchrun; padding in the loss; max_length's default. Exception swallowed by a reward; prompt without
a template; GSM8K's last number; template of training and inference; target_modules; string indices
in a reward; tokenizer and dataset_text_field; think content stripped; save_steps above the steps;
pairs reversed; frozen layers; bf16 on a Mac or a CPU; order of the rows; reward_weights. Pad token
and eos labels; rewards capped alike; config never passed to SFTConfig; think prefilled;
merge_and_unload; generator exhausted; system prompt dropped. These gave nine. Five questions asked
for more of three projects whose threads had come (AgenticArXiv-RL, CoursIA, Soup): Soup#294, #540
and #802 are of them. Thirteen asked to read a thread that had come; X-R1#24 came with that for
open-r1#559.

What is weak: over seventy of the threads that the answers named stand in a list already. Soup has
four threads here, whose author looks for defects, AgenticArXiv-RL two. No KTO, RLOO, PPO, vLLM,
cluster or VLM; the phrases on launches gave nothing. The threads were read as excerpts; what is
wrong in trl#1236 (policy and reference are two models) is what its command shows, nobody says it in
the part that was read. trl#3299 is a change that its author explains, trl#2714 about an example
that users copy. The commit of ligaments-dev has no words: it adds what the script lacks. X-R1#24 is
a reader's doubt about a data set. In Soup#802, #805 and #294, trl#931 and open-r1#349 the line
shows what does not arrive, not what the model then does.

Rebuilt otherwise: programs' threads are scripts that do what the program does with TRL's trainer.
SimPO#35 is TRL's CPOTrainer in a release that does not refuse the lengths. axolotl#2909 makes its
rows in memory, because newer releases read files of JSON without the empty keys. peft#2415 gets its
other size of the vocabulary from setup_chat_format; there something else had extended it. The model
of peft#3554 has random weights and eight layers, its remedy is ours. trl#619 has a blank that joins
the next word in place of the blank before a first one. d1#6 names another family's modules the
other way round. unsloth#1128 masks with its own function. rl-swarm#299 is a machine without a GPU.
trl#1236 has a model of one layer as the small one. The student of ms-swift#9526 is not trained
before, only its end is set.

Left out: no cause: trl#733, #2371, #1473, #1675, #2553, #2578, #3369, #3432, #3910, #4922, #5138,
open-r1#388, ms-swift#4950, #7069, unsloth#3471, rl-swarm#22, #340; no failure or a question:
trl#805, #1186, #2919, #3120, #3442, #4564, #4645, open-r1#618, alignment-handbook#204,
verifiers#112, Soup#159, SimPO#80; the library's: trl#588, #980, #1487, #1493, #1564, #1695, #1764,
#1905, #3349, #3455, #3484, #5118, #5563, #6361, peft#2826, unsloth#3041; releases that no
environment has together: trl#1216, #1469, #6105; a GPU: trl#4416, VLM-R1#126, unsloth#1817, #2668,
Visual-RFT#217; an error of that program alone: LlamaFactory#3154, #3264, #4717, axolotl#1570,
#1616, unsloth#2364, qlora-pipe#61; not TRL's trainer: UniRL#19, orpo#7, gem#44, transformers#34365;
the same post as one that is rebuilt: trl#6323, transformers#36550, open-r1#238, CoursIA#12594; a
second of a cause here, for want of room (twenty-four were wanted): trl#3339 (SimPO#35), open-r1#604
(trl#3299), open-r1#624, ms-swift#3177 (open-r1#559), peft#1932, autotrain-advanced#487 (peft#2415).
Tutorials and essays among the pages name no failure of a run, or one outside of the training.
"""

from dataclasses import replace

from reports.fortysecond import (
    adapters,
    columns,
    ends,
    formats,
    labels,
    machines,
    preferences,
    rewards,
    settings,
)

REPORTS = tuple(
    replace(report, level="", group="fortysecond")
    for report in (
        *preferences.REPORTS,
        *labels.REPORTS,
        *ends.REPORTS,
        *formats.REPORTS,
        *rewards.REPORTS,
        *columns.REPORTS,
        *adapters.REPORTS,
        *settings.REPORTS,
        *machines.REPORTS,
    )
)
