"""The committed golden numbers are those of the oracles, and the check that says so can fail."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent
NAMES = ("softmax", "torch", "random", "closed")


def check(folder, **environment):
    command = [sys.executable, "-B", str(folder / "write.py"), "--check"]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


@pytest.mark.thorough
def test_golden_numbers_are_fresh():
    """Needs PyTorch and mpmath, and fails without them."""
    result = check(GOLDEN)
    assert result.returncode == 0, result.stderr
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(NAMES)


def test_every_file_is_small_and_says_where_it_comes_from():
    for path in GOLDEN.glob("*.json"):
        assert path.stat().st_size < 60_000, path.name
        header = json.loads(path.read_text())["header"]
        assert header["oracle"] and header["version"] and header["command"] == "python tests/golden/write.py"


def test_oracles_do_not_use_the_package():
    for path in GOLDEN.glob("*.py"):
        assert not re.search(r"^\s*(import|from)\s+whyformer", path.read_text(), re.MULTILINE), path.name


def leaves(value, where=()):
    """All numbers of a file, with their keys."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*where, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield where, value


def edit(path, where, value):
    data = json.loads(path.read_text())
    place = data
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    path.write_text(json.dumps(data))


@pytest.mark.thorough
def test_an_edited_number_is_found_and_named(tmp_path):
    folder = shutil.copytree(GOLDEN, tmp_path / "golden")
    wanted = []
    for name in NAMES:
        path = folder / f"{name}.json"
        numbers = [(where, x) for where, x in leaves(json.loads(path.read_text())) if abs(x) > 1e-300]
        smallest, last = min(numbers, key=lambda item: abs(item[1])), numbers[-1]
        for where, x in {smallest[0]: smallest[1], last[0]: last[1]}.items():
            edit(path, where, x + 1 if isinstance(x, int) else x * (1 + 4e-12))
            wanted.append(f"{name}.json: {'.'.join(map(str, where))}: file ")
    path = folder / "closed.json"
    data = json.loads(path.read_text())
    del data["uniform_norm"]["64"]
    path.write_text(json.dumps(data | {"stray": 1}))
    wanted += ["closed.json: uniform_norm.64: only in the oracle", "closed.json: stray: only in the file"]
    result = check(folder)
    assert result.returncode == 1
    for sentence in wanted:
        assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == len(wanted) + 1  # nothing else differs


def test_a_missing_oracle_is_named_with_what_to_install(tmp_path):
    (tmp_path / "torch.py").write_text('raise ModuleNotFoundError("No module named \'torch\'", name="torch")\n')
    result = check(GOLDEN, PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    assert "need torch" in result.stderr and "pip install -r requirements-test.txt" in result.stderr
