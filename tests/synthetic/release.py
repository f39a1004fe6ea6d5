"""Write the whole sample release."""

from pathlib import Path
from random import Random

from loaders.registry import read_registry
from tests.synthetic.admission import add_admission
from tests.synthetic.card_views import add_follow_ups, add_mi250x, add_offload, add_others
from tests.synthetic.estimation import add_estimation
from tests.synthetic.files import Files, write
from tests.synthetic.from_tables import write_archive_beside
from tests.synthetic.historical import add_historical, plan
from tests.synthetic.transfer import add_transfer, summarise

SEED = 20_261_023


def sample(seed: int = SEED) -> Files:
    """The sample release in memory: the same for the same seed, to the byte."""
    files, random = Files(), Random(seed)
    historical = plan(random)
    used = add_transfer(files, historical)
    add_historical(files, historical, used)
    summarise(files, historical, used)
    add_admission(files, random)
    add_estimation(files, random)
    add_mi250x(files, random)
    add_offload(files, random)
    add_follow_ups(files, random)
    add_others(files, random, historical)
    files.document("release.json", {"release": "sample-1", "synthetic": True, "seed": seed, "archives": []})
    files.texts["README.md"] = _readme(seed)
    return files


def write_sample(folder: Path, seed: int = SEED) -> None:
    """Write the sample release below `folder`: its tables, and an archive of raw evidence that fits them."""
    write(sample(seed), folder)
    write_archive_beside(folder)


def _readme(seed: int) -> str:
    unknown = [table for table in read_registry().tables.values() if table.is_view and not table.columns]
    listed = "\n".join(f"- `{table.name}` (`{table.paths[0]}`)" for table in unknown)
    return f"""# A sample release: everything in it is made up

This folder has the layout of the RLVRAMBench release and none of its data. No number here is a measurement. It was
written by a generator (seed {seed}) that keeps the published rules: identifiers, labels from three seeds, limits,
what is blank when. Where the dataset card fixes a total (154 MI250X configurations, 462 slots, ...) the sample has it.

Nobody has seen the published header of the {len(unknown)} views below. THEIR HEADERS ARE INVENTED; do not learn column names here.

{listed}
"""
