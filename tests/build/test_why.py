"""`rlvram why` leads from an identifier to its evidence, and its SQL gives what it shows."""

import json
from pathlib import Path

import duckdb
import pytest

from tests.build.conftest import query, rlvram


def why(warehouse: Path, identifier: str) -> dict:
    done = rlvram("why", identifier, "-w", warehouse, "--json", cwd=warehouse.parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rows(answer: dict, title: str) -> list[dict]:
    return next(step["rows"] for step in answer["steps"] if step["title"].startswith(title))


def one(warehouse: Path, sql: str) -> str:
    return query(warehouse, sql)[0][0]


def test_the_story_of_a_failure(sample_warehouse: Path):
    identifier = one(
        sample_warehouse,
        "select min(configuration_id) from historical.configurations where label = 'memory_failure'",
    )
    answer = why(sample_warehouse, identifier)
    assert answer["kind"] == "configuration"
    (label,) = rows(answer, "Label")
    assert (label["label"], label["max_completed_run_peak_mib"]) == ("memory_failure", None)
    assert label["max_completed_run_peak_mib_absence"] == "no_eligible_completion"
    assert "at least one has a diagnosed device-memory failure" in label["rule"]
    assert len(rows(answer, "Eligible runs")) == 3
    lines = rows(answer, "The deciding line")
    assert len(lines) == 3
    assert all("out of memory" in line["deciding_text"].lower() or line["deciding_text"] for line in lines)
    proofs = rows(answer, "Published beside raw")
    assert {proof["status"] for proof in proofs} == {"agrees"}
    assert all(len(proof["member_sha256"]) == 64 for proof in proofs)


def test_the_story_of_a_success_names_the_deciding_sample(sample_warehouse: Path):
    identifier = one(sample_warehouse, "select min(run_id) from historical.runs where label = 'within_margin'")
    answer = why(sample_warehouse, identifier)
    (run,) = rows(answer, "Eligible runs")
    (sampled,) = rows(answer, "The deciding sample")
    assert float(sampled["memory_used_mib"]) == float(run["completed_run_peak_mib"])
    assert rows(answer, "The deciding line") == []


@pytest.mark.parametrize(
    ("kind", "sql"),
    [
        ("attempt", "select min(attempt_id) from historical.attempts where not eligible"),
        ("query", "select min(query_id) from transfer.queries"),
        ("candidate", "select min(candidate_id) from admission.candidates where label = 'unresolved'"),
        ("admission attempt", "select min(attempt_id) from admission.attempts"),
    ],
)
def test_every_kind_of_identifier_has_an_answer(sample_warehouse: Path, kind: str, sql: str):
    answer = why(sample_warehouse, one(sample_warehouse, sql))
    assert answer["kind"] == kind
    assert answer["steps"][0]["rows"]


def test_the_sql_that_is_shown_gives_the_rows_that_are_shown(sample_warehouse: Path):
    answer = why(sample_warehouse, one(sample_warehouse, "select min(query_id) from transfer.queries"))
    with duckdb.connect(sample_warehouse, read_only=True) as connection:
        for step in answer["steps"]:
            assert len(connection.execute(step["sql"]).fetchall()) == len(step["rows"]), step["title"]


def test_without_an_archive_it_says_so(real_tables_warehouse: Path):
    identifier = one(real_tables_warehouse, "select min(run_id) from historical.runs")
    done = rlvram("why", identifier, "-w", real_tables_warehouse, cwd=real_tables_warehouse.parent)
    assert "No archive of this release holds evidence of it" in done.stdout
    assert "benchmark/runs.csv" in done.stdout


@pytest.mark.parametrize("identifier", ["cfg-0", "'; drop table x; --", ""])
def test_an_unknown_identifier_is_said_to_be_unknown(real_tables_warehouse: Path, identifier: str):
    done = rlvram("why", identifier, "-w", real_tables_warehouse, cwd=real_tables_warehouse.parent)
    assert done.returncode == 1
    assert "nothing in it is called" in done.stderr
