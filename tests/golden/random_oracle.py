"""The counter-based generator in plain Python integers, and the normals from those integers in mpmath."""

import mpmath
from mpmath import mp, mpf

ORACLE = "Python integers modulo 2^32; mpmath, 50 digits, for the normals"
VERSION = mpmath.__version__

LAST = 2**32 - 1
WORDS = [0, 1, 2, 3, 255, 256, 65535, 65536, 2**31 - 1, 2**31, LAST - 1, LAST, 0x9E3779B9, 0x12345678, 0xDEADBEEF]
PLACES = [
    *[(0, 0, counter) for counter in range(16)],
    *[(seed, 0, 5) for seed in (1, 2, 3, 65536, 2**31, LAST, LAST + 1 - 0x9E3779B9)],
    *[(0, stream, 5) for stream in (1, 2, 3, 65536, 2**31, LAST)],
    *[(7, 3, counter) for counter in (63, 64, 65, 4095, 4096, 10**6, 2**31 - 1, 2**31, LAST - 1, LAST)],
    *[(123456789, 987654321, counter) for counter in range(8)],
    (LAST, LAST, LAST),
]


def mix(x):
    """lowbias32: xor-shift 16, times, xor-shift 15, times, xor-shift 16."""
    x = (x ^ (x >> 16)) * 0x7FEB352D % 2**32
    x = (x ^ (x >> 15)) * 0x846CA68B % 2**32
    return x ^ (x >> 16)


def bits(seed, stream, counter):
    golden_ratio = 0x9E3779B9
    offset = mix(mix((seed + golden_ratio) % 2**32) ^ stream)
    stride = mix((offset + golden_ratio) % 2**32) | 1
    return mix((offset + counter * stride) % 2**32)


def normal(seed, stream, counter):
    pair = counter - counter % 2
    u, v = ((mpf(bits(seed, stream, c)) + mpf(1) / 2) / 2**32 for c in (pair, pair + 1))
    turn = mp.sin if counter % 2 else mp.cos
    return float(mp.sqrt(-2 * mp.log(u)) * turn(2 * mp.pi * v))


def golden():
    with mp.workdps(50):
        places = [{"place": list(p), "bits": bits(*p), "normal": normal(*p)} for p in PLACES]
    return {"mix": [{"x": x, "mix": mix(x)} for x in WORDS], "places": places}
