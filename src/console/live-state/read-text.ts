/** Reads and writes texts in the page with the service's own readers and writers. Loaded when a text first comes. */
import { CONSTANT, linearForm } from '../../circuit/angle-formulas.ts';
import {
  type Circuit,
  type DynamicCircuit,
  isDynamicOperation,
  isNoisy,
  type NoiseOperation,
  type Operation,
  savesOf,
} from '../../circuit/circuit.ts';
import {
  OpenQasmInputError,
  OpenQasmUnprintableError,
  StimUnprintableError,
} from '../../circuit/errors.ts';
import { findOperation, type GateAngle, type GateObject } from '../../circuit/gate-object.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { inputColumns } from '../../circuit/input-columns.ts';
import {
  type OpenProgram,
  readOpenQasm,
  readOpenQasmAt,
} from '../../circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { PrintedInputs } from '../../circuit/openqasm/print-openqasm3.ts';
import { readStim } from '../../circuit/stim/read-stim.ts';
import type { StimAction } from '../../circuit/stim/stim-gates.ts';
import { parseStim } from '../../circuit/stim/stim-text.ts';
import { stimTimeline } from '../../circuit/stim/stim-timeline.ts';
import { detectingRegions } from '../../compiler/clifford/detecting-regions.ts';
import { printStim } from '../../compiler/clifford/print-stim.ts';
import { CodedError } from '../../errors/coded-error.ts';
import type {
  CircuitSource,
  DetectorSlice,
  DrawnTimeline,
  LiveSource,
  ParsedText,
  StimSource,
  TextForm,
  TextSource,
  WrittenText,
} from './messages.ts';
import { LIMITS, type ReadSource, readObjects } from './read-source.ts';

/**
 * Reads a circuit from a text.
 *
 * @throws {CodedError} with the faults that the service would list.
 */
export function readText(source: TextSource): ReadSource {
  const { circuit } =
    'stim' in source
      ? readStim(source.stim, LIMITS)
      : readOpenQasm(source.qasm, LIMITS, { inputs: source.inputs ?? {} });
  const { operations } = circuit;
  return {
    circuit,
    numSteps: operations.length,
    upTo: (step) => ({ ...circuit, operations: operations.slice(0, step) }),
  };
}

/**
 * Reads a text for an editor of gates. Inputs without a value get one.
 *
 * @throws {CodedError} with the faults that the service would list.
 */
export function parseText(source: TextSource): ParsedText {
  if ('stim' in source) return parseStimText(source);
  const { qasm, inputs: given = {} } = source;
  const { program, inputs } = readOpen(qasm, given);
  const { circuit, warnings } = program;
  const { numQubits: qubits, numBits } = circuit;
  return {
    kind: 'parsed',
    qubits,
    numBits,
    circuit: isPrintable(circuit) ? openObjects(circuit, program, Object.keys(inputs)) : undefined,
    inputs,
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}

function parseStimText({ stim }: StimSource): ParsedText {
  const { circuit, warnings } = readStim(stim, LIMITS, { takesLoops: true });
  const { numQubits: qubits, numBits } = circuit;
  const hasGatesAlone = parseStim(stim).every(
    ({ gate }) => gate !== undefined && OF_GATES.has(gate.action.kind),
  );
  return {
    kind: 'parsed',
    qubits,
    numBits,
    circuit: hasGatesAlone && isPrintable(circuit) ? gateObjectsFromCircuit(circuit) : undefined,
    inputs: {},
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}

/** Instructions that are gates, measurements and resets of a circuit. */
const OF_GATES: ReadonlySet<StimAction['kind']> = new Set([
  'gates',
  'controlled',
  'rotation',
  'measure',
  'measure-pair',
  'measure-product',
  'phase-product',
]);

/**
 * Draws a text in Stim's format.
 *
 * @throws {StimTextError}
 */
export function drawStim({ stim }: StimSource): DrawnTimeline {
  return { kind: 'timeline', timeline: stimTimeline(stim) };
}

/**
 * Detecting regions of a text at a TICK.
 *
 * @throws {StimTextError}
 */
export function sliceStim({ stim }: StimSource, tick: number): DetectorSlice {
  return { kind: 'slice', regions: detectingRegions(stim, new Set([tick])).get(tick) ?? [] };
}

type Inputs = Readonly<Record<string, number | boolean>>;

/** Reads a program. Inputs without a value are 1, or true where 1 is refused. */
function readOpen(qasm: string, given: Inputs): { program: OpenProgram; inputs: Inputs } {
  let inputs: Inputs = given;
  for (;;) {
    try {
      const program = readOpenQasmAt(qasm, LIMITS, inputColumns(inputs), 0, new Set());
      return { program, inputs };
    } catch (error) {
      if (!(error instanceof OpenQasmInputError)) throw error;
      const chosen = new Map<string, number | boolean>();
      for (const { path } of error.faults) {
        const name = path.replace(/^inputs\./, '');
        if (Object.hasOwn(given, name)) throw error;
        if (!Object.hasOwn(inputs, name)) chosen.set(name, 1);
        else if (inputs[name] === 1) chosen.set(name, true);
        else throw error;
      }
      inputs = { ...inputs, ...Object.fromEntries(chosen) };
    }
  }
}

/** Gate objects whose angles name the inputs; undefined if some angle does it in a form that they lack. */
function openObjects(
  circuit: WritableCircuit,
  { formulas, structural }: OpenProgram,
  names: readonly string[],
): readonly GateObject[] | undefined {
  if (structural.size > 0) return undefined;
  const objects = gateObjectsFromCircuit(circuit);
  let next = 0;
  for (const [i, operation] of circuit.operations.entries()) {
    if (operation.kind !== 'gate') continue;
    for (const parameter of gateNamed(operation.gate).parameters) {
      const value = formulas.results[next++] ?? CONSTANT;
      if (value === CONSTANT) continue;
      const form = linearForm(formulas, value);
      const input = form && names[form.input];
      if (form === undefined || input === undefined) return undefined;
      const { scale, offset } = form;
      const angle: GateAngle = {
        input,
        ...(scale !== 1 && { scale }),
        ...(offset !== 0 && { offset }),
      };
      objects[i] = { ...objects[i], gate: operation.gate, [parameter]: angle };
    }
  }
  return objects;
}

/**
 * Writes a circuit as a text. Version 3 of OpenQASM declares its inputs; where their names are no identifiers, or names
 * of gates, angles have their values, as in version 2. A text is translated without its inputs, detectors and
 * observables.
 *
 * @throws {CodedError} with the faults that the service would list, or because the language cannot express the circuit.
 */
export function writeText(source: LiveSource, form: TextForm): WrittenText {
  const { circuit } = 'circuit' in source ? readObjects(source) : readText(source);
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
  return { kind: 'written', text: isReadable(text, inputs) ? text : values };
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

function isReadable(text: string, inputs: Inputs): boolean {
  try {
    readOpenQasm(text, LIMITS, { inputs });
    return true;
  } catch (error) {
    if (error instanceof CodedError) return false;
    throw error;
  }
}

/** A circuit without classical computation and misread bits. */
interface WritableCircuit extends DynamicCircuit {
  readonly operations: readonly (Operation | NoiseOperation)[];
}

/** Whether a circuit computes nothing classical, so that gate objects and both versions can express it. */
function isPrintable(circuit: DynamicCircuit): circuit is WritableCircuit {
  return circuit.operations.every(
    (operation) => !isDynamicOperation(operation) || operation.kind === 'noise',
  );
}
