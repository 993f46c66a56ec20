"""Threads of a thirty-fourth list: thirteen that go wrong in silence, and four that die.

The draw was fixed before an answer was seen: these forty phrases, in this order, one to thirty-two
put to a search over issues, thirty-three to forty to one over pages. Then the last eight were put
to the issues, too, and phrases 1, 13, 22, 3, 17, 14, 28, 16, 27, 23, 2 and 9 to the pages.

1. GRPO reward always zero answer extraction regex never matches. 2. GRPO reward function uses
global index misaligned prompts completions repeated. 3. GRPO loss stays 0 grad norm 0 not learning.
4. GRPO completions all truncated at max_completion_length no eos. 5. GRPO system prompt ignored
dataset prompt is plain string chat template not applied. 6. GRPO reward goes up but evaluation does
not improve reward hacking length. 7. RLOO trainer learning rate too high model outputs gibberish.
8. RLOO reward normalisation constant advantage. 9. PPO value model reward model same object.
10. PPO missing eos penalty responses never stop. 11. PPO KL negative. 12. SFT loss drops to 0
immediately labels all masked. 13. SFT model never stops generating after fine-tuning eos token.
14. SFT completion only loss whole prompt trained on. 15. SFT packing examples cross contamination.
16. SFT train loss very low eval loss much higher dataset duplicates split leakage. 17. SFT LoRA
training no effect model output identical to base. 18. SFT fine-tuned model repeats the prompt chat
template mismatch at inference. 19. SFT lr scheduler warmup steps total steps wrong learning rate
stays 0. 20. SFT epoch num_train_epochs ignored max_steps. 21. DPO rewards chosen and rejected both
decrease. 22. DPO loss stuck at 0.693. 23. DPO reference model same as policy adapter loaded twice.
24. DPO chosen rejected swapped accuracy below 0.5. 25. DPO prompt included in chosen duplicated
prompt. 26. KTO KL always zero. 27. KTO desirable undesirable labels all true unbalanced. 28. reward
model training accuracy stays 0.5. 29. reward model score head not saved newly initialized.
30. reward model eval same reward for every input padding side. 31. vLLM GRPO colocate generates
with old weights not synced. 32. vLLM LoRA adapter not applied output same as base. 33. TRL
SFTTrainer fine-tuned model produces garbage after merge adapter. 34. SFTTrainer TypeError
unexpected keyword argument after upgrade trl. 35. ValueError could not be padded tensors different
length SFTTrainer. 36. load_best_model_at_end eval strategy mismatch trainer. 37. GRPOTrainer reward
function must return list error. 38. DPOTrainer KeyError prompt chosen dataset columns.
39. fine-tuned LoRA results differ after loading from checkpoint. 40. gradient checkpointing lora
requires_grad none of the inputs error.

Every answer was gone through in order. A few more questions only asked for the cause of a thread
that had been found; peft#2115, ms-swift#9730 and Generalizable-Reward-Model#1 came with their
answers. Taken was each thread whose cause it gives, or its log shows, that no list here names, that
a tool could know before the training, and that fails on a CPU in an environment here. Left out were
threads about the very lines that a thread of another list is about, arguments that were renamed
once more, faults that no release here has, and what needs vLLM or a GPU. No rule was read, and the
doctor was asked about none of them.

Rebuilt otherwise: FasterTransformer#634 and LlamaFactory#1447 and #624, ms-swift#9730 and #5087,
OpenRLHF#1089, argilla#4513 and DeepKE#394 train with a command of another project; here it is TRL's
trainer. ETO#14 has a trainer of its own; here DPOTrainer cuts the same trajectories. In
transformers#28539 the model is a classifier of tokens. ChatLM-mini-Chinese#21 has a model of its
own with another shape. The page of dev.to is about tickets that cannot be had.
"""

from dataclasses import replace

from reports.thirtyfourth import adapters, ended, preferences, questions, scores, splits, steps

REPORTS = tuple(
    replace(report, level="", group="thirtyfourth")
    for report in (
        *questions.REPORTS,
        *splits.REPORTS,
        *steps.REPORTS,
        *adapters.REPORTS,
        *preferences.REPORTS,
        *scores.REPORTS,
        *ended.REPORTS,
    )
)
