"""Golden numbers for the tests, from oracles that share no code with the package.

python tests/golden/write.py           writes the JSON files beside this script
python tests/golden/write.py --check   exits 1 and names what differs from the files by more than 1e-12 relative
"""

import importlib
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELATIVE = 1e-12
COMMAND = "python tests/golden/write.py"
NAMES = ("softmax", "torch", "random", "closed")


def oracles():
    """The oracle modules by the name of their file; says what to install if one cannot be loaded."""
    sys.path.insert(0, str(HERE))
    try:
        return {name: importlib.import_module(f"{name}_oracle") for name in NAMES}
    except ModuleNotFoundError as error:
        sys.exit(f"The golden numbers need {error.name}, which is missing: pip install -r requirements-test.txt")


def content(oracle):
    header = {"oracle": oracle.ORACLE, "version": str(oracle.VERSION), "command": COMMAND}
    return {"header": header, **oracle.golden()}


def layout(value, depth=3):
    """JSON with one line for each entry down to ``depth``, so that a changed number is a changed line."""
    if depth and isinstance(value, dict):
        return "{\n" + ",\n".join(f"{json.dumps(k)}: {layout(v, depth - 1)}" for k, v in value.items()) + "\n}"
    if depth and isinstance(value, list) and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(v, allow_nan=False) for v in value) + "\n]"
    return json.dumps(value, allow_nan=False)


def differences(there, now, where):
    """Where the committed value and the oracle's differ, as sentences."""
    if isinstance(there, dict) and isinstance(now, dict):
        for key in [*now, *(key for key in there if key not in now)]:
            if key not in there or key not in now:
                yield f"{where}{key}: only in the {'file' if key in there else 'oracle'}"
            else:
                yield from differences(there[key], now[key], f"{where}{key}.")
    elif isinstance(there, list) and isinstance(now, list) and len(there) == len(now):
        for i, (a, b) in enumerate(zip(there, now, strict=True)):
            yield from differences(a, b, f"{where}{i}.")
    elif type(there) is float and type(now) is float:
        if not math.isclose(there, now, rel_tol=RELATIVE, abs_tol=0):
            yield f"{where[:-1]}: file {there!r}, oracle {now!r}"
    elif type(there) is not type(now) or there != now:
        yield f"{where[:-1]}: file {there!r}, oracle {now!r}"


def check(name, now):
    path = HERE / f"{name}.json"
    try:
        there = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        return [f"{path.name}: cannot be read: {error}"]
    for header in (there.get("header", {}), now["header"]):
        header.pop("version", None)  # another version that gives the same numbers is no difference
    return list(differences(there, now, f"{path.name}: "))


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    wrong = []
    for name, oracle in oracles().items():
        now = content(oracle)
        if arguments:
            wrong += check(name, json.loads(layout(now)))
        else:
            (HERE / f"{name}.json").write_text(layout(now) + "\n")
    if wrong:
        shown = "\n".join(wrong[:20]) + (f"\n... and {len(wrong) - 20} more" if len(wrong) > 20 else "")
        sys.exit(f"{shown}\nThe golden numbers differ from their oracles. If the oracle is right: {COMMAND}")


if __name__ == "__main__":
    main(sys.argv[1:])
