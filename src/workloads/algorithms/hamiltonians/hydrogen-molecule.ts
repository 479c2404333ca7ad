/**
 * H₂ in the minimal basis STO-3G, from first principles. Atomic units: lengths in bohr, energies in hartree.
 *
 * Integrals over s-type Gaussians whose centres lie on one line are in closed form. Two orbitals and a mirror plane
 * between the nuclei: symmetry alone fixes the molecular orbitals, so Hartree–Fock needs no iteration, and full
 * configuration interaction is a matrix of two rows.
 *
 * @see Szabo & Ostlund, "Modern Quantum Chemistry" (1996), sections 3.5.2 and 4.1, appendix A.
 */
/** A normalised contraction of s-type Gaussians. */
export interface Orbital {
  /** Position of its centre on the line, bohr. */
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

/** CODATA 2018. */
const ANGSTROM_PER_BOHR = 0.529177210903;

/** Integrals over the molecular orbitals: 0 bonding (σ_g), 1 antibonding (σ_u). Hartree. */
export interface MolecularIntegrals {
  /** h_pq: kinetic energy and attraction to both nuclei. */
  readonly oneElectron: readonly (readonly number[])[];
  /** (pq|rs) in chemists' order. */
  readonly twoElectron: (p: number, q: number, r: number, s: number) => number;
  readonly nuclearRepulsion: number;
}

/** Those of H₂ at a bond length. */
export function hydrogenMolecule(bondLengthAngstrom: number): MolecularIntegrals {
  const distance = bondLengthAngstrom / ANGSTROM_PER_BOHR;
  const nuclei = [0, distance];
  const orbitals = nuclei.map(hydrogenOrbital);
  const s = overlap(orbitals[0]!, orbitals[1]!);
  const [even, odd] = [1 / Math.sqrt(2 * (1 + s)), 1 / Math.sqrt(2 * (1 - s))];
  // Rows: molecular orbitals; columns: atomic ones.
  const coefficients = [
    [even, even],
    [odd, -odd],
  ];
  const core = orbitals.map((a) =>
    orbitals.map((b) =>
      nuclei.reduce((sum, at) => sum + nuclearAttraction(a, b, at), kineticEnergy(a, b)),
    ),
  );
  const oneElectron = coefficients.map((p) =>
    coefficients.map((q) => sumOver(2, ([i, j]) => p[i!]! * q[j!]! * core[i!]![j!]!)),
  );
  const repulsions = tabulated(([i, j, k, l]) =>
    electronRepulsion(orbitals[i!]!, orbitals[j!]!, orbitals[k!]!, orbitals[l!]!),
  );
  const molecular = tabulated((mo) =>
    sumOver(4, (ao) => {
      const weight = mo.reduce((product, m, i) => product * coefficients[m]![ao[i]!]!, 1);
      return weight * repulsions[placeOf(ao)]!;
    }),
  );
  return {
    oneElectron,
    twoElectron: (p, q, r, s) => molecular[placeOf([p, q, r, s])]!,
    nuclearRepulsion: 1 / distance,
  };
}

/** Energy of the best single determinant: both electrons in the bonding orbital. Hartree. */
export function hartreeFockEnergy(integrals: MolecularIntegrals): number {
  const { oneElectron, twoElectron, nuclearRepulsion } = integrals;
  return 2 * oneElectron[0]![0]! + twoElectron(0, 0, 0, 0) + nuclearRepulsion;
}

/**
 * The exact ground energy within the basis: the doubly occupied bonding orbital mixes with the doubly
 * occupied antibonding one, and symmetry keeps all else apart. Hartree.
 */
export function configurationInteractionEnergy(integrals: MolecularIntegrals): number {
  const { oneElectron, twoElectron, nuclearRepulsion } = integrals;
  const bonding = 2 * oneElectron[0]![0]! + twoElectron(0, 0, 0, 0);
  const antibonding = 2 * oneElectron[1]![1]! + twoElectron(1, 1, 1, 1);
  const mixing = twoElectron(0, 1, 0, 1);
  const mean = (bonding + antibonding) / 2;
  return mean - Math.hypot((antibonding - bonding) / 2, mixing) + nuclearRepulsion;
}

/** Sum over all tuples of zeros and ones of that length. */
function sumOver(length: number, term: (tuple: readonly number[]) => number): number {
  let sum = 0;
  for (let place = 0; place < 2 ** length; place++) sum += term(tupleAt(place, length));
  return sum;
}

/** Values by `placeOf` of their four indices. */
function tabulated(value: (tuple: readonly number[]) => number): readonly number[] {
  return Array.from({ length: 16 }, (_, place) => value(tupleAt(place, 4)));
}

function tupleAt(place: number, length: number): readonly number[] {
  return Array.from({ length }, (_, i) => (place >> i) & 1);
}

function placeOf(tuple: readonly number[]): number {
  return tuple.reduce((place, index, i) => place | (index << i), 0);
}
