"""Threads of a thirty-fifth list: nineteen that go wrong in silence.

The draw was fixed before an answer was seen: these forty phrases, in this order, put to a search
over issues. From the eleventh on the name of TRL or of its trainer stood before each, for the first
ten had given many other projects.

1. GRPO correctness reward compares a string with an integer answer never equal. 2. GRPO format
reward zero because the chat template already opens the think tag. 3. GRPO entropy collapse all
completions of a group identical. 4. GRPO same prompts every step dataset not shuffled. 5. GRPO LLM
judge score parsing fails default reward. 6. GRPO LoRA kl always 0 reference adapter disabled. 7.
GRPO tool output tokens included in loss mask. 8. GRPO reward ground truth column format of GSM8K
hashes not extracted. 9. GRPO multiple reward functions one dominates the scale. 10. GRPO resumed
training policy worse optimizer state lost. 11. GRPO model stops thinking answers become short after
training. 12. RLOO kl penalty wrong sign or counted twice. 13. PPO reward model was trained with
another prompt format scores meaningless. 14. PPO query tokens left in the response decoded for the
reward. 15. PPO value loss explodes rewards not normalised. 16. SFT system message dropped from chat
data. 17. SFT pad token equals eos token so eos is masked in the labels. 18. SFT double bos token
template and tokenizer both add it. 19. SFT stale cached tokenized dataset after changing the
template. 20. SFT bfloat16 weights small learning rate update rounds to nothing. 21. SFT new special
tokens embeddings never trained with LoRA. 22. SFT resume starts the data from the beginning again.
23. SFT model continues with the user's turn after its answer. 24. SFT early stopping keeps the
worst checkpoint greater_is_better. 25. SFT instruction prompt template differs between rows missing
input field. 26. SFT long documents truncated answer lost. 27. SFT weighted loss custom compute_loss
ignored label smoothing. 28. SFT gradient accumulation batch size changed worse results. 29. SFT
learning rate scheduler reset every epoch loss spikes. 30. SFT validation split taken after
augmentation or same conversation in both. 31. DPO outputs become long and repetitive after
training. 32. DPO average log probability instead of sum. 33. DPO chosen and rejected identical
after truncation. 34. DPO reference log probabilities precomputed with another model. 35. DPO
learning rate too high rewards collapse model broken. 36. KTO chosen rejected dataset converted
every prompt label wrong. 37. KTO batch size one KL estimate mismatched. 38. reward model prefers
longer answers spurious. 39. reward model inference different score than in training sigmoid
template. 40. reward model loss nan or negative margin label order.

Numbers 1, 17, 20 and 35 were put to pages, too, which gave tutorials. As GRPO and RLOO had given
little, five more questions were asked last: identical completions of a group, RLOO's rewards, masks
of labels that are off, scripts that train wrongly in silence, and conversations in rewards. Four
questions asked for more of a thread that had been found; 0xallam's came with their answers, and so
did LlamaFactory#7978 and #9092. Every answer was gone through in order. Taken was each thread whose
cause it gives, that no list here names, that a tool could know before the training, and that fails
on a CPU in an environment here; none of those that die was new. No rule was read, and the doctor
was asked about none of them.

Rebuilt otherwise: ArcticTraining#353, starcoder#129, DeepSpeedExamples#819, verl#3287, litgpt#1778,
h2o-llmstudio#422, LlamaFactory#7978 and #9092 and ms-swift#3636 have another project's command or
reward; here a script with TRL's trainer does what their code does. unsloth#1041 loses the loss of
the evaluation; with TRL it is that of the questions, too. In Soup#1067 and #791 the tokens come
from an earlier command; here one script makes and uses them. unsloth-zoo#832 is a review of a
trainer that never shuffles; here TRL is told not to. open-r1#503 has rows from which a solution is
missing; open-r1#710 has a larger template. trl#834 does not show its function. In
direct-preference-optimization#48 a flag of that project averages; here it is TRL's loss that does.
trl#3194 asks for an option; here merging takes its place. 0xallam's thread has a loop of its own.

Left out: no cause or no value: trl#691, #3126, LLM-Dojo#27, LlamaFactory#1347, #2559, #5967, #7734,
#8092, OpenRLHF#1069, MAPO#3, Alpaca-CoT#33, llama3-Chinese-chat#41, peft#1004; the library's:
trl#1911, #3991, #6439, transformers#10338; a question or a feature: open-r1#271, trl#4311, #789,
AReno#74, minimind#636; the same lines as one in a list here: open-r1#560, #55, trl#3091, #1114,
trl#1512, Online-RLHF#24, nanochat#570, smol-course#35, Speech#6409; a trainer that TRL does not
have: align-anything#216, open-instruct#1800; it ends well: trl#4003, cell2sentence#2, RiC#11.
"""

from dataclasses import replace

from reports.thirtyfifth import curves, ends, groups, kept, losses, masks, splits, texts

REPORTS = tuple(
    replace(report, level="", group="thirtyfifth")
    for report in (
        *masks.REPORTS,
        *texts.REPORTS,
        *ends.REPORTS,
        *kept.REPORTS,
        *splits.REPORTS,
        *groups.REPORTS,
        *losses.REPORTS,
        *curves.REPORTS,
    )
)
