/** H₂ in STO-3G against the literature, and the qubit Hamiltonians against configuration interaction. */
import { describe, expect, test } from 'vitest';
import { observableView } from '../../../../src/workloads/agents/research/vqe.ts';
import { groundEnergy } from '../../../../src/workloads/algorithms/hamiltonians/ground-energy.ts';
import {
  boys,
  configurationInteractionEnergy,
  electronRepulsion,
  hartreeFockEnergy,
  hydrogenMolecule,
  hydrogenOrbital,
  kineticEnergy,
  nuclearAttraction,
  overlap,
} from '../../../../src/workloads/algorithms/hamiltonians/hydrogen-molecule.ts';
import {
  jordanWignerHamiltonian,
  parityHamiltonian,
} from '../../../../src/workloads/algorithms/hamiltonians/qubit-hamiltonian.ts';

describe('integrals at 1.4 bohr', () => {
  // Szabo & Ostlund, section 3.5.2, printed to four digits.
  const [a, b] = [hydrogenOrbital(0), hydrogenOrbital(1.4)];
  test.each([
    ['S12', overlap(a, b), 0.6593],
    ['S11', overlap(a, a), 1],
    ['T11', kineticEnergy(a, a), 0.76],
    ['T12', kineticEnergy(a, b), 0.2365],
    ['V11 of nucleus 1', nuclearAttraction(a, a, 0), -1.2266],
    ['V12 of nucleus 1', nuclearAttraction(a, b, 0), -0.5974],
    ['V22 of nucleus 1', nuclearAttraction(b, b, 0), -0.6538],
    ['(11|11)', electronRepulsion(a, a, a, a), 0.7746],
    ['(11|22)', electronRepulsion(a, a, b, b), 0.5697],
    ['(21|11)', electronRepulsion(b, a, a, a), 0.4441],
    ['(21|21)', electronRepulsion(b, a, b, a), 0.297],
  ])('%s is as in the textbook', (_, value, printed) => {
    expect(Math.abs(value - printed)).toBeLessThan(6e-5);
  });

  test("Boys' function is continuous where its two forms meet, and 1 at 0", () => {
    expect(boys(0)).toBe(1);
    expect(boys(36 - 1e-9) / boys(36 + 1e-9)).toBeCloseTo(1, 10);
    // ∫₀¹ e^{−u²} du.
    expect(boys(1)).toBeCloseTo(0.7468241328124271, 15);
  });
});

describe('energies', () => {
  test('at 0.735 Å Hartree–Fock gives −1.11700 Ha and configuration interaction −1.13731 Ha', () => {
    const molecule = hydrogenMolecule(0.735);
    expect(hartreeFockEnergy(molecule)).toBeCloseTo(-1.116998996754, 8);
    expect(configurationInteractionEnergy(molecule)).toBeCloseTo(-1.137306035753, 8);
  });

  // Full configuration interaction in STO-3G, as published with the usual dissociation curves.
  test.each([
    [0.5, -1.05515979],
    [0.7, -1.13618945],
    [1.0, -1.10115033],
    [1.5, -0.99814935],
    [2.0, -0.94864111],
  ])('at %d Å the exact energy is %d Ha', (bondLength, published) => {
    const energy = configurationInteractionEnergy(hydrogenMolecule(bondLength));
    expect(energy).toBeCloseTo(published, 7);
  });

  test('far apart the molecule is two hydrogen atoms of −0.46658 Ha each', () => {
    expect(configurationInteractionEnergy(hydrogenMolecule(10))).toBeCloseTo(-0.9331637, 6);
  });
});

describe('qubit Hamiltonians', () => {
  test('the two-qubit one at 0.735 Å has the published coefficients', () => {
    const molecule = hydrogenMolecule(0.735);
    const terms = observableView(parityHamiltonian(molecule));
    const published = {
      I: -1.052373245772859 + molecule.nuclearRepulsion,
      Z0: 0.39793742484318045,
      Z1: -0.39793742484318045,
      'Z0 Z1': -0.01128010425623538,
      'X0 X1': 0.18093119978423156,
    };
    expect(terms.map(({ pauli }) => pauli).sort()).toEqual(Object.keys(published).sort());
    for (const [pauli, coefficient] of Object.entries(published)) {
      const found = terms.find((term) => term.pauli === pauli)?.coefficient;
      expect(found).toBeCloseTo(coefficient, 7);
    }
  });

  test('the four-qubit one at 0.735 Å has the published coefficients', () => {
    const terms = observableView(jordanWignerHamiltonian(hydrogenMolecule(0.735)));
    const of = (pauli: string) => terms.find((term) => term.pauli === pauli)?.coefficient;
    expect(terms).toHaveLength(15);
    expect(of('I')).toBeCloseTo(-0.81054798 + 0.71996899, 7);
    expect(of('Z0')).toBeCloseTo(0.17218393, 7);
    expect(of('Z1')).toBeCloseTo(-0.22575349, 7);
    expect(of('Z0 Z1')).toBeCloseTo(0.12091263, 7);
    expect(of('Z0 Z2')).toBeCloseTo(0.16892754, 7);
    expect(of('Z0 Z3')).toBeCloseTo(0.16614543, 7);
    expect(of('Z1 Z3')).toBeCloseTo(0.1746434, 7);
    for (const pauli of ['X0 X1 X2 X3', 'Y0 Y1 X2 X3', 'X0 X1 Y2 Y3', 'Y0 Y1 Y2 Y3']) {
      expect(of(pauli)).toBeCloseTo(0.0452328, 7);
    }
  });

  test.each([0.3, 0.735, 1.4, 3])(
    'both have the exact energy at %d Å as their lowest',
    (length) => {
      const molecule = hydrogenMolecule(length);
      const exact = configurationInteractionEnergy(molecule);
      expect(groundEnergy(parityHamiltonian(molecule), 2)).toBeCloseTo(exact, 10);
      expect(groundEnergy(jordanWignerHamiltonian(molecule), 4)).toBeCloseTo(exact, 10);
    },
  );
});
