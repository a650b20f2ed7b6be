#!/usr/bin/env python3
"""Writes the reference tables of this folder: lie_groups.txt and series.txt.

    python3 -m venv venv && venv/bin/pip install mpmath==1.4.1
    venv/bin/python tests/golden/make_golden.py          # about two minutes

Nothing here knows the closed forms of the library. With 160 digits,

    exp   the matrix exponential, by Taylor series, scaling and squaring
    T     its power series (30) of [ArnoldCardonaBruels2015] in the matrix ad(v)
    T^-1  the numerical inverse of the matrix T
    log   Newton's method on the matrix equation expm(hat(x)) = M
    c_k   their defining power series; atan(sqrt u)/sqrt u from mpmath's atan

and derivatives are central differences with the step 1e-40: truncation leaves about 80 correct
digits, cancellation in the second difference another 80. The numbers are printed with 18 digits.

lie_groups.txt, one block per point; every line starts with its name:

    point <angle> <axis>
    v  d  e        tangents (Omega, U) of SE(3): the point and two directions, exact doubles
    <object> <order> numbers

with the objects, whose order is `f`, `d`, `e` or `de` (the value, its derivative along d, along e,
and the mixed second derivative):

    exp   7   quaternion and translation of exp(v)
    log   6   log(exp(v) o exp(s)) at s = 0, a function of s
    T    18   the left 6x3 block of T(v), row by row; the right one repeats it
    Tinv 18   likewise

SO(3) is contained: its objects are the rotation parts, at the rotation parts of v, d, e.
"""
import os

from mpmath import mp, mpf, matrix

mp.dps = 160
STEP = mpf(10) ** -40
HERE = os.path.dirname(os.path.abspath(__file__))


# ------------------------------------------------------------------ matrices, slow and plain

def multiply(a, b):
    n, m, p = len(a), len(b), len(b[0])
    return [[mp.fsum(a[i][k] * b[k][j] for k in range(m) if a[i][k] and b[k][j]) for j in range(p)]
            for i in range(n)]


def add(a, b, s=1):
    return [[x + s * y for x, y in zip(r, t)] for r, t in zip(a, b)]


def scaled(a, s):
    return [[x * s for x in r] for r in a]


def eye(n):
    return [[mpf(i == j) for j in range(n)] for i in range(n)]


def largest(a):
    return max(abs(x) for r in a for x in r)


def power_series(a, coefficient):
    """sum_n coefficient(n) a^n until the terms vanish; at least to third order, for tiny a."""
    term, total, n = eye(len(a)), scaled(eye(len(a)), coefficient(0)), 0
    while True:
        n += 1
        term = scaled(multiply(term, a), mpf(1) / n)
        if n > 3 and largest(term) < mpf(10) ** (-mp.dps - 5):
            return total
        total = add(total, term, coefficient(n) * mp.factorial(n))


def expm(a):
    halvings = 10
    e = power_series(scaled(a, mpf(2) ** -halvings), lambda n: 1 / mp.factorial(n))
    for _ in range(halvings):
        e = multiply(e, e)
    return e


# ------------------------------------------------------------------ SE(3) in matrices

def skew(v):
    return [[mpf(0), -v[2], v[1]], [v[2], mpf(0), -v[0]], [-v[1], v[0], mpf(0)]]


def hat(v):
    return [r + [v[3 + i]] for i, r in enumerate(skew(v[:3]))] + [[mpf(0)] * 4]


def vee(m):
    return [m[2][1], m[0][2], m[1][0], m[0][3], m[1][3], m[2][3]]


def ad(v):
    o, u, z = skew(v[:3]), skew(v[3:]), [mpf(0)] * 3
    return [r + z for r in o] + [a + b for a, b in zip(u, o)]


def tangent_operator(v):
    return power_series(ad(v), lambda n: mpf(-1) ** n / mp.factorial(n + 1))


def inverse(a):
    m = matrix(a) ** -1
    return [[m[i, j] for j in range(m.cols)] for i in range(m.rows)]


def quaternion(omega):
    """exp of half the rotation vector among the quaternions, as 4x4 matrices acting from the left."""
    x, y, z = (c / 2 for c in omega)
    o = mpf(0)
    e = expm([[o, -x, -y, -z], [x, o, -z, y], [y, z, o, -x], [z, -y, x, o]])
    return [r[0] for r in e]


def exp(v):
    m = expm(hat(v))
    return quaternion(v[:3]) + [m[i][3] for i in range(3)]


def log(m, start):
    x = list(start)
    while True:
        e = vee(add(multiply(expm(hat([-c for c in x])), m), eye(4), -1))
        step = [mp.fsum(a * b for a, b in zip(r, e)) for r in inverse(tangent_operator(x))]
        x = [a + b for a, b in zip(x, step)]
        # Quadratic convergence: what is left after this step is the square of it.
        if max(abs(c) for c in step) < mpf(10) ** -85:
            return x


def left_columns(m):
    return [m[i][j] for i in range(6) for j in range(3)]


def objects(v):
    """name -> function of a perturbation s; exp, T and T^-1 at v + s."""
    start = expm(hat(v))

    def at(f):
        return lambda s: f([a + b for a, b in zip(v, s)])

    return {
        "exp": at(exp),
        "log": lambda s: log(multiply(start, expm(hat(s))), v),
        "T": at(lambda x: left_columns(tangent_operator(x))),
        "Tinv": at(lambda x: left_columns(inverse(tangent_operator(x)))),
    }


