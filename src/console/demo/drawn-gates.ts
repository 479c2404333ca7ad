/** Gates of the model's circuit as the drawing shows them. */
import { type DrawnGate, leftmostColumns } from '../drawing/circuit-layout.ts';
import { plain } from '../numbers.ts';
import { angleOf, featureOf } from './circuit-angles.ts';
import type { DemoCircuit, DemoFeature } from './demo-facts.ts';

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
