"""Threads of a thirty-sixth list: nine that go wrong in silence, and seven that die.

The draw was fixed before an answer was seen: these forty phrases, in this order, put to a search
over issues; numbers 6, 12, 17, 23, 31 and 38 to one over pages, too.

1. GRPOTrainer KeyError in reward function missing kwargs column. 2. GRPO generation batch size not
divisible by num_generations ValueError. 3. GRPO reward function returns None TypeError. 4. GRPO
chat template prompt list has no attribute startswith error in reward function. 5. RLOOTrainer error
unexpected keyword argument reward_model. 6. GRPO reward not increasing after many steps. 7. GRPO
completions always clipped never finish. 8. GRPO reward function always returns the same value std
0. 9. GRPO model forgets to use the format after training tags. 10. GRPO evaluation reward different
from training reward. 11. RLOO training reward decreases. 12. SFTTrainer loss is 0. 13. SFTTrainer
loss is nan after first step. 14. SFT model outputs gibberish after fine-tuning. 15. SFT model
repeats endlessly after LoRA fine-tuning. 16. SFTTrainer ValueError could not find response key in
the instance. 17. SFTTrainer formatting_func should return list of strings error. 18. SFT IndexError
index out of range in self embedding after adding tokens. 19. SFT RuntimeError size mismatch loading
adapter vocabulary. 20. DPOTrainer KeyError chosen. 21. DPO error pad token is None. 22. DPO rewards
accuracies stuck at 0 or 1. 23. DPO loss does not decrease 0.6931. 24. DPO model generates empty
answers after training. 25. KTOTrainer error label column must be bool. 26. KTO training only
desirable examples loss nan. 27. RewardTrainer error cannot handle batch sizes > 1 if no padding
token is defined. 28. RewardTrainer accuracy stuck at 0.5 not learning. 29. PEFT trainable
parameters 0 requires_grad false error element 0 of tensors does not require grad. 30. PEFT target
modules not found in the base model trl. 31. merged LoRA model gives different results than adapter
trl. 32. chat template jinja error conversation roles must alternate. 33. assistant only loss
generation keyword mask all zeros error. 34. resume_from_checkpoint error optimizer parameter group
size. 35. resume from checkpoint starts from step 0 again. 36. compute_metrics out of memory or
shape error SFTTrainer evaluation. 37. evaluation loss never logged metric_for_best_model KeyError
eval_loss. 38. dataset map columns lost or arrow invalid error trl training. 39. iterable dataset
streaming SFTTrainer len error max_steps. 40. multi GPU accelerate launch dataset processed on each
process different or device mismatch error.

Eleven more questions asked for the cause of a thread that had been found; h2o-llmstudio#336 and
minimind#416 came with their answers, and so did #301 of llama-cookbook. Every answer was gone
through in order. Taken was each thread whose cause it gives, that no list here names, that a tool
could know before the training, and that fails on a CPU in an environment here. The first words that
users have for a symptom are used up: about half of the threads about a training stand in another
list, as taken or as left out. No rule was read, and the doctor was asked about none of them.

Rebuilt otherwise: in minimind#416, SkyRL#710, maxtext#4140, ms-swift#6516 and #7567, llmtools#7,
DeepKE#571, llm_unlearn#6 and RiC#19 a script with TRL's trainer does what the code or the command
of that project does. pysot#92 trains a tracker in stages; here it is a model of language. trl#386
is a script that forgot to merge; here it unloads. datasets#8311 has one row and no trainer. In
h2o-llmstudio#336 the name of the column is read by an application. trl#6039 has three forms, and
the newest TRL refuses all; here an older one trains the third.

Left out: no cause: Automodel#1226, VLM-R1#163, ms-swift#107 and #6588, open-r1#257, mini_qwen#7,
MFTCoder#22, unsloth#1275 and #3657, trl#893, transformers#32349, litgpt#1833, starcoder#108; the
library's: trl#2473, #3459, #3936, #4096, unsloth#219 and #869, PR 5811 of trl; a question or a
feature: trl#3018, #3255, peft#1904, ms-swift#7275 and #6917; a loop without a trainer:
llama-cookbook#301 and #735; the same lines as one in a list here: peft#2128, trl#574, #2858,
Qwen3#1218, autotrain-advanced#487, #790 and #298, LlamaFactory#3125 and #5593,
DeepSpeedExamples#280, Qwen3-Coder#384, axolotl#618, transformers#19802, minimind#279, #388 and
#621, open-r1#373, wyf3/llm_related#13, GSM8K-RLVR#3; only what the model says shows it: r1_vlm#18.
"""

from dataclasses import replace

from reports.thirtysixth import accessed, adapters, columns, layers, masks, stages, tables

REPORTS = tuple(
    replace(report, level="", group="thirtysixth")
    for report in (
        *tables.REPORTS,
        *columns.REPORTS,
        *masks.REPORTS,
        *adapters.REPORTS,
        *layers.REPORTS,
        *stages.REPORTS,
        *accessed.REPORTS,
    )
)
