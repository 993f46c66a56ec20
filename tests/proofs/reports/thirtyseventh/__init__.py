"""Threads of a thirty-seventh list: thirteen that go wrong in silence, and three that die.

The draw was fixed before an answer was seen: these forty phrases, in this order, about metrics,
logs and outputs, put to a search over issues; numbers 18, 22, 29 and 38 to one over pages, too.
From the twenty-seventh on TRL or a trainer of it was named, for the others had given much else.

1. GRPO train reward goes up but test accuracy on the benchmark does not. 2. GRPO kl spikes suddenly
then reward drops to zero. 3. GRPO completion length grows until max. 4. GRPO wandb table shows the
same completion for every prompt. 5. GRPO reward_std is zero frac_reward_zero_std is one. 6. GRPO
model answers in the wrong language after training. 7. GRPO num_train_epochs ignored number of steps
different from expected. 8. GRPO logged reward larger than sum of the reward functions weights. 9.
GRPO multi turn mask environment tokens tool result trained on. 10. GRPO vllm logprobs differ from
training logprobs temperature. 11. GRPO LoRA weights saved but evaluation shows the same as the base
model. 12. GRPO memory grows each step leak in reward function. 13. RLOO advantages all zero
baseline. 14. SFT loss goes down like stairs at each epoch. 15. SFT eval loss lower than train loss.
16. SFT model ignores the system prompt after fine-tuning. 17. SFT special tokens appear in the
generated output. 18. SFT tokenizer saved differs from the tokenizer loaded. 19. SFT learning rate
in the log is constant or 0. 20. SFT grad_norm is 0 or nan from the first step. 21. SFT train loss
much larger after upgrade gradient accumulation not divided. 22. SFT mean_token_accuracy near 1 but
outputs are wrong. 23. SFT early stopping never triggers. 24. SFT number of examples in the log
smaller than the dataset rows dropped. 25. SFT multi turn conversation only the last answer is
learned. 26. SFT answers cut off in the middle after fine-tuning. 27. SFT output has extra spaces or
missing spaces at the start of the answer. 28. SFT validation metric compute_metrics argmax shifted
by one accuracy low. 29. SFT model talks to itself generates the user question. 30. DPO chosen
rewards decrease margins increase outputs nonsense. 31. DPO logps are very large negative numbers.
32. DPO eval accuracy perfect from the beginning. 33. KTO rewards for desirable and undesirable both
go down. 34. reward model gives the same score for every answer. 35. reward model accuracy 1.0 after
few steps suspicious. 36. PPO objective kl negative reward collapses. 37. PPO score is high but text
is garbage. 38. LoRA adapter has no effect after loading lm_head embed_tokens not saved. 39.
fine-tuned model worse than base model on everything learning rate. 40. process reward model step
labels separator token wrong.

These gave four threads. So twenty-four more were written down, as somebody words it who repairs a
fault ("fix GRPO reward function silently returned zero for every completion", "fix SFT labels
masked the wrong tokens silent training bug", "fix reward parsing regex matches the prompt or the
first number instead of the final answer", "fix DPO dataset chosen and rejected built wrong
silently", "fix adapter saved without trained weights", "fix SFT dataset prompt column dropped
remove_columns", "fix wrong chat template used in training versus inference" and others), and eight
after them. Every answer was gone through in order. Taken was each thread whose cause it gives, that
no list here names, that a tool could know before the training, and that fails on a CPU in an
environment here. No rule was read, and the doctor was asked about none of them.

Rebuilt otherwise: ms-swift#10163, finchain#3 and open-instruct#1530 score in another project or an
evaluation; here TRL's trainer is given the same expressions. Visual-RFT#79 classifies images.
Qwen3-ASR#212 and Megatron-Bridge#4265 have sound and images. RL#2176 learns by GRPO what stands in
the prompt; here it is SFT with two examples. LlamaFactory#732 has a command of that project,
QeRL#20 an engine. CoursIA#12428 is a notebook. maxtext#1524 makes messages, which TRL reads also
beside the old columns; here it is a text. A1.5_Smart…#11 trains with a script of its own.

Left out: no cause: minimind#553, trl#4922, #5138, NeMo-Aligner#439, Model-Fingerprint#5, openr#89,
R1-V#106, trl#2435, LlamaFactory#2040; the library's: trl#2604, #5588, NeMo-Aligner#29; a question
or a feature: slamkit#20, ART#743, trl#3595, unsloth#969, ms-swift#3639; the same lines as one in a
list here: trl#3333, axolotl#2376, trl#3857, alpaca_lora_4bit#35, mlx-examples#811, OpenRLHF#973,
sentence-transformers#3052; it needs an engine or several GPUs: trl#4159, open-instruct#1549.
"""

from dataclasses import replace

from reports.thirtyseventh import adapters, judged, masks, numbers, parts, split, tables

REPORTS = tuple(
    replace(report, level="", group="thirtyseventh")
    for report in (
        *judged.REPORTS,
        *numbers.REPORTS,
        *masks.REPORTS,
        *adapters.REPORTS,
        *split.REPORTS,
        *tables.REPORTS,
        *parts.REPORTS,
    )
)
