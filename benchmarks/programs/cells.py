from datasets import Dataset
data = Dataset.from_list([
    {"messages": [{"role": "user", "content": f"What is {n} + 1?"},
                  {"role": "assistant", "content": f"{n + 1}"}]} for n in range(30)
])
data
data[0]["messages"]
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("./model")
model = AutoModelForCausalLM.from_pretrained("./model", device_map={"": "cpu"})
def count(row):
    return {"length": len(tokenizer.apply_chat_template(row["messages"], tokenize=False))}
longest = max(data.map(count)["length"])
print(longest)
from trl import SFTConfig, SFTTrainer
args = SFTConfig(
    output_dir="./results", num_train_epochs=1, per_device_train_batch_size=2,
    gradient_accumulation_steps=2, logging_steps=5, optim="adamw_torch", bf16=True,
    max_grad_norm=0.3, warmup_steps=1, lr_scheduler_type="constant", report_to=[],
    gradient_checkpointing=True, max_length=longest, packing=False, use_cpu=True,
)
args.max_steps = 3
trainer = SFTTrainer(model=model, train_dataset=data, args=args, processing_class=tokenizer)
stats = trainer.train()
print(stats.metrics["train_runtime"], stats.training_loss)
frame = [(log["step"], log["loss"]) for log in trainer.state.log_history if "loss" in log]
inputs = tokenizer.apply_chat_template(
    [{"role": "user", "content": "What is 1 + 1?"}], add_generation_prompt=True,
    return_tensors="pt", return_dict=True,
)
out = model.generate(**inputs, max_new_tokens=8, do_sample=False)
tokenizer.batch_decode(out)
