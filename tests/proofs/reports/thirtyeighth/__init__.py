"""Threads of a thirty-eighth list, drawn as reports come: fourteen that die, nine silent ones.

The lists before this one left out each thread whose cause another list has. Here a thread is left
out only if it is rebuilt itself (its address stands in a list), or is the third of one cause here.

The draw was fixed before an answer was seen: these forty phrases, in this order, put to a search
over issues; numbers 9, 16, 18, 21, 22 and 31 to one over pages, too.

1. GRPOTrainer crashes on the first step. 2. GRPO reward stays at zero. 3. GRPO error reward
function missing argument. 4. GRPO loss is 0 from the start. 5. GRPO completions have no end token,
hit max length. 6. GRPO with vLLM does not start. 7. GRPO with LoRA does not learn. 8. GRPO batch
size and num_generations error. 9. GRPO dataset column needed by the reward is missing. 10. GRPO
output is gibberish after training. 11. RLOOTrainer fails. 12. PPOTrainer error value model. 13. PPO
reward does not improve. 14. SFTTrainer KeyError text. 15. SFTTrainer tokenize dataset error. 16.
SFTTrainer TypeError unexpected keyword argument. 17. SFT loss does not go down. 18. SFT model never
stops generating after fine-tuning. 19. SFT loss masks the whole answer, labels all -100. 20. SFT
packing wrong results. 21. SFT completion only loss not applied. 22. DPOTrainer dataset format
error. 23. DPO loss stuck at 0.693. 24. DPO reference model with PEFT adapter. 25. DPO loss nan. 26.
DPO prompt repeated in chosen and rejected. 27. KTOTrainer error. 28. ORPO or CPO trainer fails. 29.
RewardTrainer error padding token. 30. reward model accuracy does not improve. 31. LoRA adapter
saved but has no effect when loaded. 32. target_modules not found in model PEFT trainer. 33. new
tokens added, embeddings not trained or saved with LoRA. 34. chat template missing or wrong in
trainer. 35. pad token same as eos token model does not stop. 36. tokenizer truncates the answers
max_length. 37. evaluation during training fails SFTTrainer eval_dataset. 38. best model at end or
save strategy mismatch error. 39. resume from checkpoint training starts again or learning rate
wrong. 40. accelerate launch multi GPU trainer error device_map.

These gave twenty; 33 to 36, 38 and 39 were answered with other programs. Twelve more were fixed and
gave three: SFTTrainer chat template error tokenizer has no chat_template; SFTTrainer max_seq_length
truncation answers cut off trl; SFTTrainer resume_from_checkpoint problem trl; DPOTrainer evaluation
metrics missing or wrong trl; KTOTrainer dataset label column problem trl; RewardTrainer does not
learn trl; PPOTrainer trl training does nothing or generates garbage; RLOOTrainer reward model wrong
score; SFTTrainer save model adapter empty or missing after training; GRPOTrainer reward function
receives wrong text; GRPOTrainer model does not improve wrong settings; SFTTrainer special tokens
added to tokenizer resize embeddings.

Some 600 answers were gone through in order, and those of 49 more questions, which asked for the
cause of a thread that had been found: LlamaFactory#43, VLM-R1#26, unsloth#2270, trl#465, trl#915,
trl#6773, llms_tool#60 and orpo#5 came with these. Taken was each thread of somebody who uses TRL,
or a program that calls it, whose cause the thread gives, that a tool could know before the
training, and that fails on a CPU in an environment here. No rule was read but those that the newest
list's page names, and the doctor was asked about none of them. Of the rebuilt ms-swift#6516, which
has the cause of VLM-R1#26, the first lines were seen.

What is weak: of 108 such threads that the answers named, 85 are rebuilt in other lists, and so are
not here; these are the ones that nobody took before, often because their cause was in a list. KTO,
PPO, RLOO and reward models have none. trl#2771 has the lines of trl#2777, its own pull request,
which is in a list; trl#2541 is another thread about the cause of trl#915.

A list has the cause, as was judged after this one had been committed, of 18: open-r1#249
(trl#2876), theLMbook#2 (llm_related#13), trl#714 (workbench-example-llama3-finetune#1, another
argument), course#1170 (course#1171), MedicalGPT#334 (alignment-handbook#224), axolotl#618 (s1#39),
trl#465 (peft#1729), trl#915 (trl#2541), LlamaFactory#744 (trl#2152) and #43 (LlamaFactory#3478),
VLM-R1#26 (ms-swift#6516), open-r1#556 (open-r1#603), trl#1668 (Soup#785), trl#2771 (trl#2777),
trl#585 (Qwen-VL-Series-Finetune#260), HumanOmniV2#10 (open-r1#517), trl#2203 and llms_tool#60
(trl#1420, which sets eval_steps). None has that of t/176210, unsloth#2270, trl#3427, trl#6773 and
orpo#5.

Rebuilt otherwise: LlamaFactory#43 and #744, axolotl#618, llms_tool#60, MedicalGPT#334, VLM-R1#26,
HumanOmniV2#10 and orpo#5 are scripts that do what the program does, with TRL's trainer. open-r1#249
has seven rows in one process, not one in each of seven. trl#465 and trl#2203 run in trl 0.12.2,
unsloth#2270 in 0.15.2, without unsloth. LlamaFactory#43 has a GPT-NeoX in place of a Baichuan,
trl#3427 an OLMo 2 in place of a Qwen3 that its PEFT did not know, discuss.huggingface.co/t/176210 a
Gemma 3 in place of a Qwen3.5, HumanOmniV2#10 a LLaVA. In t/176210 the trainer is not given the
tokenizer, so it loads the processor; the thread does not say. orpo#5 has a template that writes
whatever it is given. The remedies of trl#915, trl#3427 and t/176210 are ours.

Left out: no cause: trl#2872, #2920, #1513, #1236, #2553, #2435, #3857, #3008, #3552, #1881,
unsloth#1866, X-R1#66, Tina#10, open-r1#454, autotrain-advanced#226 and #425, Visual-RFT#108,
axolotl#2174, ms-swift#3926, Qwen3-FineTuning-Playground#1, llm_qlora#7; the library's: trl#2401,
#2861, #4096, #4682, #1284, #3301; a GPU or several processes: trl#2698, #2375, LLM-Workshop#9,
xfactlab/orpo#18, ms-swift#5405; another program's trainer: qlora#214, StableLM#98, minimind#266,
OpenRLHF#613 and #973, peft#1959; no failure: trl#3452, #1484, hello-agents#862; the third of one
cause here: trl#574; only what the model says shows it: trl#5759; weights that were never trained,
which a small model does not have: unsloth#915.
"""

from dataclasses import replace

from reports.thirtyeighth import (
    adapters,
    arguments,
    calls,
    evaluations,
    groups,
    tables,
    texts,
    tokens,
)

REPORTS = tuple(
    replace(report, level="", group="thirtyeighth")
    for report in (
        *groups.REPORTS,
        *calls.REPORTS,
        *arguments.REPORTS,
        *tables.REPORTS,
        *evaluations.REPORTS,
        *adapters.REPORTS,
        *tokens.REPORTS,
        *texts.REPORTS,
    )
)
