/**
 * The electrons of a molecule as qubits.
 *
 * Spin orbitals are numbered spin up first: of M orbitals, 0 … M − 1 are those with spin up, M … 2M − 1
 * those with spin down. Under Jordan and Wigner qubit j is the occupation of spin orbital j.
 * In the parity mapping of two orbitals, 0 bonding and 1 antibonding, qubit j holds the parity of
 * occupations 0 … j; qubits 1 and 3 then hold the numbers of electrons with spin up and of all
 * electrons, which never change, and two qubits are left.
 *
 * @see Jordan & Wigner, "Über das Paulische Äquivalenzverbot" (1928); Bravyi, Gambetta, Mezzacapo,
 *   Temme, "Tapering off qubits to simulate fermionic Hamiltonians" (2017).
 */
import type { PauliSum } from '../../../circuit/observable.ts';
import type { MolecularIntegrals } from './hydrogen-molecule.ts';
import {
  collected,
  type MaskedSum,
  maskedProduct,
  maskedScaled,
  pauliSumOf,
} from './masked-paulis.ts';

/** One qubit a spin orbital. The nuclei's repulsion is part of the identity's coefficient. */
export function jordanWignerHamiltonian(integrals: MolecularIntegrals): PauliSum {
  return pauliSumOf(jordanWigner(integrals), 2 * integrals.oneElectron.length);
}

/** Two qubits, for two orbitals and one electron of each spin: qubit 0 and qubit 2 of the parity mapping. */
export function parityHamiltonian(integrals: MolecularIntegrals): PauliSum {
  const reduced = inParities(jordanWigner(integrals)).map(({ flip, sign, coefficient }) => {
    if ((flip & 0b1010) !== 0) throw new Error('unreachable: the number of electrons changes');
    // One electron with spin up: qubit 1 reads 1. Two in all: qubit 3 reads 0.
    const turned = (sign >> 1) & 1 ? -coefficient : coefficient;
    return { flip: evenBits(flip), sign: evenBits(sign), coefficient: turned };
  });
  return pauliSumOf(reduced, 2);
}

/** Bits 0 and 2 as bits 0 and 1. */
function evenBits(mask: number): number {
  return (mask & 1) | ((mask >> 1) & 2);
}

/** Σ h_pq a†_pσ a_qσ + ½ Σ (pq|rs) a†_pσ a†_rτ a_sτ a_qσ + the nuclei's repulsion. */
function jordanWigner(integrals: MolecularIntegrals): MaskedSum {
  const { oneElectron, twoElectron, nuclearRepulsion } = integrals;
  const terms: MaskedSum[] = [[{ flip: 0, sign: 0, coefficient: nuclearRepulsion }]];
  const numOrbitals = oneElectron.length;
  const orbitals = [...oneElectron.keys()];
  const spins = [0, 1];
  const at = (orbital: number, spin: number) => orbital + numOrbitals * spin;
  for (const p of orbitals) {
    for (const q of orbitals) {
      for (const up of spins) {
        const moved = maskedProduct(raising(at(p, up)), lowering(at(q, up)));
        terms.push(maskedScaled(moved, oneElectron[p]![q]!));
      }
      for (const [r, s] of orbitals.flatMap((one) => orbitals.map((other) => [one, other]))) {
        const strength = twoElectron(p, q, r!, s!) / 2;
        if (strength === 0) continue;
        for (const [one, two] of spins.flatMap((a) => spins.map((b) => [a, b]))) {
          const created = maskedProduct(raising(at(p, one!)), raising(at(r!, two!)));
          const taken = maskedProduct(lowering(at(s!, two!)), lowering(at(q, one!)));
          terms.push(maskedScaled(maskedProduct(created, taken), strength));
        }
      }
    }
  }
  return collected(terms.flat());
}

/** a_j = Z_0 … Z_{j−1} · (X_j + iY_j)/2. */
function lowering(j: number): MaskedSum {
  return [
    { flip: 1 << j, sign: (1 << j) - 1, coefficient: 0.5 },
    { flip: 1 << j, sign: (1 << (j + 1)) - 1, coefficient: -0.5 },
  ];
}

/** a†_j = Z_0 … Z_{j−1} · (X_j − iY_j)/2. */
function raising(j: number): MaskedSum {
  return lowering(j).map((term) => ({ ...term, coefficient: 0.5 }));
}

/** The same operator after each qubit's value was added to the next, one CX after the other. */
function inParities(sum: MaskedSum): MaskedSum {
  return sum.map(({ flip, sign, coefficient }) => {
    let [flips, signs] = [flip, sign];
    for (let control = 0; control < 3; control++) {
      // CX takes X on the control to X on both, and Z on the target to Z on both.
      if ((flips >> control) & 1) flips ^= 1 << (control + 1);
      if ((signs >> (control + 1)) & 1) signs ^= 1 << control;
    }
    return { flip: flips, sign: signs, coefficient };
  });
}
