/**
 * Reads a circuit from a request body or from the text of a stored request, or lists every fault. Pure, with
 * plain data as input and output: small bodies are read in the main thread, large ones in another process.
 */
import { MAX_FAULTS } from '../../errors/coded-error.ts';
import { serializeCircuit } from '../../fleet/workers/sent-circuit.ts';
import { labelsOf } from '../../jobs/job.ts';
import { RequestInvalidError } from '../errors.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import { decodeStored, storedFacts } from '../jobs/stored-request.ts';
import type { Tier } from '../keys/api-key.ts';
import type { Reading } from '../reading/reading.ts';
import type { CircuitBody } from '../schemas/circuits.ts';
import { type CheckedCircuit, checkCircuit, meaningFaults, type Target } from './check-circuit.ts';
import { circuitForm } from './circuit-form.ts';

/** Circuit that will become a job. */
export interface CircuitSubmission extends JobSubmission, CheckedCircuit {
  readonly shots: number;
  /** Body as it is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Facts stored before the body of a circuit. */
export interface CircuitFacts {
  readonly shots: number;
  readonly seed: number;
  /** Number of qubits of the register. */
  readonly qubits: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
}

/** Processors that a circuit is checked against. */
export interface CircuitContext {
  readonly targets: readonly Target[];
}

/** CPU factor for a stored circuit. It was read in time once, and must be read again on a busier machine. */
const STORED_CPU_FACTOR = 10;

/** Reading of the body of POST /quantum/circuits in a process. Its circuit comes back serialized. */
export const CIRCUIT_READING: Reading<CircuitContext, CircuitSubmission> = {
  name: 'circuit',
  read: (body, { targets }) => serialized(readCircuit(body, targets)),
};

/** Reading of a stored request's circuit in a process. Its circuit comes back serialized. */
export const STORED_CIRCUIT_READING: Reading<CircuitContext, CheckedCircuit> = {
  name: 'stored circuit',
  cpuFactor: STORED_CPU_FACTOR,
  read: (text, { targets }) => serialized(checkCircuit(storedBody(String(text)), targets)),
};

/**
 * Reads a JSON value as a circuit to run.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault of form and meaning.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function readCircuit(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): CircuitSubmission {
  const body = circuitBodyOf(value, targets, maxSteps);
  const { shots, seed, priority } = body;
  const checked = checkCircuit(body, targets, maxSteps);
  return {
    ...checked,
    shots,
    ...(seed !== undefined && { seed }),
    ...(priority !== undefined && { priority }),
    ...labelsOf(body),
    facts: { shots, qubits: checked.circuit.numQubits },
    // The value as it was sent: the schema does not change a well-formed body.
    bodyJson: JSON.stringify(value),
  };
}

/** Reads the facts of a stored request from the text or its beginning. */
export function circuitFactsOf(text: string): CircuitFacts {
  // The cast is safe: a request is stored with its facts; earlier versions stored no tier.
  return { tier: 'standard', ...(storedFacts(text) as Omit<CircuitFacts, 'tier'>) };
}

/** Reads the body of a stored request. */
export function storedBody(text: string): CircuitBody {
  // The cast is safe: only well-formed bodies are stored.
  return decodeStored(text).body as CircuitBody;
}

/**
 * Validates a body.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @throws {RequestInvalidError} if it is malformed, listing also the faults of meaning in its well-formed
 *   fields.
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

function serialized<Checked extends CheckedCircuit>(checked: Checked): Checked {
  const { circuit } = checked;
  return 'bytes' in circuit ? checked : { ...checked, circuit: serializeCircuit(circuit) };
}
