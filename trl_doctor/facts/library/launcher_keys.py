"""The keys that accelerate and DeepSpeed read, of every release: what is not here, none reads."""

from __future__ import annotations

from collections.abc import Mapping

from trl_doctor.core.finding import Json

ACCELERATE = frozenset(
    {
        *("compute_environment", "distributed_type", "mixed_precision", "use_cpu"),
        *("debug", "fp16", "num_processes", "machine_rank", "num_machines", "gpu_ids"),
        *("main_process_ip", "commands", "main_process_port", "rdzv_backend"),
        *("same_network", "main_training_function", "tpu_env", "enable_cpu_affinity"),
        *("fp8_config", "deepspeed_config", "fsdp_config", "ipex_config"),
        *("parallelism_config", "tp_config", "megatron_lm_config", "mpirun_config"),
        *("downcast_bf16", "tpu_name", "tpu_zone", "tpu_use_cluster", "tpu_use_sudo"),
        *("command_file", "tpu_vm", "dynamo_config", "dynamo_backend"),
        *("ec2_instance_type", "iam_role_name", "image_uri", "profile", "region"),
        *("base_job_name", "pytorch_version", "transformers_version", "py_version"),
        *("sagemaker_inputs_file", "sagemaker_metrics_file", "additional_args"),
    }
)
"""The top of accelerate's file, 0.34.2 to 1.15.0, with Amazon SageMaker's."""

KINDS = (
    *("NO", "MULTI_CPU", "MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_SDAA", "MULTI_MUSA"),
    *("MULTI_XPU", "MULTI_HPU", "MULTI_NEURON", "DEEPSPEED", "FSDP", "XLA", "TPU", "MEGATRON_LM"),
    "TP",
)
"""Values of `distributed_type`, in every release."""

BACKENDS = (
    *("NO", "EAGER", "AOT_EAGER", "INDUCTOR", "AOT_TS_NVFUSER", "NVPRIMS_NVFUSER", "CUDAGRAPHS"),
    *("OFI", "FX2TRT", "ONNXRT", "TENSORRT", "AOT_TORCHXLA_TRACE_ONCE", "TORCHXLA_TRACE_ONCE"),
    *("IPEX", "TVM", "HPU_BACKEND", "NEURON"),
)
"""Values of `dynamo_backend`, in every release."""

OF_DEEPSPEED = frozenset(
    {
        *("deepspeed_config_file", "zero_stage", "offload_optimizer_device"),
        *("offload_param_device", "offload_optimizer_nvme_path"),
        *("offload_param_nvme_path", "gradient_accumulation_steps", "gradient_clipping"),
        *("zero3_init_flag", "zero3_save_16bit_model", "deepspeed_hostfile"),
        *("deepspeed_exclusion_filter", "deepspeed_inclusion_filter"),
        *("deepspeed_multinode_launcher", "deepspeed_moe_layer_cls_names"),
    }
)
"""`deepspeed_config` of accelerate's file."""

OF_FSDP = frozenset(
    {
        *("fsdp_version", "fsdp_reshard_after_forward", "fsdp_offload_params"),
        *("fsdp_min_num_params", "fsdp_sharding_strategy", "fsdp_auto_wrap_policy"),
        *("fsdp_transformer_layer_cls_to_wrap", "fsdp_backward_prefetch_policy"),
        *("fsdp_backward_prefetch", "fsdp_state_dict_type", "fsdp_forward_prefetch"),
        *("fsdp_use_orig_params", "fsdp_cpu_ram_efficient_loading"),
        *("fsdp_sync_module_states", "fsdp_activation_checkpointing"),
        *(
            "fsdp_activation_checkpointing_offload",
            "fsdp_ignored_modules",
        ),
    }
)
"""`fsdp_config` of accelerate's file; a key may also be written without `fsdp_`."""

ZERO = frozenset(
    {
        *("stage", "contiguous_gradients", "reduce_scatter", "reduce_bucket_size"),
        *("stage3_leaf_module", "use_multi_rank_bucket_allreduce"),
        *("allgather_partitions", "allgather_bucket_size", "overlap_comm"),
        *("load_from_fp32_weights", "elastic_checkpoint", "offload_param"),
        *("offload_optimizer", "sub_group_size", "cpu_offload_param"),
        *("cpu_offload_use_pin_memory", "cpu_offload", "prefetch_bucket_size"),
        *("param_persistence_threshold", "model_persistence_threshold"),
        *("max_live_parameters", "max_reuse_distance"),
        *("gather_16bit_weights_on_model_save", "use_all_reduce_for_fetch_params"),
        *("stage3_gather_fp16_weights_on_model_save", "ignore_unused_parameters"),
        *("legacy_stage1", "round_robin_gradients", "zero_hpz_partition_size"),
        *("zero_quantized_weights", "zero_quantized_nontrainable_weights"),
        *("zero_quantized_gradients", "mics_shard_size"),
        *("mics_hierarchical_params_gather", "memory_efficient_linear"),
        *("pipeline_loading_checkpoint", "override_module_apply"),
        *("module_granularity_threshold", "zeropp_loco_param", "zenflow"),
        *("log_trace_cache_warnings", "enable_sanity_checks", "allgather_sequential"),
        *("leaf_module", "compute_grad_norm", "parameter_alignment"),
        *("save_muon_momentum_buffer_in_memory", "stage3_prefetch_bucket_size"),
        *("stage3_param_persistence_threshold", "stage3_model_persistence_threshold"),
        *("stage3_max_live_parameters", "stage3_max_reuse_distance"),
        *("stage3_gather_16bit_weights_on_model_save",),
        *("stage3_module_granularity_threshold",),
        *("stage3_use_all_reduce_for_fetch_params", "stage3_allgather_sequential"),
    }
)
"""`zero_optimization` of DeepSpeed's file, 0.14.5 to 0.19.8."""

