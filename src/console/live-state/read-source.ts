/** Reads circuits in the page with the readers of the service, and lists the faults that it would list. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { InvalidCircuitError, OpenQasmError, StimTextError } from '../../circuit/errors.ts';
import { PARAMETER_NAMES } from '../../circuit/gate-definition.ts';
import type { GateObject } from '../../circuit/gate-object.ts';
import { gateObjectsOf } from '../../circuit/gate-object-schema.ts';
import {
  noisyCircuitFromGateObjects,
  openCircuitFromGateObjects,
} from '../../circuit/gate-objects.ts';
import { inputColumns } from '../../circuit/input-columns.ts';
import { CodedError, type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import type { CircuitSource, Refused } from './messages.ts';

/** The service's defaults, but wider: circuits that are too wide to show can still be read and written. */
export const LIMITS: CircuitLimits = { maxQubits: 1024, maxGates: 1_000_000 };

/** Code of a malformed field in answers of the service. */
const MALFORMED = 'SERVICE_REQUEST_INVALID';

/** A circuit, and its beginnings. Idle resets and delays are in it. */
export interface ReadSource {
  readonly circuit: DynamicCircuit;
  readonly numSteps: number;
  /** The circuit of the first entries, on as many qubits. */
  upTo(step: number): DynamicCircuit;
}

/** The refusal that an error is; undefined for a fault of the code. */
export function refusalOf(error: unknown): Refused | undefined {
  if (!(error instanceof CodedError)) return undefined;
  const { code, message } = error;
  const faults = error.faults.map((fault) => ({ code, ...fault }));
  return {
    kind: 'refused',
    code,
    message,
    faults: faults.length === 0 ? [{ path: '', message, code }] : faults,
    ...((error instanceof OpenQasmError || error instanceof StimTextError) && {
      position: { line: error.line, column: error.column },
    }),
  };
}

/**
 * Reads a circuit from gate objects.
 *
 * @throws {CodedError} with the faults that the service would list.
 */
export function readObjects({ circuit: entries, qubits, inputs }: CircuitSource): ReadSource {
  const objects = wellFormed(entries, (gates) => circuitOf(gates, qubits, inputs));
  const circuit = circuitOf(objects, qubits, inputs);
  return {
    circuit,
    numSteps: objects.length,
    upTo(step) {
      if (step >= objects.length) return circuit;
      const first = objects.slice(0, step);
      return circuitOf(first, circuit.numQubits, inputs && usedInputs(first, inputs));
    },
  };
}

/**
 * The gate objects of well-formed entries.
 *
 * @param read - Reads the well-formed ones among malformed entries, so that the faults of all are listed.
 */
function wellFormed(
  entries: readonly unknown[],
  read: (gates: readonly GateObject[]) => void,
): readonly GateObject[] {
  if (!Array.isArray(entries)) {
    const message = 'A circuit is a list of gate objects.';
    throw new InvalidCircuitError([{ path: 'circuit', message, code: MALFORMED }]);
  }
  const form: Fault[] = [];
  const gates = gateObjectsOf(entries, form);
  if (form.length === 0 && gates !== undefined) return gates;
  const faults = form.map((fault) => ({ code: MALFORMED, ...fault }));
  if (gates !== undefined && faults.length < MAX_FAULTS)
    faults.push(...faultsOf(() => read(gates)));
  const places = new Set<string>();
  throw new InvalidCircuitError(faults.filter(({ path }) => !places.has(path) && places.add(path)));
}

function faultsOf(read: () => void): Refused['faults'] {
  try {
    read();
    return [];
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal.faults;
  }
}

function circuitOf(
  objects: readonly GateObject[],
  qubits: number | undefined,
  inputs: CircuitSource['inputs'],
): DynamicCircuit {
  const options = { limits: LIMITS, ...(qubits === undefined ? {} : { numQubits: qubits }) };
  return inputs === undefined
    ? noisyCircuitFromGateObjects(objects, options)
    : openCircuitFromGateObjects(objects, options, inputColumns(inputs), 0).circuit;
}

/** The inputs that some gates use; reading refuses others. */
function usedInputs(
  objects: readonly GateObject[],
  inputs: NonNullable<CircuitSource['inputs']>,
): NonNullable<CircuitSource['inputs']> {
  const used = new Set<string>();
  for (const object of objects) {
    const { hamiltonian = [], time } = object;
    for (const angle of [
      ...PARAMETER_NAMES.map((parameter) => object[parameter]),
      time,
      ...hamiltonian.map(({ coefficient }) => coefficient),
    ]) {
      if (typeof angle === 'object') used.add(angle.input);
    }
  }
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => used.has(name)));
}
