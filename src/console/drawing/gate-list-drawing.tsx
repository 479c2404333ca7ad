/** Draws a circuit that is given as the API's gate objects, with a link to the composer. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { circuitWords, drawnGates } from '../composer/circuit-words.ts';
import { editedCircuit, MAX_QUBITS } from '../composer/edited-circuit.ts';
import { writeShared } from '../composer/permalink.ts';
import type { GateObject } from '../live-state/messages.ts';
import { hashOf } from '../shell/route.ts';
import { CircuitDrawing } from './circuit-drawing.tsx';
import { layoutCircuit } from './circuit-layout.ts';

/** Most gates that are drawn. */
const MAX_GATES = 500;

interface GateListDrawingProps {
  readonly gates: readonly GateObject[];
  /** Number of qubits; by default one more than the highest that a gate names. */
  readonly qubits?: number | undefined;
  /** Values of inputs. */
  readonly inputs?: Readonly<Record<string, number>> | undefined;
}

export function GateListDrawing({ gates, qubits, inputs }: GateListDrawingProps) {
  const circuit = useMemo(
    () => (gates.length > MAX_GATES ? undefined : editedCircuit(gates, qubits)),
    [gates, qubits],
  );
  const [link, setLink] = useState<string>();
  useEffect(() => {
    setLink(undefined);
    if (circuit === undefined || circuit.numQubits > MAX_QUBITS) return;
    let isOver = false;
    const shared = { qubits: circuit.numQubits, circuit: gates, ...(inputs && { inputs }) };
    void writeShared(shared).then((text) => {
      if (!isOver) setLink(hashOf(['composer'], { c: text }));
    });
    return () => {
      isOver = true;
    };
  }, [circuit, gates, inputs]);
  if (circuit === undefined || circuit.numQubits > MAX_QUBITS) {
    return <p class="small">A circuit of {gates.length.toLocaleString('en')} operations.</p>;
  }
  const layout = layoutCircuit(
    circuit.numQubits,
    drawnGates(circuit, () => ''),
  );
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="The circuit">
        <CircuitDrawing layout={layout} label={circuitWords(circuit)} />
      </div>
      {link !== undefined && (
        <p>
          <a href={link}>Open it in the composer</a>
        </p>
      )}
    </>
  );
}