OFFLOAD = frozenset(
    {
        *("device", "nvme_path", "buffer_count", "buffer_size", "max_in_cpu"),
        *("pin_memory", "pipeline_read", "pipeline_write", "fast_init", "ratio"),
        *("super_offload", "cpuadam_cores_perc"),
    }
)
"""`offload_param` and `offload_optimizer` in it."""

PRECISION = frozenset(
    {
        *("enabled", "immediate_grad_update", "check_grad_overflow"),
        *("bf16_master_weights_and_grads", "bf16_optimizer_states", "auto_cast"),
        *("loss_scale", "initial_scale_power", "loss_scale_window", "hysteresis"),
        *("consecutive_hysteresis", "min_loss_scale", "fp16_master_weights_and_grads"),
        *("fp16_opt_level", "opt_level"),
    }
)
"""`bf16` and `fp16` of DeepSpeed's file."""

TOP = frozenset(
    {
        *("train_batch_size", "train_micro_batch_size_per_gpu"),
        *("gradient_accumulation_steps", "gradient_clipping", "optimizer", "scheduler"),
        *("communication_data_type", "seq_parallel_communication_data_type"),
        *("prescale_gradients", "gradient_predivide_factor", "gradient_allreduce_op"),
        *("sparse_gradients", "fp16", "bf16", "bfloat16", "amp", "zero_optimization"),
        *("steps_per_print", "wall_clock_breakdown", "dump_state", "memory_breakdown"),
        *("flops_profiler", "activation_checkpointing", "sparse_attention"),
        *("data_efficiency", "curriculum_learning", "tensorboard", "wandb"),
        *("csv_monitor", "comet", "elasticity", "autotuning", "aio"),
        *("compression_training", "checkpoint", "data_types", "nebula", "hybrid_engine"),
        *("pipeline", "compile", "comms_logger", "torch_autocast"),
        *("zero_allow_untested_optimizer", "zero_force_ds_cpu_optimizer"),
        *("disable_allgather", "disable_python_gc", "managed_gradient_accumulation"),
        *("dataloader_drop_last", "log_level", "use_data_before_expert_parallelism"),
        *("progressive_layer_drop", "eigenvalue", "quantize_training"),
        *("graph_harvesting", "tensor_parallel", "sequence_parallel_size"),
        *("data_parallel_size", "expert_parallel", "mesh_device", "allgather_size"),
        *("msamp", "fp32_allreduce", "timers", "weight_quantization"),
    }
)
"""The top of DeepSpeed's file."""

SECTIONS: Mapping[tuple[str, ...], tuple[str, Json]] = {
    ("zero_optimization",): ('{"stage": %s}', 2),
    ("zero_optimization", "offload_param"): ('{"device": %s}', "cpu"),
    ("zero_optimization", "offload_optimizer"): ('{"device": %s}', "cpu"),
    **{(name,): ('{"enabled": "auto"}', None) for name in ("bf16", "fp16")},
    ("optimizer",): ('{"type": %s, "params": {"lr": "auto"}}', "AdamW"),
    ("scheduler",): ('{"type": %s, "params": {"warmup_num_steps": "auto"}}', "WarmupLR"),
    **{
        (name,): ('{"enabled": true}', None)
        for name in (
            *("comms_logger", "flops_profiler", "tensorboard", "wandb", "csv_monitor", "comet"),
            *("torch_autocast", "data_efficiency", "hybrid_engine", "autotuning"),
        )
    },
    **{
        (name,): ("{…}", None)
        for name in ("activation_checkpointing", "aio", "checkpoint", "data_types")
    },
}
"""Parts of DeepSpeed's file that have to be mappings: the form to show, and a usual value in it."""

OF_RUNS_FSDP = frozenset(
    {
        *("activation_checkpointing", "auto_wrap_policy", "backward_prefetch"),
        *("buffer_dtype", "compute_dtype", "cpu_offload", "cpu_ram_efficient_loading"),
        *("forward_prefetch", "limit_all_gathers", "min_num_params"),
        *("reshard_after_forward", "state_dict_type", "sync_module_states"),
        *("transformer_layer_cls_to_wrap", "use_orig_params", "version", "xla"),
        *("xla_fsdp_grad_ckpt", "xla_fsdp_settings", "xla_fsdp_v2"),
    }
)
"""`fsdp_config` of the run's own arguments, transformers 4.48 to 5.23, without `fsdp_`."""
