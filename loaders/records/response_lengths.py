"""Read one trace of response lengths.

Source:  `response-lengths-<job>.jsonl` members (release format 2.1). Their keys are not described, so each line is
         kept whole.
Yields:  one dict for each line: `record`, the line as JSON.
Units:   tokens, as far as is known.
Missing: as written.
Errors:  RecordError for one line; reading can go on with the next.
"""

from loaders.records.json_text import read_json, to_json


def read_response_lengths_line(line: bytes) -> dict[str, str | None]:
    """The columns of one line."""
    return {"record": to_json(read_json(line))}
