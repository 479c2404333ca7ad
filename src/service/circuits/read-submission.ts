/**
 * A request body → a submission, or all that is wrong with it. Pure, and plain data on both sides:
 * small bodies are read where they arrive, large ones in a thread of their own.
 */
import { findOperation } from '../../circuit/gate-object.ts';
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { serializeCircuit } from '../../fleet/serialized-circuit.ts';
import type { JobPriority } from '../../jobs/job.ts';
import { RequestInvalidError } from '../errors.ts';
import { parseJsonBody } from '../plugins/json-body.ts';
import { formFaults } from '../plugins/validation.ts';
import { type CircuitBody, circuitBody } from '../schemas/circuits.ts';
import { requestHash } from './canonical-hash.ts';
import {
  meaningFaults,
  type PreparedCircuit,
  prepareCircuit,
  type Target,
} from './circuit-submission.ts';
import { decodeRequest } from './stored-request.ts';

/** All that is needed of a body to answer, store and run it. */
export interface ReadSubmission {
  readonly prepared: PreparedCircuit;
  readonly shots: number;
  readonly seed?: number;
  readonly priority?: JobPriority;
  /** The body as it is stored. */
  readonly bodyJson: string;
  /** Set where an idempotency key needs it. */
  readonly bodyHash?: string;
}

/** A body of good form as a submission. @throws {RequestInvalidError} listing every fault of meaning. */
export function submissionOf(
  body: CircuitBody,
  targets: readonly Target[],
  needsHash: boolean,
): ReadSubmission {
  const { shots, seed, priority } = body;
  return {
    prepared: prepareCircuit(body, targets),
    shots,
    ...(seed === undefined ? {} : { seed }),
    ...(priority === undefined ? {} : { priority }),
    bodyJson: JSON.stringify(body),
    ...(needsHash ? { bodyHash: requestHash('/quantum/circuits', body) } : {}),
  };
}

/**
 * A body as it came over the wire as a submission, its circuit serialized.
 *
 * @throws {BodyMalformedError}
 * @throws {RequestInvalidError} listing every fault.
 */
export function readLargeSubmission(
  bytes: Uint8Array,
  targets: readonly Target[],
  needsHash: boolean,
): ReadSubmission {
  const value = parseJsonBody(bytes);
  const parsed = circuitBody.safeParse(value);
  if (!parsed.success) throw allFaults(formFaults(parsed.error), value, targets);
  const submission = submissionOf(parsed.data, targets, needsHash);
  return { ...submission, prepared: serialized(submission.prepared) };
}

/** The circuit of a stored request, serialized. */
export function readLargeStored(text: string, targets: readonly Target[]): PreparedCircuit {
  return serialized(prepareCircuit(decodeRequest(text).body, targets));
}

/** The faults of a body's form, and of the meaning of those parts whose form is good. */
export function allFaults(
  faultsOfForm: readonly Fault[],
  body: unknown,
  targets: readonly Target[],
): RequestInvalidError {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return new RequestInvalidError(faultsOfForm);
  }
  const shapes = new Map(Object.entries(circuitBody.shape));
  const parts = Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (shapes.get(name)?.safeParse(value).success) return [[name, value]];
      const entries = name === 'circuit' ? wellFormedEntries(value) : undefined;
      return entries === undefined ? [] : [[name, entries]];
    }),
  );
  const faults = [...faultsOfForm, ...meaningFaults(parts, Object.keys(body), targets)];
  const places = new Set<string>();
  const distinct = faults.filter(({ path }) => !places.has(path) && places.add(path));
  return new RequestInvalidError(distinct.slice(0, MAX_FAULTS));
}

/**
 * A circuit with a barrier in place of each entry of bad form, so that the others keep their places;
 * undefined where an entry may be a measurement, on which the meaning of later ones depends.
 */
function wellFormedEntries(circuit: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(circuit)) return undefined;
  const entries: unknown[] = [];
  for (const entry of circuit) {
    if (circuitBody.shape.circuit.safeParse([entry]).success) entries.push(entry);
    else if (isGate(entry)) entries.push({ gate: 'BARRIER' });
    else return undefined;
  }
  return entries;
}

function isGate(entry: unknown): boolean {
  const isNamed = typeof entry === 'object' && entry !== null && 'gate' in entry;
  if (!isNamed || typeof entry.gate !== 'string') return false;
  const operation = findOperation(entry.gate);
  return operation !== undefined && operation.name !== 'M';
}

function serialized(prepared: PreparedCircuit): PreparedCircuit {
  const { circuit } = prepared;
  return 'bytes' in circuit ? prepared : { ...prepared, circuit: serializeCircuit(circuit) };
}
