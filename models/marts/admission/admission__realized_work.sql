-- One row per attempt: the work its log proves. Lengths are blank when no batch was logged, never 0.
with work as (select * from {{ ref('stg_release__admission_realized_work') }})

select
    attempt_id, slot_id, candidate_id, role, logged_steps, maximum_logged_step,
{%- for measure in [
    'original_train_examples', 'selected_before_filter', 'train_examples_after_filter', 'filtered_train_examples',
    'fixed_order_batches_per_epoch', 'fixed_order_distinct_train_examples_derived', 'fixed_order_wraps_derived',
] %}
    {{ measure }}, {{ absence(measure) }},
{%- endfor %}
    positive_gradient_steps, steps_with_gradient_metric, cap_reaching_batches, batches_with_length_metrics,
{%- for measure in [
    'prompt_mean_over_logged_batches', 'prompt_maximum_observed', 'prompt_minimum_observed',
    'response_mean_over_logged_batches', 'response_maximum_observed', 'response_minimum_observed',
] %}
    {{ measure }}, {{ absence(measure, [('batches_with_length_metrics = 0', 'no_logged_batch')]) }},
{%- endfor %}
    source_path, row_number
from work
