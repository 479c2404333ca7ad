/**
 * A request body, or the text of a stored request → a circuit to run, or all that is wrong with it. Pure, and
 * plain data on both sides: small bodies are read where they arrive, large ones in a process of their own.
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

/** A circuit that is to become a job. */
export interface CircuitSubmission extends JobSubmission, CheckedCircuit {
  readonly shots: number;
  /** The body as it is stored and shown. */
  readonly bodyJson: string;
}

/** Numbers that are stored of a circuit before its body. */
export interface CircuitFacts {
  readonly shots: number;
  readonly seed: number;
  /** Width of the register. */
  readonly qubits: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
}

/** The processors that a circuit is checked against. */
export interface CircuitContext {
  readonly targets: readonly Target[];
}

/** A stored circuit was read in time once; on a busier machine it is to be read again. */
const STORED_CPU_FACTOR = 10;

/** Reads a body of POST /quantum/circuits in a process; its circuit comes back serialized. */
export const CIRCUIT_READING: Reading<CircuitContext, CircuitSubmission> = {
  name: 'circuit',
  read: (body, { targets }) => serialized(readCircuit(body, targets)),
};

/** Reads the circuit of a stored request in a process, likewise. */
export const STORED_CIRCUIT_READING: Reading<CircuitContext, CheckedCircuit> = {
  name: 'stored circuit',
  cpuFactor: STORED_CPU_FACTOR,
  read: (text, { targets }) => serialized(checkCircuit(storedBody(String(text)), targets)),
};

/**
 * A JSON value as a circuit to run.
 *
 * @param maxSteps - Of a program; no limit unless given.
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
    // As it was sent: the schema changes nothing of a body of good form.
    bodyJson: JSON.stringify(value),
  };
}

/** The facts of a stored request, of which the beginning is enough. */
export function circuitFactsOf(text: string): CircuitFacts {
  // Checked: a request is stored with its facts; an earlier version stored no tier.
  return { tier: 'standard', ...(storedFacts(text) as Omit<CircuitFacts, 'tier'>) };
}

/** The body of a stored request. */
export function storedBody(text: string): CircuitBody {
  // Checked: only a body of good form is stored.
  return decodeStored(text).body as CircuitBody;
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

function serialized<Checked extends CheckedCircuit>(checked: Checked): Checked {
  const { circuit } = checked;
  return 'bytes' in circuit ? checked : { ...checked, circuit: serializeCircuit(circuit) };
}
