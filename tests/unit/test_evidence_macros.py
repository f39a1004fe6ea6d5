"""Macros of the evidence marts, by themselves."""

import duckdb
import pytest
from jinja2 import Environment

from loaders.registry import PROJECT


@pytest.mark.parametrize(
    ("kind", "stage", "rewritten"),
    [
        ("cuda_oom", "actor_update", "actor_update_oom"),
        ("rollout_init_memory", "rollout", "rollout_oom"),
        ("weight_sync_oom", "reference_logprob", "reference_logprob_oom"),
        ("cuda_oom", "weight_sync", "weight_sync_oom"),
        ("weight_sync_oom", "initializing", "weight_sync_oom"),
        ("cuda_oom", "unknown", "cuda_oom"),
        ("timeout", "actor_update", "timeout"),
    ],
)
def test_a_memory_kind_is_rewritten_by_the_terminal_stage(kind, stage, rewritten):
    # release format 2.4; trap 41: the kinds after the rewrite are more than three
    source = (PROJECT / "macros/evidence.sql").read_text()
    sql = Environment().from_string(source + "select {{ kind_at_stage('kind', 'stage') }}").render()
    found = duckdb.execute(f"{sql} from (select ? as kind, ? as stage)", [kind, stage]).fetchone()
    assert found == (rewritten,)
