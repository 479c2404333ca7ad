/** Describes a circuit in words, for visitors who do not see the drawing. */

import { grouped, listed, plain } from '../numbers.ts';
import { angleOf, featureOf } from './circuit-angles.ts';
import type { DemoCircuit, DemoFeature, DemoOperation } from './demo-facts.ts';

/** Describes one operation: "RY by 1.35 rad on qubit 2, from petal length". */
export function operationInWords(
  operation: DemoOperation,
  features: readonly DemoFeature[],
  input: readonly number[],
): string {
  const { gate, controls, targets } = operation;
  const angle = angleOf(operation, features, input);
  const feature = featureOf(operation, features);
  return [
    gate,
    angle === undefined ? '' : ` by ${plain(angle, 2)} rad`,
    ` on ${qubitsInWords(targets)}`,
    controls.length === 0 ? '' : `, controlled by ${qubitsInWords(controls)}`,
    feature === undefined ? '' : `, from ${feature.name}`,
  ].join('');
}

/** Describes the whole circuit in a sentence. */
export function circuitInWords({ qubits, operations }: DemoCircuit, shots: number): string {
  const encoding = operations.filter(({ angle }) => angle?.feature !== undefined).length;
  return (
    `Circuit of ${qubits} qubits and ${operations.length} gates, ${encoding} of which encode the ` +
    `measurements; all qubits are measured at the end, ${grouped(shots)} times.`
  );
}

/** Describes the outcomes of a sign in a few words: "qubit 0 reads 1", "odd number of 1s". */
export function signInWords({ qubits, observable }: DemoCircuit, sign: 1 | -1): string {
  const [only] = observable.qubits;
  if (observable.qubits.length === 1) return `qubit ${only} reads ${sign === 1 ? 0 : 1}`;
  const parity = `${sign === 1 ? 'even' : 'odd'} number of 1s`;
  if (observable.qubits.length === qubits) return parity;
  return `${parity} in ${observable.qubits.map((qubit) => `q${qubit}`).join(' ')}`;
}

function qubitsInWords(qubits: readonly number[]): string {
  return `${qubits.length === 1 ? 'qubit' : 'qubits'} ${listed(qubits.map(String))}`;
}
