/** The circuit as a drawing and as a list, with the angles of the current measurements. */
import { useRef } from 'preact/hooks';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import { layoutCircuit } from '../drawing/circuit-layout.ts';
import { useWidth } from '../drawing/use-width.ts';
import { circuitInWords, drawnGates, operationInWords } from './demo-circuit.ts';
import type { DemoFacts } from './demo-facts.ts';

/** Room at the end of the wires. */
const END = 12;

export function CircuitCard({
  facts,
  input,
}: {
  readonly facts: DemoFacts;
  readonly input: readonly number[];
}) {
  const { circuit, features, shots } = facts;
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  const layers = `${circuit.layers} ${circuit.layers === 1 ? 'layer' : 'layers'}`;
  return (
    <section class="card" aria-labelledby="circuit-title">
      <h2 id="circuit-title">The circuit that runs</h2>
      <p id="circuit-note" class="note">
        {layers} on {circuit.qubits} qubits. Gates that bear the name of a measurement turn with it
        as you move its slider; how far they do, and all other angles, was set by training:{' '}
        {circuit.parameters} numbers. Angles are radians.
      </p>
      <div
        id="circuit-drawing"
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label="Drawing of the circuit"
        ref={figure}
      >
        <CircuitDrawing
          layout={layoutCircuit(circuit.qubits, drawnGates(circuit, features, input), {
            room: width - END,
          })}
          label={`${circuitInWords(circuit, shots)} The list below names each gate.`}
        />
      </div>
      <details>
        <summary>The circuit as a list</summary>
        <ol id="circuit-list">
          {circuit.operations.map((operation, index) => (
            <li key={index}>{operationInWords(operation, features, input)}</li>
          ))}
        </ol>
      </details>
    </section>
  );
}
