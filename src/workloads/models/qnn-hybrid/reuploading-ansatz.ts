/**
 * Circuit families from which training chooses that of qnn-hybrid.
 *
 * Both re-upload the features in every layer; gate angles are affine in a scaled feature in [−1, 1].
 * Qubit q of layer l reads feature (l·n + q) mod 4 (or as many as there are), so that circuits narrower than the
 * features see them all after some layers, and wider ones see them several times. ⟨Z₀⟩ decides the class, and all
 * qubits are measured, qubit q into bit q.
 *
 * - `ghz-reuploading`: a GHZ interferometer. H and a chain of CX spread qubit 0 over the register,
 *   each layer turns every qubit by RX(θ) RZ(w·x + b), and the chain in reverse brings the phases
 *   together in qubit 0. In one layer with θ = 0 that is ⟨Z₀⟩ = cos(Σ w·x + Σ b): phases add, as the
 *   terms of a linear classifier do, which is why it needs so little data.
 * - `ring-reuploading`: RY(π/2·x + θ) RZ(θ′) and a ring of CX, with fixed scales.
 *
 * @see Pérez-Salinas, Cervera-Lierta, Gil-Fuster, Latorre, "Data re-uploading for a universal quantum
 *   classifier" (2020); Schuld, Sweke, Meyer, "Effect of data encoding on the expressive power of
 *   variational quantum-machine-learning models" (2021).
 */
import type { PauliSum } from '../../../circuit/observable.ts';
import {
  type ParametricCircuit,
  ParametricSketch,
} from '../../algorithms/training/parametric-circuit.ts';

/** Features of a flower, and inputs of a caller's own circuit. */
export const NUM_FEATURES = 4;

/** Size of a circuit. */
export interface AnsatzSize {
  readonly numQubits: number;
  readonly numLayers: number;
  /** Number of features; 4 unless given. */
  readonly numFeatures?: number;
}

/** Names of the families. */
export type AnsatzId = 'ghz-reuploading' | 'ring-reuploading';

/** A family of circuits. */
export interface Ansatz {
  readonly id: AnsatzId;
  /** One sentence for the model card. */
  readonly description: string;
  /** Number of parameters per qubit and layer, ordered by layer, then by qubit. */
  readonly parametersPerQubit: number;
  build(size: AnsatzSize): ParametricCircuit;
}

/** The measured observable: ⟨Z₀⟩ is 1 if bit 0 is always 0, and −1 if it is always 1. */
export const OBSERVABLE: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];

/** The GHZ interferometer; parameters of a qubit in a layer: RX angle, weight, bias. */
export const GHZ_REUPLOADING: Ansatz = {
  id: 'ghz-reuploading',
  description:
    'H on qubit 0 and CX from each qubit to the next; in every layer RX(theta[0]) and RZ(theta[1]·x + theta[2]) on each qubit; the CX in reverse order and H on qubit 0; all qubits measured.',
  parametersPerQubit: 3,
  build({ numQubits, numLayers, numFeatures = NUM_FEATURES }) {
    const circuit = new ParametricSketch(numQubits);
    circuit.fixed('H', [], [0]);
    for (let q = 0; q + 1 < numQubits; q++) circuit.fixed('CX', [q], [q + 1]);
    for (let layer = 0; layer < numLayers; layer++) {
      for (let q = 0; q < numQubits; q++) {
        const first = 3 * (layer * numQubits + q);
        const feature = featureOf(layer, q, numQubits, numFeatures);
        circuit.turn('RX', [q], [{ coefficient: 1, parameter: first }]);
        circuit.turn(
          'RZ',
          [q],
          [
            { coefficient: 1, parameter: first + 1, feature },
            { coefficient: 1, parameter: first + 2 },
          ],
        );
      }
    }
    for (let q = numQubits - 2; q >= 0; q--) circuit.fixed('CX', [q], [q + 1]);
    circuit.fixed('H', [], [0]);
    return circuit.measured(3 * numQubits * numLayers, numFeatures);
  },
};

/** Rotations of fixed scale in a ring; parameters of a qubit in a layer: RY offset, RZ angle. */
const RING_REUPLOADING: Ansatz = {
  id: 'ring-reuploading',
  description:
    'In every layer RY(π/2·x + theta[0]) and RZ(theta[1]) on each qubit, then CX from each qubit to the next and from the last to the first; all qubits measured.',
  parametersPerQubit: 2,
  build({ numQubits, numLayers, numFeatures = NUM_FEATURES }) {
    const circuit = new ParametricSketch(numQubits);
    for (let layer = 0; layer < numLayers; layer++) {
      for (let q = 0; q < numQubits; q++) {
        const first = 2 * (layer * numQubits + q);
        circuit.turn(
          'RY',
          [q],
          [
            { coefficient: Math.PI / 2, feature: featureOf(layer, q, numQubits, numFeatures) },
            { coefficient: 1, parameter: first },
          ],
        );
        circuit.turn('RZ', [q], [{ coefficient: 1, parameter: first + 1 }]);
      }
      if (numQubits === 1) continue;
      for (let q = 0; q < numQubits; q++) circuit.fixed('CX', [q], [(q + 1) % numQubits]);
    }
    return circuit.measured(2 * numQubits * numLayers, numFeatures);
  },
};

/** Families by name. */
export const ANSATZES: Readonly<Record<AnsatzId, Ansatz>> = {
  'ghz-reuploading': GHZ_REUPLOADING,
  'ring-reuploading': RING_REUPLOADING,
};

function featureOf(layer: number, qubit: number, numQubits: number, numFeatures: number): number {
  return (layer * numQubits + qubit) % numFeatures;
}
