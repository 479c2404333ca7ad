/**
 * Families of trial states, each a circuit whose angles are parameters.
 *
 * - `excitation`: H₂'s Hartree–Fock determinant mixed with the doubly excited one, in one parameter. The
 *   ground state is of that form, so it is reached exactly.
 * - `hamiltonian_variational`: the ground state of the field alone, then layers of RZZ on all bonds and RX
 *   on all sites: two parameters a layer on a ring, where half as many layers as sites reach the ground
 *   state; on an open chain, whose sites are not alike, one a bond and one a site.
 * - `hardware_efficient`: layers of RY and RZ on each qubit and CZ from each to the next, with RY and RZ
 *   at the end.
 *
 * @see Peruzzo et al., "A variational eigenvalue solver on a photonic quantum processor" (2014); Ho &
 *   Hsieh, "Efficient variational simulation of non-trivial quantum states" (2019); Kandala et al.,
 *   "Hardware-efficient variational quantum eigensolver for small molecules" (2017).
 */
import { type IsingChain, isingBonds } from '../hamiltonians/transverse-ising.ts';
import { type ParametricCircuit, ParametricSketch } from '../training/parametric-circuit.ts';

/** Names of the families. */
export const ANSATZ_NAMES = [
  'excitation',
  'hamiltonian_variational',
  'hardware_efficient',
] as const;
/** Name of a family of trial states. */
export type AnsatzName = (typeof ANSATZ_NAMES)[number];

/** Number of qubits of each mapping of H₂. */
export type HydrogenQubits = 2 | 4;

/** Ansatz cos(θ/2) · Hartree–Fock determinant + sin(θ/2) · doubly excited one. */
export function excitationAnsatz(numQubits: HydrogenQubits): ParametricCircuit {
  const sketch = new ParametricSketch(numQubits);
  if (numQubits === 2) {
    // |01⟩ (qubit 0 set) and |10⟩.
    sketch.turn('RY', [1], [{ coefficient: 1, parameter: 0 }]);
    sketch.fixed('CX', [1], [0]);
    sketch.fixed('X', [], [0]);
  } else {
    // |0101⟩ and |1010⟩: spin orbitals 0 and 2, or 1 and 3.
    sketch.turn('RY', [1], [{ coefficient: 1, parameter: 0 }]);
    for (const target of [3, 0, 2]) sketch.fixed('CX', [1], [target]);
    for (const target of [0, 2]) sketch.fixed('X', [], [target]);
  }
  return sketch.finish(1);
}

/** Layers that follow the two parts of the chain's Hamiltonian. */
export function transverseIsingAnsatz(chain: IsingChain, layers: number): ParametricCircuit {
  const sketch = new ParametricSketch(chain.sites);
  const sites = Array.from({ length: chain.sites }, (_, site) => site);
  for (const site of sites) {
    if (chain.field < 0) sketch.fixed('X', [], [site]);
    sketch.fixed('H', [], [site]);
  }
  const perLayer = isingParameters(chain);
  for (let layer = 0; layer < layers; layer++) {
    const first = layer * perLayer.length;
    for (const [parameter, { gate, sites }] of perLayer.entries()) {
      for (const targets of sites)
        sketch.turn(gate, targets, [{ coefficient: 1, parameter: first + parameter }]);
    }
  }
  return sketch.finish(layers * perLayer.length);
}

/** A parameter of a layer: the gate that it rotates, and the sites on which the gate acts. */
export interface IsingParameter {
  readonly gate: 'RZZ' | 'RX';
  readonly sites: readonly (readonly number[])[];
}

/**
 * Parameters of each layer: the sites of a ring are equivalent and share theirs, those of an open chain
 * do not.
 */
export function isingParameters(chain: IsingChain): readonly IsingParameter[] {
  const bonds = isingBonds(chain);
  const sites = Array.from({ length: chain.sites }, (_, site) => [site]);
  if (chain.isPeriodic) {
    return [
      { gate: 'RZZ', sites: bonds },
      { gate: 'RX', sites },
    ];
  }
  return [
    ...bonds.map((bond) => ({ gate: 'RZZ' as const, sites: [bond] })),
    ...sites.map((site) => ({ gate: 'RX' as const, sites: [site] })),
  ];
}

/** Rotations of each qubit between chains of CZ. */
export function hardwareEfficientAnsatz(numQubits: number, layers: number): ParametricCircuit {
  const sketch = new ParametricSketch(numQubits);
  let parameter = 0;
  for (let layer = 0; layer <= layers; layer++) {
    for (let qubit = 0; qubit < numQubits; qubit++) {
      sketch.turn('RY', [qubit], [{ coefficient: 1, parameter: parameter++ }]);
      sketch.turn('RZ', [qubit], [{ coefficient: 1, parameter: parameter++ }]);
    }
    if (layer === layers) break;
    for (let qubit = 0; qubit + 1 < numQubits; qubit++) sketch.fixed('CZ', [qubit], [qubit + 1]);
  }
  return sketch.finish(parameter);
}
