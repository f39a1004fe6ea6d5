-- One row per planned process of the follow-up on larger hosts. A cost of 0 is known to be zero, a missing one is unknown.
{{ estimation_processes(ref('stg_release__expanded_host_processes')) }}
