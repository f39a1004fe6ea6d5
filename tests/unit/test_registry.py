"""The registry names every view of the card once and contradicts itself nowhere."""

import csv
import re
import shutil
from pathlib import Path

import pytest
import yaml

from loaders.errors import EvidenceError
from loaders.registry import PROJECT, SEEDS, read_registry, read_seed
from tests.releases import dataset_card, read_csv, upstream

CARD_VIEWS = 29  # dataset card, `configs`


def test_all_views_of_the_card_are_registered():
    views = [table for table in read_registry().tables.values() if table.is_view]
    assert len(views) == CARD_VIEWS
    assert sum(not view.columns for view in views) == 18  # release format, section 8


def test_views_paths_and_splits_are_those_of_the_card():
    configs = yaml.safe_load(dataset_card().read_text().split("---")[1])["configs"]
    published = {(c["config_name"], c["data_files"][0]["split"], c["data_files"][0]["path"]) for c in configs}
    assert {(row["view_name"], row["split"], row["path"]) for row in read_seed("release_views")} == published


def test_declared_columns_are_those_of_the_real_tables():
    folder = upstream()
    for table in read_registry().tables.values():
        path = next((folder / p for p in table.paths if (folder / p).is_file()), None)
        if path is None or table.format != "csv":
            continue
        with path.open(newline="") as file:
            header = next(csv.reader(file))
        declared = [column.name for column in table.columns if column.is_required or column.name in header]
        assert declared == header, table.name


def test_every_published_fact_names_its_source():
    for path in SEEDS.glob("*.csv"):
        for row in read_csv(path):
            if "source_document" in row:
                assert row["source_document"], (path.name, row)


def test_every_mart_named_by_a_known_view_has_a_model():
    for table in read_registry().tables.values():
        if table.mart and table.columns:
            cohort, grain = table.mart.split(".")
            assert (PROJECT / f"models/marts/{cohort}/{cohort}__{grain}.sql").is_file(), table.mart


def test_operating_limits_are_those_of_the_card():
    limits = {row["device_name"]: (row["capacity_mib"], row["operating_limit_mib"]) for row in read_seed("devices")}
    assert limits == {"NVIDIA A100-SXM4-40GB": ("40960", "38912"), "AMD MI250X GCD": ("65520", "63472")}


@pytest.mark.parametrize(
    ("seed", "old", "new", "problem"),
    [
        ("table_columns", ",mib,", ",mebibyte,", "unknown value_type 'mebibyte'"),
        ("table_columns", "run_state", "run_stare", "unknown vocabulary 'run_stare'"),
        ("release_views", "historical,historical.runs", "histrical,historical.runs", "unknown cohort 'histrical'"),
        ("release_views", "eligible_runs,", "stage_measurements,", "registered twice"),
        ("release_tables", "outcomes,benchmark", "outcmes,benchmark", "contradicts seeds/table_columns.csv"),
        ("cohorts", "historical,", "historical,extra,", "another width than the header"),
    ],
)
def test_a_slip_in_the_registry_is_named_with_file_and_line(
    tmp_path: Path, seed: str, old: str, new: str, problem: str
):
    shutil.copytree(SEEDS, tmp_path / "seeds")
    path = tmp_path / "seeds" / f"{seed}.csv"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(EvidenceError, match=re.escape(problem)) as caught:
        read_registry(tmp_path / "seeds")
    assert caught.value.place.startswith("seeds/")
    assert caught.value.line


def test_no_description_in_the_yaml_of_the_marts_is_cut_at_a_comma():
    """In a flow mapping an unquoted comma ends a text and begins a key."""
    known = {"name", "data_type", "description", "config", "constraints"}
    for path in (PROJECT / "models/marts").rglob("*.yml"):
        for model in yaml.safe_load(path.read_text())["models"]:
            for column in model.get("columns", []):
                assert set(column) <= known, (path.name, column["name"])
