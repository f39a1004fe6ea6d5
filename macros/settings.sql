{# The settings of a historical configuration, in the order of the release: what was asked for, nothing measured. #}
{% macro setting_columns() -%}
model_family, model_name, model_id, workload_id, workload_name, legacy_dataset_id, algorithm, adaptation,
    configuration_level, condition, gpu_count, rollout_tp_size, actor_micro_batch, rollout_logprob_micro_batch,
    ref_logprob_micro_batch, vllm_gpu_memory_utilization, parameter_offload, optimizer_offload, free_cache_engine,
    max_prompt_length, max_response_length, max_model_len, max_num_seqs, rollout_n, train_batch_size,
    train_max_samples, val_max_samples, total_training_steps, gpu_monitor_interval_ms, allocator_trace_enabled,
    allocator_trace_sync, save_freq, test_freq, val_before_train, resume_mode, max_actor_ckpt_to_keep, accelerator,
    device_capacity_mib, margin_limit_mib, peak_measurement
{%- endmacro %}

{# What was measured of a historical configuration, with the reason where a measure is missing. #}
{% macro result_columns() -%}
eligible_processes, distinct_seeds, completed_eligible_processes, within_margin_processes,
    above_margin_processes, memory_failure_processes,
    max_completed_run_peak_mib,
    {{ absence('max_completed_run_peak_mib', [('completed_eligible_processes = 0', 'no_eligible_completion')]) }},
    mean_completed_run_peak_mib,
    {{ absence('mean_completed_run_peak_mib', [('completed_eligible_processes = 0', 'no_eligible_completion')]) }},
    operating_limit_mib, {{ headroom('operating_limit_mib', 'max_completed_run_peak_mib') }} as headroom_mib,
    {{ absence('headroom_mib', [('completed_eligible_processes = 0', 'no_eligible_completion')]) }},
    recorded_attempts, documented_completed_attempts, excluded_attempts, label_scope, used_in_transfer_tasks
{%- endmacro %}
