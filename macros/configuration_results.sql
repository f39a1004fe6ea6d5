{# The two browsing views of the historical settings hold the same columns in another order: one typing serves both. #}
{% macro typed_configuration_results(relation) -%}
with source as (
    {{ shown_edition(relation) }}
),

typed as (
    select
        -- keys
        configuration_id, case_id, model_id, workload_id, legacy_dataset_id,
        -- outcome, in the collector's own words
        study, observed_state, label_scope, {{ flag('used_in_transfer_tasks') }} as used_in_transfer_tasks,
        -- settings and counts
        model_family, model_name, workload_name, algorithm, adaptation, configuration_level,
        {{ text('condition') }} as condition, {{ whole('gpu_count') }} as gpu_count,
        {{ whole('rollout_tp_size') }} as rollout_tp_size, {{ whole('actor_micro_batch') }} as actor_micro_batch,
        {{ whole('rollout_logprob_micro_batch') }} as rollout_logprob_micro_batch,
        {{ whole('ref_logprob_micro_batch') }} as ref_logprob_micro_batch,
        {{ number('vllm_gpu_memory_utilization') }} as vllm_gpu_memory_utilization,
        {{ flag('parameter_offload') }} as parameter_offload, {{ flag('optimizer_offload') }} as optimizer_offload,
        {{ flag('free_cache_engine') }} as free_cache_engine, {{ whole('max_prompt_length') }} as max_prompt_length,
        {{ whole('max_response_length') }} as max_response_length, {{ whole('max_model_len') }} as max_model_len,
        {{ whole('max_num_seqs') }} as max_num_seqs, {{ whole('rollout_n') }} as rollout_n,
        {{ whole('train_batch_size') }} as train_batch_size, {{ whole('train_max_samples') }} as train_max_samples,
        {{ whole('val_max_samples') }} as val_max_samples,
        {{ whole('total_training_steps') }} as total_training_steps,
        {{ whole('gpu_monitor_interval_ms') }} as gpu_monitor_interval_ms,
        {{ flag('allocator_trace_enabled') }} as allocator_trace_enabled,
        {{ whole('allocator_trace_sync') }} as allocator_trace_sync, {{ whole('save_freq') }} as save_freq,
        {{ whole('test_freq') }} as test_freq, {{ flag('val_before_train') }} as val_before_train,
        {{ text('resume_mode') }} as resume_mode, {{ whole('max_actor_ckpt_to_keep') }} as max_actor_ckpt_to_keep,
        accelerator, {{ whole('device_capacity_mib') }} as device_capacity_mib,
        {{ whole('margin_limit_mib') }} as margin_limit_mib, peak_measurement,
        {{ whole('eligible_processes') }} as eligible_processes, {{ whole('distinct_seeds') }} as distinct_seeds,
        {{ whole('completed_eligible_processes') }} as completed_eligible_processes,
        {{ whole('within_margin_processes') }} as within_margin_processes,
        {{ whole('above_margin_processes') }} as above_margin_processes,
        {{ whole('memory_failure_processes') }} as memory_failure_processes,
        {{ whole('recorded_attempts') }} as recorded_attempts,
        {{ whole('documented_completed_attempts') }} as documented_completed_attempts,
        {{ whole('excluded_attempts') }} as excluded_attempts,
        -- measurements
        {{ mib('max_completed_run_peak_mib') }} as max_completed_run_peak_mib,
        {{ number('mean_completed_run_peak_mib') }} as mean_completed_run_peak_mib,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
{%- endmacro %}
