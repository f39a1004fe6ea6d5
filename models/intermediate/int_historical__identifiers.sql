-- One row per published hashed identifier of the historical tables, beside the one its recipe gives.
-- The recipe hashes the texts of the release, so this reads raw text: a blank and a default give different ids.
{%- set settings = [
    'study', 'model_family', 'model_name', 'model_id', 'workload_id', 'workload_name', 'legacy_dataset_id',
    'algorithm', 'adaptation', 'configuration_level', 'condition', 'gpu_count', 'rollout_tp_size',
    'actor_micro_batch', 'rollout_logprob_micro_batch', 'ref_logprob_micro_batch', 'vllm_gpu_memory_utilization',
    'parameter_offload', 'optimizer_offload', 'free_cache_engine', 'max_prompt_length', 'max_response_length',
    'max_model_len', 'max_num_seqs', 'rollout_n', 'train_batch_size', 'train_max_samples', 'val_max_samples',
    'total_training_steps', 'gpu_monitor_interval_ms', 'allocator_trace_enabled', 'allocator_trace_sync',
    'save_freq', 'test_freq', 'val_before_train', 'resume_mode', 'max_actor_ckpt_to_keep', 'accelerator',
    'device_capacity_mib', 'margin_limit_mib', 'peak_measurement',
] -%}
{%- set numbers = ['device_capacity_mib', 'margin_limit_mib'] -%}
{%- set configuration = [] -%}
{%- for name in settings -%} {%- do configuration.append((name, name, name in numbers)) -%} {%- endfor -%}
{%- set case_ = [] -%}
{%- for name in ['study', 'model_family', 'workload_id', 'gpu_count', 'total_training_steps'] -%}
    {%- do case_.append((name, name, false)) -%}
{%- endfor %}
with configurations as ({{ shown_edition(source('card', 'all_configurations')) }}),

runs as ({{ shown_edition(source('card', 'eligible_runs')) }}),

attempts as ({{ shown_edition(source('card', 'recorded_attempts')) }})

select
    'configuration' as entity, 'configuration_id' as quantity, configuration_id as published,
    {{ hashed_id('cfg', json_object(configuration)) }} as derived
from configurations
union all
select 'configuration', 'case_id', case_id, {{ hashed_id('case', json_object(case_)) }}
from configurations
union all
select 'run', 'run_id', run_id, {{ hashed_id('run', json_array(['experiment_id', 'job_id'])) }}
from runs
union all
select 'attempt', 'attempt_id', attempt_id, {{ hashed_id('attempt', json_array(['experiment_id', 'job_id'])) }}
from attempts
