"""From an identifier to the evidence behind it: label, rule, runs, attempts, stages, samples, log lines, members.

Every step is one SQL statement, shown as it can be typed. Nothing is concluded here that the marts do not hold.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from loaders.errors import EvidenceError
from rlvram.summary import open_read_only


@dataclass(frozen=True)
class Step:
    """A piece of the answer: `rows` of `sql`, whose parameter is the identifier; `when_empty` says what none means."""

    title: str
    sql: str
    when_empty: str
    rows: tuple[dict[str, object], ...] = ()


# Identifier → the runs it leads to, by kind. A query leads to the runs of its two configurations.
_RUNS = {
    "configuration": "configuration_id = ?",
    "run": "run_id = ?",
    "attempt": "run_id = (select run_id from historical.attempts where attempt_id = ?)",
    "query": "configuration_id in (select unnest([source_configuration_id, target_configuration_id]) "
    "from transfer.queries where query_id = ?)",
}
_FOUND_IN = (
    ("configuration", "historical.configurations", "configuration_id"),
    ("run", "historical.runs", "run_id"),
    ("attempt", "historical.attempts", "attempt_id"),
    ("query", "transfer.queries", "query_id"),
    ("candidate", "admission.candidates", "candidate_id"),
    ("admission attempt", "admission.attempts", "attempt_id"),
)
_NO_ARCHIVE = "No archive of this release holds evidence of it: the rows above, with file and line, are what there is."


def explain(warehouse: Path, identifier: str) -> tuple[str, list[Step]]:
    """The kind of `identifier` and the steps that explain it, rows filled in.

    Errors: EvidenceError when no mart of the warehouse has the identifier, or the file has no marts.
    """
    with open_read_only(warehouse) as connection:
        try:
            kind = _kind(connection, identifier)
        except duckdb.CatalogException as error:
            raise EvidenceError(str(warehouse), None, "it has no marts", "Build them: rlvram build.") from error
        if kind is None:
            raise EvidenceError(
                str(warehouse), None, f"nothing in it is called {identifier!r}",
                "Give a configuration, run, attempt, query or candidate id; the marts' key columns list them.",
            )  # fmt: skip
        return kind, [_filled(connection, step, identifier) for step in _steps(kind)]


def typed(sql: str, identifier: str) -> str:
    """`sql` with the identifier in it, to be copied into a shell."""
    return sql.replace("?", "'" + identifier.replace("'", "''") + "'")


def _kind(connection: duckdb.DuckDBPyConnection, identifier: str) -> str | None:
    for kind, relation, column in _FOUND_IN:
        if connection.execute(f"select 1 from {relation} where {column} = ?", [identifier]).fetchone():
            return kind
    return None


def _filled(connection: duckdb.DuckDBPyConnection, step: Step, identifier: str) -> Step:
    found = connection.execute(step.sql, [identifier])
    names = [column[0] for column in found.description]
    rows = tuple(dict(zip(names, row, strict=True)) for row in found.fetchall())
    return Step(step.title, step.sql, step.when_empty, rows)


def _steps(kind: str) -> list[Step]:
    if kind in ("candidate", "admission attempt"):
        return _admission_steps("candidate_id" if kind == "candidate" else "attempt_id")
    runs = _RUNS[kind]
    steps = [
        Step(
            "Label, and the rule that gives it",
            "select configuration_id, study, model_name, workload_name, gpu_count, actor_micro_batch, "
            "vllm_gpu_memory_utilization as reserved, observed_state, configurations.label, meaning as rule, "
            "eligible_processes, distinct_seeds, max_completed_run_peak_mib, max_completed_run_peak_mib_absence, "
            "operating_limit_mib, headroom_mib, known_memory_failure, known_above_margin, source_path, row_number "
            "from historical.configurations as configurations "
            "left join registry.labels as labels on configurations.label = labels.label "
            f"where configuration_id in (select configuration_id from historical.runs where {runs}) "
            "order by configuration_id",
            "No eligible run leads to a configuration.",
        ),
        Step(
            "Eligible runs",
            "select run_id, training_seed as seed, label, observed_peak_mib, completed_run_peak_mib, "
            "completed_run_peak_mib_absence as absence, terminal_stage, failure_kind, source_path, row_number "
            f"from historical.runs where {runs} order by configuration_id, training_seed",
            "None: an excluded attempt has no run.",
        ),
    ]
    if kind == "attempt":
        steps.insert(0, Step(
            "The attempt",
            "select attempt_id, experiment_id, job_id, eligible, recorded_outcome, failure_kind, exclusion_reason, "
            "source_path, row_number from historical.attempts where attempt_id = ?",
            "",
        ))  # fmt: skip
    if kind == "query":
        steps.insert(0, Step("The query", "select * from transfer.queries where query_id = ?", ""))
    slots = f"select experiment_id, job_id from historical.runs where {runs}"
    if kind == "attempt":
        slots = "select experiment_id, job_id from historical.attempts where attempt_id = ?"
    return [
        *steps,
        Step(
            "Excluded attempts of the same slots",
            "select attempt_id, recorded_outcome, failure_kind, exclusion_reason, source_path, row_number "
            f"from historical.attempts where not eligible and experiment_id in "
            f"(select experiment_id from historical.runs where {runs}) order by attempt_id",
            "None.",
        ),
        Step(
            "Largest stage of each run",
            "select run_id, stage, observed_peak_mib, coverage from historical.stages "
            f"where run_id in (select run_id from historical.runs where {runs}) "
            "qualify row_number() over (partition by run_id order by observed_peak_mib desc, stage) = 1 order by 1",
            "The stage measurements are not in this release.",
        ),
        Step(
            "Published beside raw evidence, with the archive member that proves it",
            "select entity_id, quantity, published, derived, status, member_path, member_sha256 "
            "from evidence.reconciliation where entity = 'run' and entity_id in "
            f"(select run_id from historical.runs where {runs}) order by entity_id, quantity",
            _NO_ARCHIVE,
        ),
        Step(
            "The deciding sample of each attempt",
            "select experiment_id, job_id, timestamp_ns, gpu_index, stage, step, memory_used_mib from evidence.samples "
            f"where (experiment_id, job_id) in ({slots}) qualify row_number() over "
            "(partition by experiment_id, job_id order by memory_used_mib desc, timestamp_ns, gpu_index) = 1 "
            "order by experiment_id, job_id",
            _NO_ARCHIVE,
        ),
        Step(
            "The deciding line of each failure's log",
            "select log_member, deciding_line, deciding_text, failure_kind, terminal_stage from evidence.attempts "
            f"where deciding_line is not null and (experiment_id, job_id) in ({slots}) order by log_member",
            "None: no run failed, or no archive holds its log.",
        ),
    ]


def _admission_steps(column: str) -> list[Step]:
    candidates = f"select candidate_id from admission.attempts where {column} = ?"
    if column == "candidate_id":
        candidates = "select ?"
    return [
        Step(
            "Label, and the rule that gives it",
            "select candidate_id, evaluation_state, candidates.label, meaning as rule, screen_state, source_state, "
            "evaluation_max_completed_peak_mib, evaluation_max_completed_peak_mib_absence, operating_limit_mib, "
            "headroom_mib, known_memory_failure, known_above_margin, source_path, row_number "
            "from admission.candidates as candidates left join registry.labels as labels "
            f"on candidates.label = labels.label where candidate_id in ({candidates})",
            "The candidates are not in this release.",
        ),
        Step(
            "Attempts: the screening seed never enters the label",
            "select attempt_id, role, training_seed as seed, state, peak_mib, peak_mib_absence as absence, "
            f"validation_error, repair_reason, source_path, row_number from admission.attempts "
            f"where candidate_id in ({candidates}) order by role desc, training_seed, attempt_index",
            "The attempts are not in this release.",
        ),
        Step(
            "Largest stage of each attempt",
            "select attempt_id, phase, observed_peak_mib, completed_process, failure_kind from admission.stages "
            f"where candidate_id in ({candidates}) qualify row_number() over "
            "(partition by attempt_id order by observed_peak_mib desc, phase) = 1 order by attempt_id",
            "The stage measurements are not in this release.",
        ),
    ]
