/**
 * Integrals over s-type Gaussians whose centres lie on one line, in closed form.
 *
 * Atomic units throughout: lengths in bohr, energies in hartree.
 *
 * @see Szabo & Ostlund, "Modern Quantum Chemistry" (1996), appendix A.
 */

/** A normalised contraction of s-type Gaussians. */
export interface Orbital {
  /** Where its centre lies on the line, bohr. */
  readonly centre: number;
  readonly primitives: readonly Primitive[];
}

/** coefficient · e^{−exponent·r²}; the coefficient holds the normalisation. */
interface Primitive {
  readonly exponent: number;
  readonly coefficient: number;
}

/**
 * Hydrogen's 1s orbital in STO-3G, scaled for molecules (ζ = 1.24).
 *
 * @see Hehre, Stewart, Pople, "Self-consistent molecular-orbital methods. I" (1969).
 */
const STO_3G_HYDROGEN = [
  { exponent: 3.425250914, weight: 0.1543289673 },
  { exponent: 0.6239137298, weight: 0.5353281423 },
  { exponent: 0.168855404, weight: 0.4446345422 },
];

/** That orbital around a point of the line. */
export function hydrogenOrbital(centre: number): Orbital {
  const primitives = STO_3G_HYDROGEN.map(({ exponent, weight }) => ({
    exponent,
    coefficient: weight * ((2 * exponent) / Math.PI) ** 0.75,
  }));
  return { centre, primitives };
}

/** ⟨a|b⟩. */
export function overlap(a: Orbital, b: Orbital): number {
  return overPairs(a, b, (pair) => pair.overlap);
}

/** ⟨a|−∇²/2|b⟩. */
export function kineticEnergy(a: Orbital, b: Orbital): number {
  return overPairs(a, b, ({ reduced, distanceSquared, overlap }) => {
    return reduced * (3 - 2 * reduced * distanceSquared) * overlap;
  });
}

/** ⟨a|−1/|r − nucleus||b⟩, of a nucleus of charge 1. */
export function nuclearAttraction(a: Orbital, b: Orbital, nucleus: number): number {
  return overPairs(a, b, ({ total, centre, decay }) => {
    return ((-2 * Math.PI) / total) * decay * boys(total * (centre - nucleus) ** 2);
  });
}

/** (ab|cd), electron 1 in a and b, electron 2 in c and d: chemists' order. */
export function electronRepulsion(a: Orbital, b: Orbital, c: Orbital, d: Orbital): number {
  return overPairs(a, b, (ab) =>
    overPairs(c, d, (cd) => {
      const sum = ab.total + cd.total;
      const product = ab.total * cd.total;
      const reach = boys((product / sum) * (ab.centre - cd.centre) ** 2);
      return ((2 * Math.PI ** 2.5) / (product * Math.sqrt(sum))) * ab.decay * cd.decay * reach;
    }),
  );
}

/** The product of two primitives: again a Gaussian, between them. */
interface Pair {
  /** Sum of the exponents. */
  readonly total: number;
  /** Their product by their sum. */
  readonly reduced: number;
  readonly centre: number;
  readonly distanceSquared: number;
  /** Factor by which the distance of the centres reduces the product. */
  readonly decay: number;
  /** Its integral. */
  readonly overlap: number;
}

/** Sum over pairs of primitives, each weighted with its coefficients. */
function overPairs(a: Orbital, b: Orbital, integral: (pair: Pair) => number): number {
  let sum = 0;
  for (const p of a.primitives) {
    for (const q of b.primitives) {
      const total = p.exponent + q.exponent;
      const reduced = (p.exponent * q.exponent) / total;
      const centre = (p.exponent * a.centre + q.exponent * b.centre) / total;
      const distanceSquared = (a.centre - b.centre) ** 2;
      const decay = Math.exp(-reduced * distanceSquared);
      const pair = { total, reduced, centre, distanceSquared, decay };
      const weight = p.coefficient * q.coefficient;
      sum += weight * integral({ ...pair, overlap: (Math.PI / total) ** 1.5 * decay });
    }
  }
  return sum;
}

/** From here on erf(√t) is 1 to double precision. */
const FAR = 36;

/** Boys' function of order 0: ∫₀¹ e^{−t·u²} du = √(π/t)/2 · erf(√t). */
export function boys(t: number): number {
  if (t > FAR) return 0.5 * Math.sqrt(Math.PI / t);
  // e^{−t} Σ (2t)^k/(2k+1)!!: all terms are positive, so nothing cancels.
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (2 * t) / (2 * k + 1);
    sum += term;
  }
  return Math.exp(-t) * sum;
}
