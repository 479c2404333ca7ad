/** The model's circuit for an input: its angles, its drawing, and a description for screen readers. */

import { type DrawnGate, leftmostColumns } from '../drawing/circuit-layout.ts';
import { grouped, listed, plain } from '../numbers.ts';
import type { DemoCircuit, DemoFeature, DemoOperation } from './demo-facts.ts';

/** Scales a feature to [-1, 1], clipping values outside its range. */
export function scaled({ minimum, maximum }: DemoFeature, value: number): number {
  if (maximum === minimum) return 0;
  const place = (2 * (value - minimum)) / (maximum - minimum) - 1;
  return Math.min(1, Math.max(-1, place));
}

/** Angle in radians, as the deployed model computes it; undefined for a gate without an angle. */
export function angleOf(
  { angle }: DemoOperation,
  features: readonly DemoFeature[],
  input: readonly number[],
): number | undefined {
  if (angle === undefined) return undefined;
  const index = angle.feature;
  const feature = index === undefined ? undefined : features[index];
  if (index === undefined || feature === undefined) return angle.offset;
  return angle.factor * scaled(feature, input[index] ?? feature.typical) + angle.offset;
}

/** The feature that an operation's angle encodes; undefined if the angle is only trained. */
export function featureOf(
  { angle }: DemoOperation,
  features: readonly DemoFeature[],
): DemoFeature | undefined {
  return angle?.feature === undefined ? undefined : features[angle.feature];
}

/** The gates with their angles for an input, and a measurement of each qubit in the last column. */
export function drawnGates(
  { qubits, operations }: DemoCircuit,
  features: readonly DemoFeature[],
  input: readonly number[],
): readonly DrawnGate[] {
  const columns = leftmostColumns(operations, qubits);
  const gates = operations.map((operation, id): DrawnGate => {
    const { gate, controls, targets } = operation;
    const feature = featureOf(operation, features);
    const angle = angleOf(operation, features, input);
    return {
      id,
      column: columns[id] ?? 0,
      // The drawing shows controls separately: CRY is a controlled RY.
      name: controls.length === 0 ? gate : gate.replace(/^C+/, ''),
      controls,
      targets,
      ...(angle !== undefined && { detail: plain(angle, 2) }),
      ...(feature !== undefined && { caption: shortName(feature.name), className: 'encoding' }),
    };
  });
  const column = Math.max(0, ...columns.map((each) => each + 1));
  const measurements = Array.from({ length: qubits }, (_, qubit): DrawnGate => {
    return { id: operations.length + qubit, column, name: 'M', controls: [], targets: [qubit] };
  });
  return [...gates, ...measurements];
}

/** Shortens a name to fit a box: "petal L" for "petal length". */
function shortName(name: string): string {
  const [part = '', ...rest] = name.split(' ');
  return [part, ...rest.map((word) => word.slice(0, 1).toUpperCase())].join(' ');
}

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
