/**
 * H₂ in the minimal basis STO-3G, from first principles.
 *
 * Two orbitals and a mirror plane between the nuclei: symmetry alone fixes the molecular orbitals, so
 * Hartree–Fock needs no iteration, and full configuration interaction is a matrix of two rows.
 *
 * @see Szabo & Ostlund, "Modern Quantum Chemistry" (1996), sections 3.5.2 and 4.1.
 */
import {
  electronRepulsion,
  hydrogenOrbital,
  kineticEnergy,
  nuclearAttraction,
  overlap,
} from './gaussian-integrals.ts';

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
