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
import type { PauliFactor, PauliSum } from '../../../circuit/observable.ts';
import { hasOddParity } from '../../../math/basis-index.ts';
import type { MolecularIntegrals } from './hydrogen-molecule.ts';

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

/** coefficient · X^flip Z^sign. */
interface MaskedTerm {
  readonly flip: number;
  readonly sign: number;
  readonly coefficient: number;
}

/**
 * An operator as a real sum of X^x Z^z, x and z bit masks over qubits, all X to the left.
 *
 * In this form a product is two XORs and a sign, and the ladder operators of fermions have real
 * coefficients; Y = iXZ appears only when the sum is read out as Pauli strings.
 */
type MaskedSum = readonly MaskedTerm[];

/** Coefficients below this are rounding residues of cancelled terms. In the unit of the coefficients. */
const NEGLIGIBLE = 1e-13;

/** a·b. */
function maskedProduct(a: MaskedSum, b: MaskedSum): MaskedSum {
  return a.flatMap((left) =>
    b.map((right) => ({
      flip: left.flip ^ right.flip,
      sign: left.sign ^ right.sign,
      // Z^z to the left of X^x changes its sign for each qubit that both act on.
      coefficient:
        left.coefficient * right.coefficient * (hasOddParity(left.sign & right.flip) ? -1 : 1),
    })),
  );
}

/** The sum times a factor. */
function maskedScaled(sum: MaskedSum, factor: number): MaskedSum {
  return sum.map((term) => ({ ...term, coefficient: factor * term.coefficient }));
}

/** Combines like terms, ascending by masks; drops those that cancel. */
function collected(sum: MaskedSum): MaskedSum {
  const byMasks = new Map<string, MaskedTerm>();
  for (const term of sum) {
    const key = `${term.flip},${term.sign}`;
    const coefficient = (byMasks.get(key)?.coefficient ?? 0) + term.coefficient;
    byMasks.set(key, { ...term, coefficient });
  }
  return [...byMasks.values()]
    .filter(({ coefficient }) => Math.abs(coefficient) > NEGLIGIBLE)
    .sort((a, b) => a.flip - b.flip || a.sign - b.sign);
}

/** The sum as Pauli strings. Each of its terms has an even number of Y, as in a real observable. */
function pauliSumOf(sum: MaskedSum, numQubits: number): PauliSum {
  return collected(sum).map(({ flip, sign, coefficient }) => {
    const factors: PauliFactor[] = [];
    let numY = 0;
    for (let qubit = 0; qubit < numQubits; qubit++) {
      const [flips, signs] = [(flip >> qubit) & 1, (sign >> qubit) & 1];
      if (flips === 0 && signs === 0) continue;
      if (flips === 1 && signs === 1) numY++;
      factors.push({ pauli: flips === 0 ? 'Z' : signs === 0 ? 'X' : 'Y', qubit });
    }
    if (numY % 2 === 1) throw new Error('unreachable: a real operator with an odd number of Y');
    // XZ = −iY, twice: −1.
    return { coefficient: numY % 4 === 0 ? coefficient : -coefficient, factors };
  });
}
