-- One row per planned process of the follow-up.
{{ typed_estimation_processes(source('release', 'expanded_host_processes')) }}
