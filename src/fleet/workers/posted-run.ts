/** Runs in the form in which they are posted to a worker: circuits as text or bytes, observables as arrays. */
import type { CircuitRun } from '../processor.ts';
import { isBatch } from '../schedule/scheduled-run.ts';
import { bytesOfCircuit, factsOfShape } from './sent-batch.ts';
import { isSameCircuit, type WrittenCircuit, writeCircuit } from './sent-circuit.ts';
import { type ReadObservables, sentObservables } from './sent-observables.ts';
import type { PostedRun, SentCircuit, SentRun } from './worker-messages.ts';

/** The circuits of a list, of which the same one is cloned once. */
export class PostedCircuits {
  /** The last of each shape. */
  readonly #written = new Map<string, WrittenCircuit>();

  /** The circuit of a run in the form that is sent: as text where possible. */
  of({ circuit, request }: Pick<CircuitRun, 'circuit' | 'request'>): SentCircuit {
    if (isBatch(request)) return factsOfShape(circuit).sent;
    const bytes = bytesOfCircuit(circuit);
    if (bytes !== undefined) return bytes;
    const own = writeCircuit(circuit);
    if (own === undefined) return circuit;
    const other = this.#written.get(own.shape);
    if (other !== undefined && isSameCircuit(own, other)) return other;
    this.#written.set(own.shape, own);
    return own;
  }
}

/** A run in the form in which it is posted to a worker. */
export function postedRun(run: SentRun): PostedRun {
  if (run.request.observables === undefined) return run;
  const { observables, ...request } = run.request;
  return { ...run, request, observables: sentObservables(observables) };
}

/** A posted run as its worker runs it. */
export function receivedRun(posted: PostedRun, known: ReadObservables): SentRun {
  if (posted.observables === undefined) return posted;
  const { observables, ...run } = posted;
  return { ...run, request: { ...run.request, observables: known.of(observables) } };
}
