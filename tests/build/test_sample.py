"""The sample release and what is built from it: complete, deterministic, obeying the card, and the committed example."""

from pathlib import Path

import duckdb

from loaders.registry import PROJECT, read_seed
from tests.build.conftest import query
from tests.build.test_promises import failing_rows
from tests.releases import read_csv, upstream
from tests.synthetic.ids import case_id, configuration_id, hashed
from tests.synthetic.release import write_sample

# Of what is not the same from build to build: when it was made, and by which run on which engine.
UNSTABLE = {"loaded_at", "built_at", "checked_at", "build_id", "duckdb_version", "dbt_version", "code_version",
            "loader_fingerprint", "code_fingerprint"}  # fmt: skip


def rows_of(folder: Path, path: str) -> list[dict[str, str]]:
    return read_csv(folder / path)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(sample: Path, tmp_path: Path):
    write_sample(tmp_path / "again")
    write_sample(tmp_path / "other", seed=1)
    names = sorted(path.relative_to(sample) for path in sample.rglob("*") if path.is_file())
    assert names == sorted(p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*") if p.is_file())
    assert all((sample / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in names)
    assert (sample / "benchmark/runs.csv").read_bytes() != (tmp_path / "other/benchmark/runs.csv").read_bytes()


def test_identifiers_follow_the_recipes_of_the_real_ones():
    # release format 4.1, on every real configuration, run and query
    folder = upstream()
    for row in rows_of(folder, "benchmark/configurations.csv"):
        settings = {name: value for name, value in row.items() if name not in ("configuration_id", "case_id")}
        assert (configuration_id(settings), case_id(settings)) == (row["configuration_id"], row["case_id"])
    for row in rows_of(folder, "benchmark/runs.csv"):
        assert hashed("run", [row["experiment_id"], row["job_id"]]) == row["run_id"]
    for row in rows_of(folder, "benchmark/queries.csv"):
        parts = [row["task_id"], row["source_configuration_id"], row["target_configuration_id"]]
        assert hashed("query", parts) == row["query_id"]


def test_the_sample_obeys_the_totals_of_the_card(sample: Path):
    # dataset card, submission cohorts
    trials = [row["trial_status"] for row in rows_of(sample, "amd_mi250x/results/trials.csv")]
    assert (len(trials), trials.count("done"), trials.count("oom"), trials.count("ineligible")) == (462, 363, 98, 1)
    configurations = rows_of(sample, "amd_mi250x/results/configurations.csv")
    assert (len(configurations), len({row["panel"] for row in configurations})) == (154, 5)
    (unresolved,) = [row for row in configurations if row["label"] == "unresolved"]
    assert (unresolved["family"], unresolved["dataset"], unresolved["level"]) == ("phi4_mini", "gsm8k", "c5")
    assert (unresolved["panel"], unresolved["diagnosed_ooms"]) == ("a100_replay", "2")
    ledger = [r for r in rows_of(sample, "amd_mi250x/results/attempt_ledger.csv") if r["job_status"] == "started"]
    assert (len(ledger), len({row["slurm_job"] for row in ledger})) == (511, 510)
    agreement = [r["labels_agree"] for r in rows_of(sample, "amd_mi250x/results/analysis/hardware_transfer_labels.csv")]
    assert (agreement.count("1"), agreement.count("0"), agreement.count("")) == (79, 10, 1)
    offload = [row["result"] for row in rows_of(sample, "benchmark/offload_factorial/results/configurations.csv")]
    assert (offload.count("within_margin"), offload.count("memory_failure")) == (36, 12)
    assert len(rows_of(sample, "benchmark/offload_factorial/results/slots.csv")) == 144
    base = "profiles/electronics_revision"
    for folder, expected in (
        ("adaptation", (106, 0, 0, 2)), ("reservation", (111, 11, 21, 1)), ("release", (17, 6, 12, 1)), ("timing", (24, 0, 0, 0)),
    ):  # fmt: skip
        words = [row["run_outcome"] for row in rows_of(sample, f"{base}/{folder}/outcomes.csv")]
        counted = tuple(words.count(w) for w in ("within_margin", "above_margin", "memory_failure", "ineligible"))
        assert counted == expected, folder
    assert len(rows_of(sample, f"{base}/llmem_native/pairs.csv")) == 24


def test_a_label_of_a_trial_fits_its_three_runs(sample: Path):
    trials: dict[str, list[str]] = {}
    for row in rows_of(sample, "amd_mi250x/results/trials.csv"):
        trials.setdefault(row["config"], []).append(row["trial_status"])
    for row in rows_of(sample, "amd_mi250x/results/configurations.csv"):
        states = trials[row["config"]]
        expected = "unresolved" if "ineligible" in states else "memory_failure" if "oom" in states else "within_margin"
        assert row["label"] == expected


def test_the_readme_of_the_sample_says_what_it_is(sample: Path):
    text = (sample / "README.md").read_text()
    assert "everything in it is made up" in text
    assert text.count("\n- `") == 18
    assert "THEIR HEADERS ARE INVENTED" in text


def test_every_expectation_of_the_sample_is_met(sample: Path, sample_warehouse: Path):
    met = query(
        sample_warehouse,
        "select count(*), count(*) filter (where expected_count = found_count) from meta.published_counts",
    )
    assert met == [(len(rows_of(sample, "expectations.csv")),) * 2]


def test_every_label_and_reason_of_absence_occurs(sample_warehouse: Path):
    labels = query(
        sample_warehouse,
        "select label from historical.configurations union select label from admission.candidates union "
        "select observed_state from larger_models.configurations",
    )
    assert {label for (label,) in labels} == {row["label"] for row in read_seed("labels")}
    reasons = {row[0] for row in query(sample_warehouse, "select distinct absence_reason from meta.absences")}
    # Reasons that only archives and the planner's records can have.
    later = {"not_applicable", "sensor_not_available", "oom_before_sample", "unit_unknown"}
    assert reasons == {row["absence_reason"] for row in read_seed("absence_reasons")} - later


def test_known_failures_of_unresolved_settings_stay_visible(sample_warehouse: Path):
    for relation in ("admission.candidates", "larger_models.configurations"):
        state = "evaluation_state" if relation.startswith("admission") else "observed_state"
        found = query(
            sample_warehouse, f"select count(*) from {relation} where {state} = 'unresolved' and known_memory_failure"
        )
        assert found[0][0] >= 1, relation


def test_a_peak_exactly_at_the_limit_is_within(sample_warehouse: Path):
    found = query(
        sample_warehouse, "select label, headroom_mib from historical.runs where completed_run_peak_mib = 38912"
    )
    assert [(label, float(headroom)) for label, headroom in found] == [("within_margin", 0.0)]


def test_the_missing_spellings_of_unknown_views_stay_text(sample_warehouse: Path):
    found = query(
        sample_warehouse,
        "select (select count(*) from raw.mi250x_trials where gcd_peak_mib = 'N/A'), "
        "(select count(*) from raw.mi250x_horizon_pairs where peak_long_mib = '[N/A]'), "
        "(select count(*) from raw.independent_control_runs where peak_mib = 'None'), "
        "(select count(*) from raw.llmem_native_pairs where measured_mib = 'nan')",
    )
    assert found == [(3, 1, 3, 1)]


def test_every_test_passed_on_the_sample_and_none_only_warned(sample_warehouse: Path):
    assert query(sample_warehouse, "select status from meta.test_results group by 1") == [("pass",)]


def test_the_two_state_view_is_held_by_its_test(sample_warehouse: Path, tmp_path: Path):
    rows = failing_rows(sample_warehouse, "historical_feasibility_is_the_boundary_study",
                        "update historical.feasibility set safe = not safe", tmp_path)  # fmt: skip
    assert rows == 36


def contents(warehouse: Path) -> dict[str, list[tuple]]:
    """Rows of every table, sorted, less what differs from build to build."""
    found = {}
    with duckdb.connect() as connection:
        connection.execute(f"attach '{warehouse}' as w (read_only)")
        tables = connection.execute(
            "select schema_name, table_name, list(column_name order by column_index) from duckdb_columns() "
            "semi join duckdb_tables() using (database_name, schema_name, table_name) "
            "where database_name = 'w' group by all"
        ).fetchall()
        for schema, table, columns in tables:
            kept = ", ".join(f'"{column}"' for column in columns if column not in UNSTABLE)
            found[f"{schema}.{table}"] = (
                connection.execute(f'select {kept} from w.{schema}."{table}" order by all').fetchall() if kept else []
            )
    return found


def test_the_committed_example_is_the_sample_as_it_is_built_today(sample_warehouse: Path):
    example = contents(PROJECT / "warehouse.duckdb.example")
    today = contents(sample_warehouse)
    assert example.keys() == today.keys()
    stale = [name for name in today if example[name] != today[name]]
    assert stale == [], "run `make example` and commit warehouse.duckdb.example"
