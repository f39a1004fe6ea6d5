"""Strict reading of tables: each fault of docs' bad inputs gives its own message, and text stays text."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from loaders.errors import EvidenceError
from loaders.registry import read_registry
from loaders.tables import open_table, raw_column_names
from tests.releases import STAGES_HEADER, STAGES_ROW

REGISTRY = read_registry()


def read(name: str, text: str | bytes, place: str = "t.csv") -> list[tuple[int, list[str]]]:
    data = text.encode() if isinstance(text, str) else text
    table = open_table(io.BytesIO(data), REGISTRY.tables[name], REGISTRY, place, is_proved=True)
    return [row for batch in table.batches for row in batch]


def test_cells_are_text_and_rows_know_their_line():
    assert read("stage_measurements", STAGES_HEADER + STAGES_ROW) == [
        (2, ["run-1", "cfg-1", "rollout", "30120.0", "completed_run", "output/a.csv"])
    ]


def test_a_record_over_two_lines_is_placed_where_it_begins():
    rows = read("a100_release", 'note,peak\n"two\nlines",1\nnext,2\n')
    assert rows == [(2, ["two\nlines", "1"]), (4, ["next", "2"])]


def test_a_row_of_another_width_refuses_the_file_with_both_widths():
    # T2
    with pytest.raises(EvidenceError, match=r"t\.csv:3: 5 fields \['run-1'.*expected 6"):
        read("stage_measurements", STAGES_HEADER + STAGES_ROW + "run-1,cfg-1,idle,1.0,completed_run\n")


def test_a_row_that_is_too_wide_is_refused_too():
    # T2: DuckDB's own reader would drop the surplus.
    with pytest.raises(EvidenceError, match=r"t\.csv:2: 3 fields .* expected 2"):
        read("a100_release", "a,b\n1,2,3\n")


@pytest.mark.parametrize("header", ["peak,seed,peak", "peak,seed,Peak"])
def test_a_name_twice_in_a_header_is_refused_whatever_its_case(header: str):
    # T3: DuckDB does not tell peak from Peak.
    with pytest.raises(EvidenceError, match="expected each name once"):
        read("a100_release", header + "\n1,2,3\n")


def test_a_missing_column_is_refused_listing_what_was_found():
    # T11
    with pytest.raises(EvidenceError, match=r"the header lacks \['coverage'\]; found \['run_id'"):
        read("stage_measurements", STAGES_HEADER.replace("coverage,", "") + "run-1,cfg-1,rollout,1.0,output/a.csv\n")


def test_an_unknown_column_is_kept_and_reported():
    # T11
    text = STAGES_HEADER.replace("\n", ",sampled_by\n") + STAGES_ROW.replace("\n", ",nvml\n")
    table = open_table(
        io.BytesIO(text.encode()), REGISTRY.tables["stage_measurements"], REGISTRY, "t.csv", is_proved=True
    )
    assert table.unknown_columns == ["sampled_by"]
    assert next(table.batches)[0][1][-1] == "nvml"


def test_an_unknown_word_stops_the_build_with_word_file_and_line():
    # T12; both words of the file are told at once.
    text = (
        STAGES_HEADER + STAGES_ROW + STAGES_ROW.replace("rollout", "dreaming") + STAGES_ROW.replace("rollout", "IDLE")
    )
    with pytest.raises(EvidenceError, match=r"t\.csv:3: stage says 'dreaming' at line 3.*'IDLE' at line 4") as caught:
        read("stage_measurements", text)
    assert caught.value.blocks


@pytest.mark.parametrize(
    "cell", ["41 GiB", "35730 MiB", "1_000", "1e3", " 35730", "0x10", "inf", "30120,5", "30120.1234567"]
)
def test_a_cell_that_is_no_plain_mib_refuses_the_table(cell: str):
    with pytest.raises(EvidenceError, match=r"t\.csv:2: observed_peak_mib is .*expected a decimal number of MiB"):
        read("stage_measurements", STAGES_HEADER + STAGES_ROW.replace("30120.0", f'"{cell}"'))


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "None", "[N/A]", "N/A"])
def test_every_spelling_of_missing_is_taken_where_a_measure_can_be_missing(cell: str):
    # T6: kept as it is spelled; what it means is said in the mart.
    header = "experiment_id,pair_id,condition,period,model_family,dataset,training_seed,job_id,initial_allocation,"
    header += "attempted,outcome,observed_peak_mib,actor_update_peak_mib,terminal_sampled_phase\n"
    rows = read("not_started_conditions", header + f"e,p,c,2,f,d,1,7,1,0,not_attempted,{cell},{cell},\n")
    assert rows[0][1][11:13] == [cell, cell]


def test_a_missing_cell_in_a_column_that_is_never_missing_refuses_the_table():
    with pytest.raises(EvidenceError, match="observed_peak_mib is '', this column is never missing"):
        read("stage_measurements", STAGES_HEADER + STAGES_ROW.replace("30120.0", ""))


def test_text_that_says_none_or_null_stays_text():
    # T7
    rows = read(
        "failure_annotations", "experiment_id,failure_kind,evidence_path,evidence_note\nNone,cuda_oom,null,nan\n"
    )
    assert rows == [(2, ["None", "cuda_oom", "null", "nan"])]


def test_a_duplicate_key_is_refused_with_both_lines():
    with pytest.raises(
        EvidenceError, match=r"t\.csv:3: the key \{'run_id': 'run-1', 'stage': 'rollout'\} stands at line 2"
    ):
        read("stage_measurements", STAGES_HEADER + STAGES_ROW + STAGES_ROW)


def test_broken_quoting_is_named_where_it_begins():
    with pytest.raises(EvidenceError, match=r"t\.csv:2: the quoting is broken"):
        read("a100_release", 'a,b\n"1,2\n3,4\n')


def test_an_empty_file_is_refused():
    with pytest.raises(EvidenceError, match="the file is empty, expected a header"):
        read("a100_release", "")


def test_a_header_alone_is_a_table_of_no_rows():
    assert read("a100_release", "a,b\n") == []


def test_pipe_separated_accounting_has_no_header():
    line = "7_3|9|demo|COMPLETED|0:0|2026-09-15T10:00:00|2026-09-15T10:05:00|300|billing=4|node01|None\n"
    assert read("larger_model_scheduler_records", line, "t.psv") == [(1, line.strip().split("|"))]


def test_columns_that_clash_with_ours_or_have_no_name_are_renamed():
    assert raw_column_names(["", "source_path", "peak"]) == ["column_1", "source_path__in_file", "peak"]


def test_json_numbers_keep_their_digits_and_nan_stays_a_token():
    # T8
    body = '[{"peak": 39556.666666666664, "seed": 1790000000100000001, "ok": true}, {"peak": NaN, "seed": null}]'
    assert read("a100_release", body, "t.json") == [
        (1, ["39556.666666666664", "1790000000100000001", "True"]),
        (2, ["NaN", "", ""]),
    ]


def test_json_flags_take_the_spelling_of_their_column():
    row = dict(zip(STAGES_HEADER.strip().split(","), STAGES_ROW.strip().split(","), strict=True))
    assert read("stage_measurements", json.dumps([row]), "t.json")[0][1] == STAGES_ROW.strip().split(",")
    feasibility = {
        "model_family": "f",
        "algorithm": "grpo",
        "dataset": "d",
        "configuration_level": "c0",
        "safe": True,
        "safe_repetitions": 3,
        "successful_repetitions": 3,
        "mean_success_peak_mib": 1.5,
    }
    assert read("configuration_feasibility", json.dumps([feasibility]), "t.json")[0][1][4] == "1"


def test_a_parquet_stand_in_gives_the_same_texts():
    # T8
    sink = io.BytesIO()
    pq.write_table(pa.table({"peak": [35730.0, float("nan"), None], "at": [1790000000100000001, None, 3]}), sink)
    assert read("a100_release", sink.getvalue(), "t.parquet") == [
        (1, ["35730.0", "1790000000100000001"]),
        (2, ["nan", ""]),
        (3, ["", "3"]),
    ]


@pytest.mark.parametrize(
    ("data", "place"), [(b"{}", "t.json"), (b"[1]", "t.json"), (b"[" * 100_000, "t.json"), (b"PAR1", "t.parquet")]
)
def test_what_is_no_table_is_refused(data: bytes, place: str):
    with pytest.raises(EvidenceError):
        read("a100_release", data, place)
