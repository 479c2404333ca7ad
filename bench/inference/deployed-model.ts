/** The deployed model, the flowers it is asked about, and the exact results of its circuit. */

import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import type { ParametricCircuit } from '../../src/workloads/algorithms/training/parametric-circuit.ts';
import { angleRows } from '../../src/workloads/algorithms/training/parametric-circuit.ts';
import { readArtefact } from '../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { scaleRow } from '../../src/workloads/models/qnn-hybrid/feature-scaler.ts';
import { irisPair } from '../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import type { ModelArtefact } from '../../src/workloads/models/qnn-hybrid/model-card.ts';
import { ANSATZES } from '../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { expectationsOf } from '../../src/workloads/models/qnn-hybrid/sampled-expectations.ts';
import { engineCircuits } from '../../src/workloads/procedures/engine-circuits.ts';

/** Rows and their exact results, in parallel lists. */
export interface Flowers {
  /** Centimetres. */
  readonly rows: readonly (readonly number[])[];
  /** The rows scaled to [−1, 1] for the circuit. */
  readonly inputs: readonly (readonly number[])[];
  /** ⟨Z₀⟩ without shot noise. */
  readonly exact: readonly number[];
}

/** The parts of the model that the benchmarks use. */
export interface DeployedModel {
  readonly artefact: ModelArtefact;
  readonly circuit: ParametricCircuit;
  readonly theta: readonly number[];
  /** Default number of shots of an inference. */
  readonly shots: number;
  /** The first rows of the data, repeated if there are fewer. */
  flowers(count: number): Flowers;
  /** Gate angles of flowers, row after row. */
  anglesOf(flowers: Flowers): Float64Array;
}

/** Reads the deployed file, and computes the exact results on the reference engine. */
export async function deployedModel(): Promise<DeployedModel> {
  const artefact = readArtefact();
  const { ansatz, qubits, layers, theta, minimums, maximums } = artefact.parameters;
  const circuit = ANSATZES[ansatz].build({ numQubits: qubits, numLayers: layers });
  const all = irisPair().rows.map((row) => {
    const { values } = scaleRow({ minimums, maximums }, row);
    return { row, values };
  });
  const reference = openReferenceEngine({ maxQubits: qubits });
  const exact = await expectationsOf(
    circuit,
    theta,
    all.map(({ values }) => values),
    engineCircuits(reference, new AbortController().signal),
  );
  return {
    artefact,
    circuit,
    theta,
    shots: artefact.card.circuit.shots_per_circuit,
    flowers(count) {
      const places = Array.from({ length: count }, (_, i) => i % all.length);
      return {
        rows: places.map((i) => all[i]!.row),
        inputs: places.map((i) => all[i]!.values),
        exact: places.map((i) => exact[i]!),
      };
    },
    anglesOf: ({ inputs }) => angleRows(circuit, theta, inputs),
  };
}
