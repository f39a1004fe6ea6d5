"""Recorded cluster paths are mapped into the release (release format 1.3)."""

import pytest

from loaders.paths import ESTIMATION_ANCHORS, RECORDED_ROOT, remap


@pytest.mark.parametrize(
    ("recorded", "member"),
    [
        (f"{RECORDED_ROOT}/output/g/s/training-7.log", "output/g/s/training-7.log"),
        ("/scratch/user/rl/output/g/output/x.csv", "output/g/output/x.csv"),
        ("/scratch/data/gsm8k", "data/gsm8k"),
        ("output/g/s/x.csv", "output/g/s/x.csv"),
        ("./profiles//x", "profiles/x"),
    ],
)
def test_a_recorded_path_is_mapped(recorded, member):
    assert remap(recorded) == member


@pytest.mark.parametrize("recorded", ["/output/../etc/passwd", "../x", f"{RECORDED_ROOT}/../output/x"])
def test_a_path_that_climbs_is_an_error(recorded):
    with pytest.raises(ValueError, match="climbs"):
        remap(recorded)


def test_a_path_that_nothing_anchors_is_an_error():
    with pytest.raises(ValueError, match="none of output, profiles, data"):
        remap("/scratch/user/benchmark/x")
    assert remap("/scratch/user/benchmark/x", ESTIMATION_ANCHORS) == "benchmark/x"


def test_a_root_is_matched_by_whole_components():
    assert remap(f"{RECORDED_ROOT}2/output/x") == "output/x"
