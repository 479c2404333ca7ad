/** Reads texts in the page with the service's own readers. Loaded when a text is first read. */
import { CONSTANT, linearForm } from '../../circuit/angle-formulas.ts';
import { OpenQasmInputError } from '../../circuit/errors.ts';
import type { GateAngle, GateObject } from '../../circuit/gate-object.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { inputColumns } from '../../circuit/input-columns.ts';
import {
  type OpenProgram,
  readOpenQasm,
  readOpenQasmAt,
} from '../../circuit/openqasm/parse-openqasm.ts';
import { readStim } from '../../circuit/stim/read-stim.ts';
import type { StimAction } from '../../circuit/stim/stim-gates.ts';
import { parseStim } from '../../circuit/stim/stim-text.ts';
import { stimTimeline } from '../../circuit/stim/stim-timeline.ts';
import { detectingRegions } from '../../compiler/clifford/detecting-regions.ts';
import type {
  DetectorSlice,
  DrawnTimeline,
  ParsedText,
  StimSource,
  TextSource,
} from './messages.ts';
import { LIMITS, type ReadSource } from './read-source.ts';
import { isPrintable, type WritableCircuit } from './write-text.ts';

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
