"""What the documents show is what happens: README's queries, the walk through a new cohort, generated files."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from loaders.registry import PROJECT
from rlvram.generate import generated_files
from tests.releases import write_release

README = (PROJECT / "README.md").read_text()
QUESTIONS = re.findall(r"```sql\n(.*?)```\n\n((?:\|[^\n]*\n)+)", README, re.DOTALL)


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True)
    return [PROJECT / name for name in listed.stdout.split("\0") if name]


def markdown(rows: list[tuple], text: str) -> bool:
    """True when the table in `text` has exactly these rows."""
    shown = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.strip().splitlines()[2:]]
    return shown == [
        tuple("NULL" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in row)
        for row in rows
    ]


@pytest.mark.parametrize(("sql", "answer"), QUESTIONS)
def test_the_readme_shows_what_the_real_tables_answer(real_tables_warehouse: Path, sql: str, answer: str):
    with duckdb.connect(real_tables_warehouse, read_only=True) as connection:
        assert markdown(connection.execute(sql).fetchall(), answer)


def test_the_readme_asks_three_questions():
    assert len(QUESTIONS) == 3


def test_generated_files_are_not_stale():
    stale = [str(path) for path, text in generated_files().items() if (PROJECT / path).read_text() != text]
    assert stale == [], "run `make sources` and commit what it writes"


def test_every_column_of_every_mart_is_described(real_tables_warehouse: Path):
    with duckdb.connect(real_tables_warehouse, read_only=True) as connection:
        undescribed = connection.execute(
            "select schema_name, table_name, column_name from duckdb_columns() "
            "where schema_name || '.' || table_name in (select relation from meta.columns) "
            "and (comment is null or length(comment) < 10)"
        ).fetchall()
        promised = connection.execute("select relation, column_name from meta.columns order by all").fetchall()
        built = connection.execute(
            "select schema_name || '.' || table_name, column_name from duckdb_columns() where "
            "schema_name || '.' || table_name in (select relation from meta.columns) order by all"
        ).fetchall()
    assert undescribed == []
    assert promised == built


def test_every_nullable_measure_has_its_reason(real_tables_warehouse: Path):
    with duckdb.connect(real_tables_warehouse, read_only=True) as connection:
        bare = connection.execute(
            "select relation, column_name from meta.columns as measures semi join (select schema_name || '.' || "
            "table_name as relation, column_name from duckdb_columns() where is_nullable) using (relation, column_name) "
            "where unit is not null and not exists (select 1 from meta.columns as twins where "
            "twins.relation = measures.relation and twins.column_name = measures.column_name || '_absence')"
        ).fetchall()
    assert bare == []


def test_the_walk_through_a_new_cohort_works_as_it_stands(tmp_path: Path):
    project = tmp_path / "project"
    shutil.copytree(
        PROJECT,
        project,
        ignore=shutil.ignore_patterns(".venv*", ".git", "target", "logs", ".sample", "*.duckdb*", "__pycache__"),
    )
    release = tmp_path / "release"
    text = (PROJECT / "docs/adding-a-cohort.md").read_text()
    blocks = re.findall(r"```\w+ (append )?(\S+)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 8
    for append, name, body in blocks:
        if name.startswith("lab/"):
            write_release(release, {name: body})
            continue
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((target.read_text() if append else "") + body)
    environment = {key: value for key, value in os.environ.items() if key != "RLVRAM_WAREHOUSE"} | {
        "PYTHONPATH": str(project)
    }
    for command in (["rlvram.generate"], ["rlvram.cli", "build", str(release)]):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(project / "warehouse.duckdb", read_only=True) as connection:
        rows = connection.execute(
            "select run, ended, peak_mib_absence, headroom_mib from lab.runs order by run"
        ).fetchall()
        assert [(a, b, c, None if d is None else float(d)) for a, b, c, d in rows] == [
            ("lab-1", "completed", None, 7712.0),
            ("lab-2", "completed", None, -88.0),
            ("lab-3", "device_oom", "run_did_not_complete", None),
        ]
        assert connection.execute(
            "select status, row_count from meta.tables where relation = 'lab.runs'"
        ).fetchall() == [("loaded", 3)]
    assert "## lab.runs" in (project / "docs/dictionary.md").read_text()


def test_no_machine_path_and_no_registry_host_is_in_the_project():
    wanted = re.compile(
        rb"(^|[^A-Za-z])/(work|root|home|Users)/|https?://[^ ]*(pypi|files\.pythonhosted|npmjs|deb\.debian)"
    )
    found = [str(path) for path in tracked_files() if path.suffix != ".example" and wanted.search(path.read_bytes())]
    assert [name for name in found if not name.endswith("test_documents.py")] == []
    assert b"/work/" not in (PROJECT / "warehouse.duckdb.example").read_bytes()


def test_no_real_table_is_copied_into_the_project():
    known = {row.split(",")[1] for row in (PROJECT / "seeds/editions.csv").read_text().splitlines()[1:]}
    assert [p for p in tracked_files() if hashlib.sha256(p.read_bytes()).hexdigest() in known] == []


def test_loaders_and_guard_import_neither_each_other_nor_the_command():
    for package, forbidden in (("loaders", "guard|rlvram|dbt"), ("guard", "loaders|rlvram|dbt")):
        pattern = re.compile(rf"^\s*(from|import) ({forbidden})\b", re.MULTILINE)
        assert [str(p) for p in (PROJECT / package).rglob("*.py") if pattern.search(p.read_text())] == []
