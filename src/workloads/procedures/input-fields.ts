/** Input fields that several procedures share, and the circuit that they describe. */
import { z } from 'zod';
import type { Circuit } from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { circuitFromGateObjects } from '../../circuit/gate-objects.ts';
import { parseOpenQasm } from '../../circuit/openqasm/parse-openqasm.ts';
import { CodedError, type Fault } from '../../errors/coded-error.ts';
import { MAX_SEED } from '../../math/philox.ts';
import { ProcedureInputError } from './errors.ts';

/**
 * Most gates in the circuit of an input. Bounded because the circuit is validated while its caller waits.
 */
export const MAX_INPUT_GATES = 10_000;
/** Cost of a draw in estimates of work, in amplitude updates. */
export const UPDATES_PER_DRAW = 50;
const MAX_QASM_LENGTH = 256 * 1024;

/** Schema of a seed. A run draws with `input.seed ?? context.seed`. */
export const seedField = z
  .int()
  .min(0)
  .max(MAX_SEED)
  .optional()
  .describe('The same input with the same seed gives the same result. By default a seed is drawn');

/** Schema of a number of shots, 1 to `max`. */
export function shotsField(max: number, byDefault: number) {
  return z
    .int()
    .min(1)
    .max(max)
    .default(byDefault)
    .describe(`Number of shots of each circuit; default ${byDefault}`);
}

/**
 * Faults of an input that reading it throws, or that `find` returns.
 *
 * @param path - Place of an error that names no fault; unless given, it counts as none.
 * @throws what is no CodedError.
 */
export function faultsOf(find: () => readonly Fault[], path?: string): readonly Fault[] {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { faults, message, code } = error;
    return faults.length > 0 || path === undefined ? faults : [{ path, message, code }];
  }
}

/** Fields for a strict object whose input has a circuit: exactly one of `circuit` and `qasm`. */
export const circuitFields = {
  circuit: z.array(gateObject).max(MAX_INPUT_GATES).optional().describe('Gate objects in order'),
  qasm: z
    .string()
    .max(MAX_QASM_LENGTH)
    .optional()
    .describe('OpenQASM 2.0 or 3 text; replaces `circuit`'),
  qubits: z
    .int()
    .min(1)
    .optional()
    .describe('Number of qubits of `circuit`; by default one more than the highest qubit used'),
};

const circuitInput = z.object(circuitFields);
/** An input with those fields. */
export type CircuitInput = z.output<typeof circuitInput>;

/** Limits of the circuit that a procedure accepts. */
export type InputCircuitLimits = Pick<CircuitLimits, 'maxQubits'>;

/**
 * The circuit of an input.
 *
 * @throws {ProcedureInputError} listing every fault.
 */
export function circuitOf(input: CircuitInput, limits: InputCircuitLimits): Circuit {
  const read = readCircuit(input, limits);
  if ('faults' in read) throw new ProcedureInputError(read.faults);
  return read.circuit;
}

/** Ends messages about outputs that are exact. */
export const NEEDS_FINAL_STATE =
  'a circuit whose measurements are all last, without conditions and without resets of qubits in use.';

/** Fault of a circuit that is wider than the processors can run now. */
export function widthFaults(
  { numQubits }: Circuit,
  maxQubits: number,
  path: string,
): readonly Fault[] {
  if (numQubits <= maxQubits) return [];
  const message = `${numQubits} qubits; the widest circuit that would run now has ${maxQubits}.`;
  return [{ path, message }];
}

/** Faults of the circuit of an input; for `check`. */
export function circuitFaults(input: CircuitInput, limits: InputCircuitLimits): readonly Fault[] {
  const read = readCircuit(input, limits);
  return 'faults' in read ? read.faults : [];
}

type Read = { readonly circuit: Circuit } | { readonly faults: readonly Fault[] };

function readCircuit({ circuit, qasm, qubits }: CircuitInput, given: InputCircuitLimits): Read {
  if (circuit !== undefined && qasm !== undefined) {
    return { faults: [{ path: 'qasm', message: 'Give either circuit or qasm, not both.' }] };
  }
  if (qasm !== undefined && qubits !== undefined) {
    return {
      faults: [{ path: 'qubits', message: 'Only taken with circuit; qasm declares its own.' }],
    };
  }
  const limits = { ...given, maxGates: MAX_INPUT_GATES };
  try {
    if (circuit !== undefined) {
      const numQubits = qubits === undefined ? {} : { numQubits: qubits };
      return { circuit: circuitFromGateObjects(circuit, { limits, ...numQubits }) };
    }
    if (qasm !== undefined) return { circuit: parseOpenQasm(qasm, limits) };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { faults, message, code } = error;
    const path = qasm === undefined ? 'circuit' : 'qasm';
    return { faults: faults.length > 0 ? faults : [{ path, message, code }] };
  }
  return { faults: [{ path: 'circuit', message: 'Required: circuit, or qasm instead.' }] };
}
