/** Writes circuits as texts in the page with the service's own writers. Loaded when a text is first shown. */
import {
  type Circuit,
  type DynamicCircuit,
  isDynamicOperation,
  isNoisy,
  type NoiseOperation,
  type Operation,
  savesOf,
} from '../../circuit/circuit.ts';
import { OpenQasmUnprintableError, StimUnprintableError } from '../../circuit/errors.ts';
import { findOperation, type GateAngle, type GateObject } from '../../circuit/gate-object.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { PrintedInputs } from '../../circuit/openqasm/print-openqasm3.ts';
import { printStim } from '../../compiler/clifford/print-stim.ts';
import { CodedError } from '../../errors/coded-error.ts';
import type { CircuitSource, LiveSource, TextForm, WrittenText } from './messages.ts';
import type { ReadSource } from './read-source.ts';

/** Reads a circuit, from gate objects or with the readers of texts. */
export type ReadsSource = (source: LiveSource) => Promise<ReadSource>;

type Inputs = NonNullable<LiveSource['inputs']>;

/**
 * Writes a circuit as a text. Version 3 of OpenQASM declares its inputs; where their names are no identifiers, or names
 * of gates, angles have their values, as in version 2. A text is translated without its inputs, detectors and
 * observables.
 *
 * @param read - Reads the circuit, and again what was written of a circuit with inputs.
 * @throws {CodedError} with the faults that the service would list, or because the language cannot express the circuit.
 */
export async function writeText(
  source: LiveSource,
  form: TextForm,
  read: ReadsSource,
): Promise<WrittenText> {
  const { circuit } = await read(source);
  if (!isPrintable(circuit)) {
    const what =
      savesOf(circuit).length > 0
        ? 'The circuit has snapshots (SAVE)'
        : 'The program computes with measured bits, or misreads them';
    if (form === 'stim') throw new StimUnprintableError(what);
    throw new OpenQasmUnprintableError(what, 'gates cannot express that.');
  }
  if (form === 'stim') {
    if (isNoisy(circuit)) throw new StimUnprintableError('The circuit has noise');
    // Checked: it has no noise.
    return { kind: 'written', text: printStim(circuit as Circuit) };
  }
  const values = printOpenQasm(circuit, form === 'openqasm2' ? '2' : '3');
  const { inputs = {} } = 'circuit' in source ? source : {};
  const isNamed = form !== 'openqasm2' && Object.keys(inputs).length > 0;
  if (!('circuit' in source) || !isNamed || hasEvolution(source))
    return { kind: 'written', text: values };
  const text = printOpenQasm({ ...circuit, inputs: printedInputs(circuit, source) }, '3');
  return { kind: 'written', text: (await isReadable(text, inputs, read)) ? text : values };
}

/** Whether a circuit has an EVOLVE, whose gates have no objects that name inputs. */
function hasEvolution({ circuit }: CircuitSource): boolean {
  // Checked: the circuit was read from these objects.
  return (circuit as readonly GateObject[]).some(({ hamiltonian }) => hamiltonian !== undefined);
}

/** Texts of angles that depend on inputs. The k-th gate of the circuit is the k-th gate object of a gate. */
function printedInputs(circuit: WritableCircuit, source: CircuitSource): PrintedInputs {
  // Checked: the circuit was read from these objects.
  const objects = (source.circuit as readonly GateObject[]).filter(
    ({ gate }) => !SPECIAL.has(findOperation(gate)?.name ?? ''),
  );
  const gates = circuit.operations.filter((operation) => operation.kind === 'gate');
  const angles = gates.map((operation, i) => {
    const texts = gateNamed(operation.gate).parameters.map((parameter) => {
      const angle = objects[i]?.[parameter];
      return typeof angle === 'object' ? angleText(angle) : undefined;
    });
    return [operation, texts] as const;
  });
  return { names: Object.keys(source.inputs ?? {}), angles: new Map(angles) };
}

const SPECIAL: ReadonlySet<string> = new Set(['UNITARY', 'M', 'RESET', 'BARRIER', 'NOISE', 'SAVE']);

/** Text of an angle that can be read back: `a`, `-a`, `2*a + 0.1`. */
function angleText({ input, scale = 1, offset = 0 }: Exclude<GateAngle, number>): string {
  const scaled = scale === 1 ? input : scale === -1 ? `-${input}` : `${scale}*${input}`;
  if (offset === 0) return scaled;
  return `${scaled} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`;
}

async function isReadable(qasm: string, inputs: Inputs, read: ReadsSource): Promise<boolean> {
  try {
    await read({ qasm, inputs });
    return true;
  } catch (error) {
    if (error instanceof CodedError) return false;
    throw error;
  }
}

/** A circuit without classical computation and misread bits. */
export interface WritableCircuit extends DynamicCircuit {
  readonly operations: readonly (Operation | NoiseOperation)[];
}

/** Whether a circuit computes nothing classical, so that gate objects and both versions can express it. */
export function isPrintable(circuit: DynamicCircuit): circuit is WritableCircuit {
  return circuit.operations.every(
    (operation) => !isDynamicOperation(operation) || operation.kind === 'noise',
  );
}
