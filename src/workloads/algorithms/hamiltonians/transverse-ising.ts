/**
 * The Ising chain in a transverse field: −J Σ Z_i Z_{i+1} − h Σ X_i.
 *
 * @see Pfeuty, "The one-dimensional Ising model with a transverse field" (1970).
 */
import type { PauliSum } from '../../../circuit/observable.ts';

/** A chain. Energies in units of whatever J and h are given in. */
export interface IsingChain {
  readonly sites: number;
  /** J: positive favours parallel neighbours. */
  readonly coupling: number;
  /** h. */
  readonly field: number;
  /** Whether the last site is a neighbour of the first; then at least 3 sites. */
  readonly isPeriodic: boolean;
}

/** Pairs of neighbours, site numbers. */
export function isingBonds({ sites, isPeriodic }: IsingChain): readonly (readonly number[])[] {
  const numBonds = isPeriodic ? sites : sites - 1;
  return Array.from({ length: numBonds }, (_, i) => [i, (i + 1) % sites]);
}

/** The chain on qubits, one a site; terms without weight are left out. */
export function isingHamiltonian(chain: IsingChain): PauliSum {
  const bonds = isingBonds(chain).map((bond) => ({
    coefficient: -chain.coupling,
    factors: bond.map((qubit) => ({ pauli: 'Z', qubit }) as const),
  }));
  const fields = Array.from({ length: chain.sites }, (_, qubit) => ({
    coefficient: -chain.field,
    factors: [{ pauli: 'X', qubit } as const],
  }));
  const terms = [...bonds, ...fields].filter(({ coefficient }) => coefficient !== 0);
  return terms.length > 0 ? terms : [{ coefficient: 0, factors: [] }];
}

/**
 * The ground energy of a periodic chain in closed form: −Σ √(J² + h² − 2Jh cos k) over the momenta of
 * an even number of free fermions, k = (2m + 1)π/N.
 *
 * @returns undefined where that sum is not the ground energy, or nobody has shown it here: an open
 *   chain, or couplings that are not both positive.
 */
export function freeFermionEnergy(chain: IsingChain): number | undefined {
  const { sites, coupling, field, isPeriodic } = chain;
  if (!isPeriodic || !(coupling > 0) || !(field > 0)) return undefined;
  let energy = 0;
  for (let m = 0; m < sites; m++) {
    const k = ((2 * m + 1) * Math.PI) / sites;
    energy -= Math.sqrt(coupling ** 2 + field ** 2 - 2 * coupling * field * Math.cos(k));
  }
  return energy;
}
