/**
 * A request body → a submission, or all that is wrong with it. Pure, and plain data on both sides:
 * small bodies are read where they arrive, large ones in a thread of their own.
 */
import { MAX_FAULTS } from '../../errors/coded-error.ts';
import { serializeCircuit } from '../../fleet/workers/serialized-circuit.ts';
import { type JobLabels, type JobPriority, labelsOf } from '../../jobs/job.ts';
import { RequestInvalidError } from '../errors.ts';
import { requestHash } from '../jobs/canonical-hash.ts';
import type { CircuitBody } from '../schemas/circuits.ts';
import { circuitForm } from './circuit-form.ts';
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
  readonly labels: JobLabels;
  /** The body as it is stored and shown. */
  readonly bodyJson: string;
  /** Set where an idempotency key needs it. */
  readonly bodyHash?: string;
}

/**
 * A JSON value as a submission.
 *
 * @param maxSteps - Of a program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault of form and meaning.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function readSubmission(
  value: unknown,
  targets: readonly Target[],
  needsHash: boolean,
  maxSteps?: number,
): ReadSubmission {
  const body = circuitBodyOf(value, targets, maxSteps);
  const { shots, seed, priority } = body;
  return {
    prepared: prepareCircuit(body, targets, maxSteps),
    shots,
    ...(seed === undefined ? {} : { seed }),
    ...(priority === undefined ? {} : { priority }),
    labels: labelsOf(body),
    // As it was sent: the schema changes nothing of a body of good form.
    bodyJson: JSON.stringify(value),
    ...(needsHash ? { bodyHash: requestHash('/quantum/circuits', body) } : {}),
  };
}

/** A JSON value as a submission whose circuit is serialized: what a thread passes on. */
export function readSerialized(
  value: unknown,
  targets: readonly Target[],
  needsHash: boolean,
): ReadSubmission {
  const submission = readSubmission(value, targets, needsHash);
  return { ...submission, prepared: serialized(submission.prepared) };
}

/** The circuit of a stored request, serialized. */
export function readStoredSerialized(text: string, targets: readonly Target[]): PreparedCircuit {
  return serialized(prepareCircuit(decodeRequest(text).body, targets));
}

/**
 * A body of good form.
 *
 * @param maxSteps - Of a program; no limit unless given.
 * @throws {RequestInvalidError} otherwise, listing the faults of meaning of what is good in it, too.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function circuitBodyOf(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): CircuitBody {
  const maxGates = Math.max(1, ...targets.map(({ spec }) => spec.maxGates));
  const form = circuitForm(value, maxGates);
  if (form.isGood) return form.body;
  const { faults, parts, given } = form;
  const all =
    faults.length < MAX_FAULTS
      ? [...faults, ...meaningFaults(parts, given, targets, maxSteps)]
      : faults;
  const places = new Set<string>();
  throw new RequestInvalidError(all.filter(({ path }) => !places.has(path) && places.add(path)));
}

function serialized(prepared: PreparedCircuit): PreparedCircuit {
  const { circuit } = prepared;
  return 'bytes' in circuit ? prepared : { ...prepared, circuit: serializeCircuit(circuit) };
}
