"""Threads of a fortieth list, drawn as reports come: seven that die, eleven silent.

A thread is left out if it is rebuilt itself (its address stands in a list), or is the third of one
cause here. Of each answer the first was taken, in its order, that is about a training with TRL and
whose cause is the user's: script, data, configuration, model folder, launch or versions, that can
happen on a CPU.

The draw was fixed before an answer was seen: 52 phrases. To a search over issues: 1. my fine-tuned
model answers by repeating the prompt SFTTrainer. 2. SFTTrainer fewer training steps than expected
dataset shrinks. 3. SFTTrainer messages dataset format not recognized conversational. 4. eos token
masked because pad token equals eos SFT labels. 5. double bos token in training samples chat
template tokenizer trl. 6. SFTTrainer eval loss nan while training loss is fine. 7. dataset already
tokenized passed to SFTTrainer skip prepare error. 8. Gemma system role not supported trl training.
9. SFTTrainer labels length differs from input_ids custom collator. 10. SFTTrainer packing number
of epochs max_steps wrong. 11. DPO chosen and rejected have the same text rewards margins zero. 12.
DPO max_length max_prompt_length truncates everything loss strange. 13. DPO after training the
model outputs gibberish logps go down. 14. DPOTrainer error ref_model with peft_config. 15.
DPOTrainer messages list chosen rejected apply_chat_template error. 16. DPOTrainer AttributeError
NoneType. 17. KTO unpaired preference data wrong format trl. 18. KTO all desirable examples rewards
rejected nan. 19. ORPOTrainer or CPOTrainer AttributeError TypeError. 20. reward model head not
saved or newly initialized score weights after loading. 21. RewardTrainer input_ids_chosen
attention_mask_chosen columns. 22. reward model trained with trl outputs two logits num_labels. 23.
GRPO dataset column prompt missing KeyError. 24. reward function must return list of floats GRPO
TypeError. 25. GRPO reward hacking length reward always increases. 26. GRPO KL explodes beta
learning rate too high. 27. GRPO steps_per_generation num_iterations generation_batch_size
ValueError. 28. GRPO system prompt not in dataset model never uses think tags. 29. GRPO evaluation
eval_dataset batch size num_generations error. 30. tokenizer padding side right warning decoder
only generation trl trainer. 31. regex format reward never matches completions GRPO. 32.
RLOOTrainer migrate new version arguments reward_model. 33. PPOTrainer.__init__ missing required
positional arguments. 34. AutoModelForCausalLMWithValueHead ppo_trainer.step not found new trl
version. 35. continue training existing LoRA adapter trl is_trainable. 36. LoraConfig task_type
wrong or missing modules training trl. 37. already PeftModel and peft_config passed twice trainer
nested adapters. 38. fp16 bf16 both set or unscale FP16 gradients SFTTrainer LoRA. 39. trl
vllm-serve client cannot connect or wrong model. 40. vllm_mode colocate configuration error
GRPOTrainer. 41. torchrun GRPO global batch divisible by num_generations. 42. trl sft command line
config yaml unrecognized arguments. 43. axolotl dataset roles masked wrong train_on_inputs dpo. 44.
unsloth formatting_prompts_func must return a list of strings. 45. LLaMA-Factory ranking preference
dataset KeyError reward training. 46. open-r1 cosine length reward bug. 47. verifiers environment
trainer dataset answer column rewards. 48. ms-swift GRPO custom reward plugin error. 49. notebook
course outdated trl arguments fix. To one over pages: 50. stackoverflow SFTTrainer
dataset_text_field formatting_func. 51. huggingface forum SFTTrainer training problem tokenizer.
52. stackoverflow DPOTrainer or PPOTrainer TypeError.

They gave fourteen, so 23 more were fixed, in three rounds: reward_weights; chat_template not set;
max_seq_length; assistant_masks; thinking tokens lost; DPO prompt duplicated; wrong answer
extracted; DeepSpeed auto values; eval_strategy without eval_dataset; warmup; saved adapter; pad
token and resizing; two over pages; unsloth's notebook; prompt tokens in the loss; answer format;
DPO's beta; roles must alternate; ORPO format; KTO label; PPO score and tokenizer;
num_items_in_batch. These gave three. One question asked for the cause of a thread that had been
found: transformers#27733 came with it.

What is weak: over fifty of the threads that the answers named stand in a list already, so this is
what was left: eighteen, not the twenty-four that were wanted. No KTO, RLOO, PPO, vLLM or VLM. The
threads were read as excerpts; the cause of transformers#27733 (the tokens of the template) is what
its lines show, nobody says it there, and of PraisonAI#4358 only the purpose was read. trl#558 and
trl#1752 are about an example script that users copy, gitcode's page is about somebody's report.

Rebuilt otherwise: programs' threads are scripts that do what the program does with TRL's trainer.
transformers#27733 has small letters, because of the small tokenizer. ms-swift#3358 has 32 tokens
in place of thousands. In HelloAgents#108 the rate does not arrive, as the thread says; that the
model then collapses does not show in one step. trl#3061 has two processes in place of four. The
remedies of X-R1#51 (there: another release) and trl#3139 (there: a newer one) are ours.

Left out: no cause: trl#1449, #1057, #2435, #3452, #3903, #4738, open-r1#255, unsloth#1672,
LlamaFactory#5181, ms-swift#3130; no failure: trl#1285, #1886, #1993, #2188, #2418, #3684,
unsloth#524, ms-swift#5107, MedicalGPT#20; the library's: trl#450, #455, #761, #1432, #1885, #2154,
#3102, #3876, #5608, #6361; an API that no environment has: trl#652, #794, #886, #991,
fms-hf-tuning#326; a GPU: axolotl#1031, open-r1#543, #568; an error of that program alone:
LlamaFactory#814, #1447, #1829, #4617, #4720, ms-swift#2167, #3561, #4589, #5087, axolotl#2986;
another program's trainer: trlx#376, LLM-Dojo#23, gritlm#21, MedicalGPT#191; no failure in any
environment: transformers#39673; a judgement of quality alone: autocontext#1076; the same post as
one that is rebuilt: trl#2614.
"""

from dataclasses import replace

from reports.fortieth import adapters, labels, launches, rewards, templates, texts, trainers

REPORTS = tuple(
    replace(report, level="", group="fortieth")
    for report in (
        *labels.REPORTS,
        *texts.REPORTS,
        *templates.REPORTS,
        *rewards.REPORTS,
        *adapters.REPORTS,
        *trainers.REPORTS,
        *launches.REPORTS,
    )
)
