-- One row per attempt: the work its log proves.
with source as (
    {{ shown_edition(source('release', 'admission_realized_work')) }}
),

typed as (
    select
        -- keys
        attempt_id, slot_id, candidate_id,
        -- outcome, in the collector's own words
        role,
        -- settings and counts
        {{ whole('logged_steps') }} as logged_steps, {{ whole('maximum_logged_step') }} as maximum_logged_step,
        {{ whole('original_train_examples') }} as original_train_examples,
        {{ whole('selected_before_filter') }} as selected_before_filter,
        {{ whole('train_examples_after_filter') }} as train_examples_after_filter,
        {{ whole('filtered_train_examples') }} as filtered_train_examples,
        {{ whole('positive_gradient_steps') }} as positive_gradient_steps,
        {{ whole('steps_with_gradient_metric') }} as steps_with_gradient_metric,
        {{ whole('cap_reaching_batches') }} as cap_reaching_batches,
        {{ whole('batches_with_length_metrics') }} as batches_with_length_metrics,
        {{ whole('fixed_order_batches_per_epoch') }} as fixed_order_batches_per_epoch,
        {{ whole('fixed_order_distinct_train_examples_derived') }} as fixed_order_distinct_train_examples_derived,
        {{ whole('fixed_order_wraps_derived') }} as fixed_order_wraps_derived,
        -- measurements
        {{ number('prompt_mean_over_logged_batches') }} as prompt_mean_over_logged_batches,
        {{ number('prompt_maximum_observed') }} as prompt_maximum_observed,
        {{ number('prompt_minimum_observed') }} as prompt_minimum_observed,
        {{ number('response_mean_over_logged_batches') }} as response_mean_over_logged_batches,
        {{ number('response_maximum_observed') }} as response_maximum_observed,
        {{ number('response_minimum_observed') }} as response_minimum_observed,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
