/**
 * Water in the minimal basis STO-3G: 14 qubits under Jordan and Wigner.
 *
 * `test/data/h2o-sto-3g.fcidump` holds the integrals over its Hartree–Fock orbitals, hartree, in the
 * format of Knowles and Handy. They were made by PySCF 2 (RHF, converged to 1e-13) at r(OH) = 0.9572 Å
 * and an angle of 104.52° (Benedict, Gailar, Plyler 1956). PySCF's energies of the same run are below.
 *
 * @see Knowles & Handy, "A determinant based full configuration interaction program" (1989).
 */
import { readFileSync } from 'node:fs';
import type { PauliSum } from '../../src/circuit/observable.ts';
import type { MolecularIntegrals } from '../../src/workloads/algorithms/hamiltonians/hydrogen-molecule.ts';
import { jordanWignerHamiltonian } from '../../src/workloads/algorithms/hamiltonians/qubit-hamiltonian.ts';

const FILE = new URL('../data/h2o-sto-3g.fcidump', import.meta.url);

/** Energies of the restricted Hartree–Fock determinant and of the exact ground state, hartree. */
export const WATER_ENERGIES = {
  hartreeFock: -74.9629282464328,
  groundState: -75.01240365883181,
} as const;

/** Spin orbitals; orbital p is qubit p with spin up and qubit 7 + p with spin down. */
export const WATER_QUBITS = 14;

/** Its Hamiltonian: qubit j is the occupation of spin orbital j. */
export function waterHamiltonian(): PauliSum {
  return jordanWignerHamiltonian(readFcidump(readFileSync(FILE, 'utf8')));
}

/** Integrals of a file whose orbitals are real. */
function readFcidump(text: string): MolecularIntegrals {
  const [header, body] = text.split('&END');
  const numOrbitals = Number(/NORB=(\d+)/.exec(header!)![1]);
  const oneElectron = Array.from({ length: numOrbitals }, () =>
    new Array<number>(numOrbitals).fill(0),
  );
  const twoElectron = new Map<string, number>();
  let nuclearRepulsion = 0;
  for (const line of body!.trim().split('\n')) {
    const [value, p, q, r, s] = line.trim().split(/\s+/).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    if (p === 0) nuclearRepulsion = value;
    else if (r === 0) {
      oneElectron[p - 1]![q - 1] = value;
      oneElectron[q - 1]![p - 1] = value;
    } else twoElectron.set(keyOf(p - 1, q - 1, r - 1, s - 1), value);
  }
  return {
    oneElectron,
    twoElectron: (p, q, r, s) => twoElectron.get(keyOf(p, q, r, s)) ?? 0,
    nuclearRepulsion,
  };
}

/** One key for the eight orders that name the same integral (pq|rs). */
function keyOf(p: number, q: number, r: number, s: number): string {
  const pair = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  const [one, other] = [pair(p, q), pair(r, s)];
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}
