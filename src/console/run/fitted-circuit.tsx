/** A circuit as an emulated device runs it: on its qubits, in its gates. The service fits it when it is asked for. */
import { useEffect, useState } from 'preact/hooks';
import type { CompiledCircuit, CompileRequestInput } from '../../client/api-types.ts';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import { layoutCircuit } from '../drawing/circuit-layout.ts';
import type { GateObject } from '../live-state/messages.ts';
import { grouped, numberOf } from '../numbers.ts';
import { Problem } from '../shell/notice.tsx';
import { client } from '../shell/session.ts';
import { onUsedQubits } from './fitted-wires.ts';

/** Most gates that are drawn. */
const MAX_GATES = 500;

/** Fits the circuit once this is opened, and again while it is open and the circuit changes. */
export function FittedCircuit({ request }: { readonly request: CompileRequestInput }) {
  const [isOpen, setOpen] = useState(false);
  const [state, setState] = useState<{
    readonly fitted?: CompiledCircuit;
    readonly error?: unknown;
  }>({});
  const own = client.value;
  const asked = JSON.stringify(request);
  useEffect(() => {
    if (!isOpen) return;
    const end = new AbortController();
    setState({});
    own.request('POST /quantum/compile', { body: request, signal: end.signal }).then(
      (fitted) => setState({ fitted }),
      (error: unknown) => {
        if (!end.signal.aborted) setState({ error });
      },
    );
    return () => end.abort();
  }, [asked, own, isOpen]);
  const { fitted, error } = state;
  return (
    <details class="fitted" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The circuit as the device runs it</summary>
      <Problem error={error} />
      {isOpen && error === undefined && fitted === undefined && (
        <p class="note">The service fits it …</p>
      )}
      {isOpen && fitted !== undefined && <Drawing fitted={fitted} />}
    </details>
  );
}

function Drawing({ fitted: { circuit = [], compilation } }: { readonly fitted: CompiledCircuit }) {
  const { gates, depth, two_qubit_gates: pairs } = compilation;
  const swaps = 'swaps' in compilation ? compilation.swaps : 0;
  // The cast is safe: the service's schema of gate objects is the one of the composer's.
  const shown = onUsedQubits(circuit as unknown as readonly GateObject[]);
  return (
    <>
      <p class="note">
        {numberOf(gates.after, 'gate')} in place of {grouped(gates.before)}, {grouped(pairs.after)}{' '}
        of them on two qubits in place of {grouped(pairs.before)}, at a depth of{' '}
        {grouped(depth.after)} in place of {grouped(depth.before)}
        {swaps > 0 && `; ${numberOf(swaps, 'swap was', 'swaps were')} added`}. Wires have the
        numbers of the device.
      </p>
      {circuit.length > MAX_GATES ? (
        <p class="small">It has too many gates to be drawn.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="The fitted circuit">
          <CircuitDrawing
            layout={layoutCircuit(shown.qubits.length, shown.gates, { isGrid: true })}
            qubits={shown.qubits}
            label={`Fitted circuit of ${numberOf(shown.qubits.length, 'qubit')} with ${numberOf(gates.after, 'gate')}`}
          />
        </div>
      )}
    </>
  );
}
