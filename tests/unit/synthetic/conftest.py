"""One written sample for all tests here, and copies of it that a test may break."""

import shutil
from pathlib import Path

import pytest

from tests.synthetic.release import write_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample release; tests only read it."""
    folder = tmp_path_factory.mktemp("sample") / "sample"
    write_sample(folder)
    return folder


@pytest.fixture
def broken(sample: Path, tmp_path: Path) -> Path:
    """A copy of the sample for one fault, without its archives: they are no table."""
    folder = tmp_path / "release"
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns("releases"))
    return folder
