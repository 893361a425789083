"""Say which kernels BLAS and NumPy use in this environment; with ``--poorest``, fail unless they are the poorest."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

# OpenBLAS gives its smallest kernel the name of the oldest processor that runs it.
POOREST = ("Prescott", "Katmai")


def blas() -> str:
    """The kernel that OpenBLAS chose, such as ``Prescott``; its copy lies beside NumPy in the wheel."""
    (file,) = Path(np.__file__).parent.parent.glob("numpy.libs/*openblas*")
    core = ctypes.CDLL(str(file)).scipy_openblas_get_corename64_
    core.restype = ctypes.c_char_p
    return core().decode()


def wide() -> list[str]:
    """What NumPy uses beyond its baseline."""
    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


if __name__ == "__main__":
    print(f"BLAS kernel {blas()}; NumPy beyond its baseline: {', '.join(wide()) or 'nothing'}", flush=True)
    if "--poorest" in sys.argv and (blas() not in POOREST or wide()):
        sys.exit("this is not the poorest processor that was asked for")