def derivatives(f, d, e):
    """f, its derivatives along d and e, and the mixed one, at 0."""
    def at(a, b):
        return f([STEP * (a * x + b * y) for x, y in zip(d, e)])

    value = f([mpf(0)] * len(d))
    first = [[(p - m) / (2 * STEP) for p, m in zip(at(a, b), at(-a, -b))] for a, b in ((1, 0), (0, 1))]
    second = [(pp - pm - mp_ + mm) / (4 * STEP ** 2)
              for pp, pm, mp_, mm in zip(at(1, 1), at(1, -1), at(-1, 1), at(-1, -1))]
    return {"f": value, "d": first[0], "e": first[1], "de": second}


# ------------------------------------------------------------------ the points

PI = 3.141592653589793
ANGLES = [0.0, 1e-300, 1e-150, 1e-8, 1e-4, 1e-2, 0.1, 0.5,
          0.979, 0.981,        # tan(angle/4)^2 = 1/16: switch of the arctangent series
          1.0, 1.999, 2.001,   # angle^2 = 4: switch of the Stumpff series
          3.0, 3.1, 3.13, PI - 1e-3, PI - 1e-6, PI - 1e-8]
AXES = [(0.36, -0.48, 0.8), (0.0, 0.0, 1.0)]
VELOCITIES = [(0.7, -1.1, 0.4), (-0.3, 0.9, 1.2)]
DIRECTIONS = [  # pairs (d, e), taken in turn
    ((0.6, 0.3, -0.5, 0.2, -0.7, 0.4), (-0.2, 0.8, 0.1, 0.5, 0.3, -0.6)),
    ((0.1, -0.9, 0.2, -0.4, 0.1, 0.8), (0.7, 0.2, 0.6, -0.1, 0.9, 0.3)),
    ((-0.5, 0.4, 0.7, 0.3, 0.2, 0.1), (0.3, 0.5, -0.8, 0.6, -0.2, 0.7)),
]


def show(numbers):
    return " ".join(mp.nstr(x, 18, min_fixed=0, max_fixed=1) if x else "0" for x in numbers)


def write_groups(path):
    with open(path, "w") as out:
        out.write("# made by tests/golden/make_golden.py, which says what it means; do not edit\n")
        count = 0
        for angle in ANGLES:
            for index, axis in enumerate(AXES):
                # Products are rounded to doubles here, and only here: the table's points are exact.
                v = [angle * a for a in axis] + list(VELOCITIES[index])
                d, e = DIRECTIONS[count % len(DIRECTIONS)]
                count += 1
                out.write(f"point {angle!r} {index}\n")
                for name, x in (("v", v), ("d", d), ("e", e)):
                    out.write(name + " " + " ".join(repr(c) for c in x) + "\n")
                v, d, e = ([mpf(c) for c in x] for x in (v, d, e))
                for name, f in objects(v).items():
                    for order, numbers in derivatives(f, d, e).items():
                        out.write(f"{name} {order} {show(numbers)}\n")
                print("angle", angle, "axis", index, flush=True)


# ------------------------------------------------------------------ the series

STUMPFF_POINTS = [0.0, 1e-300, 1e-16, 1e-8, 1e-4, 0.01, 0.25, 1.0, 2.5, 3.9, 3.9999999,
                  4.0, 4.0000001, 4.1, 6.25, 9.0, 9.61, 9.8696, 16.0, 39.0, 100.0, 900.0]
ARCTAN_POINTS = [0.0, 1e-300, 1e-16, 1e-8, 1e-4, 0.01, 0.03, 0.062, 0.06249999,
                 0.0625, 0.06250001, 0.063, 0.1, 0.17, 0.5, 0.9, 1.0, 10.0]


def stumpff(k, x):
    total, n, term = mpf(0), 0, 1 / mp.factorial(k)
    while abs(term) > mpf(10) ** (-mp.dps - 5) or n < 4:
        total += term
        n += 1
        term *= -x / ((2 * n + k - 1) * (2 * n + k))
    return total


def arctan_ratio(u):
    # One formula for either sign, so that differences across zero are taken of one function.
    if u == 0:
        return mpf(1)
    root = mp.sqrt(u)
    return mp.re(mp.atan(root) / root)


def write_series(path):
    with open(path, "w") as out:
        out.write("# made by tests/golden/make_golden.py: function, argument, value, first and second derivative\n")
        functions = [(f"c{k}", (lambda x, k=k: stumpff(k, x)), STUMPFF_POINTS) for k in range(8)]
        functions.append(("arctan_ratio", arctan_ratio, ARCTAN_POINTS))
        for name, f, points in functions:
            for point in points:
                x = mpf(point)
                below, at, above = f(x - STEP), f(x), f(x + STEP)
                numbers = at, (above - below) / (2 * STEP), (above - 2 * at + below) / STEP ** 2
                out.write(f"{name} {point!r} {show(numbers)}\n")


if __name__ == "__main__":
    write_series(os.path.join(HERE, "series.txt"))
    write_groups(os.path.join(HERE, "lie_groups.txt"))
