"""Whether two simulators agree: states up to a global phase, counts as samples of one distribution."""

import math

import numpy as np
from scipy.stats import chi2

# What the overlap of two states in double precision may be from 1.
TOLERANCE = 1e-9
# Two samples of one distribution are called different this often, for each program.
FALSE_ALARM = 1e-9
# Outcomes that are expected less often are taken together.
RARE = 8


def state_fault(mine, theirs):
    """What is wrong with a state, or None; either may have any norm near 1."""
    # A program that names physical qubits has none beyond the last that it names.
    if mine.size < theirs.size and not theirs[mine.size :].any():
        theirs = theirs[: mine.size]
    if mine.size != theirs.size:
        return f"{mine.size} amplitudes, not {theirs.size}"
    # In chunks: the states of wide programs take gigabytes.
    overlap, mass, their_mass = 0, 0.0, 0.0
    for at in range(0, mine.size, 1 << 20):
        a, b = mine[at : at + (1 << 20)], theirs[at : at + (1 << 20)]
        overlap += np.vdot(a, b)
        mass += np.vdot(a, a).real
        their_mass += np.vdot(b, b).real
    apart = max(abs(abs(overlap) ** 2 / mass / their_mass - 1), abs(mass - 1))
    return None if apart < TOLERANCE else f"the states' fidelity is {apart:.3g} from 1"


def exact_fault(mine, expected):
    """What is wrong with counts of a distribution that is known."""
    shots = sum(mine.values())
    never = next((outcome for outcome in mine if expected.get(outcome, 0) == 0), None)
    if never is not None:
        return f"outcome {never:b} cannot occur, but did {mine[never]} times"
    return _chi_squared({k: mine.get(k, 0) for k in expected}, expected, 1 / shots)


def sampled_fault(mine, theirs):
    """What is wrong with counts, held to other counts."""
    keys = {*mine, *theirs}
    shots, their_shots = sum(mine.values()), sum(theirs.values())
    pooled = {k: (mine.get(k, 0) + theirs.get(k, 0)) / (shots + their_shots) for k in keys}
    return _chi_squared({k: mine.get(k, 0) for k in keys}, pooled, 1 / shots + 1 / their_shots, theirs)


def _chi_squared(mine, shares, variance, theirs=None):
    """Pearson's test of one sample's shares, against exact ones or those of two samples pooled."""
    shots = sum(mine.values())
    common = [k for k in shares if shares[k] * shots >= RARE]
    rare = [k for k in shares if shares[k] * shots < RARE]
    groups = [[k] for k in common] + ([rare] if sum(shares[k] for k in rare) * shots >= RARE else [])
    if len(groups) < 2:
        return None
    statistic = 0
    their_shots = sum(theirs.values()) if theirs is not None else 1
    for group in groups:
        share = sum(shares[k] for k in group)
        found = sum(mine[k] for k in group) / shots
        other = share if theirs is None else sum(theirs.get(k, 0) for k in group) / their_shots
        statistic += (found - other) ** 2 / share / variance
    chance = chi2.sf(statistic, len(groups) - 1)
    if chance >= FALSE_ALARM:
        return None
    worst = max(groups, key=lambda g: abs(sum(mine[k] for k in g) / shots - sum(shares[k] for k in g)))
    return (
        f"counts differ: chi squared {statistic:.0f} with {len(groups) - 1} degrees of freedom"
        f" (chance {10 ** math.floor(math.log10(max(chance, 1e-300))):.0e}); most at {worst[0]:b}"
    )
