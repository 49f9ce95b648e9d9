#!/usr/bin/env python3
"""Prints src/kernels/simd/gelu_table.h: a * (1 - Phi(a)) on [0, 6.4] as 32 polynomials of degree 4.

Usage: .venv/bin/python tools/generate_gelu_table.py > src/kernels/simd/gelu_table.h   (needs NumPy)
"""
import math

import numpy as np

SEGMENTS, WIDTH, DEGREE = 32, 0.2, 4


def tail(a):
    return 0.5 * a * math.erfc(a / math.sqrt(2))


def fit(segment):
    """Coefficients in t = a / WIDTH - segment, within [0, 1], from Chebyshev nodes."""
    t = 0.5 + 0.5 * np.cos(np.pi * (np.arange(64) + 0.5) / 64)
    values = [tail((segment + x) * WIDTH) for x in t]
    return np.polynomial.Chebyshev.fit(t, values, DEGREE, domain=[0, 1]).convert(kind=np.polynomial.Polynomial).coef


def main():
    rows = np.array([fit(s) for s in range(SEGMENTS)]).T
    rows[0][0] = 0  # 0 stays 0
    rows[:, -1] = 0  # beyond 6.2, where less than 2e-9 is left, up to infinity
    print("#pragma once")
    print("// a * (1 - Phi(a)), Phi the normal distribution, on [0, 6.4]: column s has the")
    print("// coefficients, constant first, of a polynomial in a / 0.2 - s for a from 0.2 * s")
    print("// to 0.2 * (s + 1). Made by tools/generate_gelu_table.py.")
    print("\nnamespace stint {\n")
    print(f"inline constexpr int kGeluSegments = {SEGMENTS};")
    print(f"inline constexpr float kGeluSegmentsPerUnit = {1 / WIDTH:.1f}f;")
    print(f"alignas(64) inline constexpr float kGeluTail[{DEGREE + 1}][kGeluSegments] = {{")
    for row in rows:
        print("    {" + ", ".join(f"{x:.9e}f" for x in row) + "},")
    print("};\n\n}  // namespace stint")


if __name__ == "__main__":
    main()
