/** The request of a job. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { circuitWords, drawnGates } from '../composer/circuit-words.ts';
import { editedCircuit, MAX_QUBITS } from '../composer/edited-circuit.ts';
import { writeShared } from '../composer/permalink.ts';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import { layoutCircuit } from '../drawing/circuit-layout.ts';
import type { GateObject } from '../live-state/messages.ts';
import { grouped, memory } from '../numbers.ts';
import { Listing } from '../shell/api-panel.tsx';
import { Problem } from '../shell/notice.tsx';
import { hashOf } from '../shell/route.ts';
import { client } from '../shell/session.ts';
import type { Job, JobRow } from './job-row.ts';
import { ResultFields } from './result-fields.tsx';
import { type Fields, isFields, isTable, type Value } from './result-shape.ts';

/** Shows the request: its fields, and all of it as JSON. A large one is fetched when it is asked for. */
export function RequestView({ job, row }: { readonly job: Job; readonly row: JobRow }) {
  const [fetched, setFetched] = useState<Job['request']>();
  const [error, setError] = useState<unknown>();
  const request = job.request ?? fetched;
  const fetchIt = () => {
    client.value
      .jobsOf(row.id)
      .get(row.id, { include: 'request' })
      // The id says which kind of job it is.
      .then((record) => setFetched((record as Job).request), setError);
  };
  return (
    <section class="card" aria-label="Request">
      <h2>Request</h2>
      {request === undefined && job.request_bytes !== undefined && (
        <p>
          <button type="button" onClick={fetchIt}>
            Show the request ({memory(job.request_bytes)})
          </button>
        </p>
      )}
      <Problem error={error} />
      {request !== undefined && (
        <>
          <RequestFields request={request as Fields} />
          <details>
            <summary>As JSON</summary>
            <Listing
              label="Request as JSON"
              text={JSON.stringify(request, null, 2)}
              class="job-text"
            />
          </details>
        </>
      )}
    </section>
  );
}

/** Fields that the state of the job shows already. */
const SHOWN = ['name', 'tags', 'priority', 'target_processor', 'shots', 'seed', 'circuit', 'task'];

function RequestFields({ request }: { readonly request: Fields }) {
  const { circuit, input, ...others } = request;
  const own = isFields(input) ? input : {};
  return (
    <>
      {[circuit, own['circuit']].map(
        (each, i) =>
          each !== undefined &&
          isTable(each) && (
            <CircuitPart key={i} operations={each} request={i === 0 ? request : own} />
          ),
      )}
      <ResultFields fields={others} without={SHOWN} />
      <ResultFields fields={own} without={['circuit']} />
    </>
  );
}

/** The operations of a circuit, drawn. */
function CircuitPart({
  operations,
  request,
}: {
  readonly operations: readonly Fields[];
  readonly request: Fields;
}) {
  const { qubits, inputs } = request;
  return (
    <GateListDrawing
      // The casts are safe: the service has checked the circuit and its inputs.
      gates={operations as unknown as readonly GateObject[]}
      qubits={typeof qubits === 'number' ? qubits : undefined}
      inputs={isNumbers(inputs) ? (inputs as Readonly<Record<string, number>>) : undefined}
    />
  );
}

function isNumbers(value: Value | undefined): boolean {
  return isFields(value) && Object.values(value).every((each) => typeof each === 'number');
}

/** Most gates that are drawn. */
const MAX_GATES = 500;

interface GateListDrawingProps {
  readonly gates: readonly GateObject[];
  /** Number of qubits; by default one more than the highest that a gate names. */
  readonly qubits?: number | undefined;
  /** Values of inputs. */
  readonly inputs?: Readonly<Record<string, number>> | undefined;
}

/** Draws a circuit that is given as the API's gate objects, with a link to the composer. */
function GateListDrawing({ gates, qubits, inputs }: GateListDrawingProps) {
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
    return <p class="small">A circuit of {grouped(gates.length)} operations.</p>;
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
