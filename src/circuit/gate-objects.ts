/**
 * Converts gate objects to a circuit, and checks everything that the schema leaves open.
 *
 * Two linear passes: the first finds the number of qubits, the second reads each object against it. Faults
 * are collected, not thrown one by one, so that a caller can correct them all at once.
 */
import { didYouMean } from '../errors/nearest-names.ts';
import type { AngleFormulas } from './angle-formulas.ts';
import {
  type Circuit,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  isStatic,
  type NoiseOperation,
  type Operation,
  type Qubit,
  type SaveOperation,
} from './circuit.ts';
import { type CircuitLimits, MAX_UNITARY_QUBITS, tooManyQubits } from './circuit-limits.ts';
import { counted, FaultList, InvalidCircuitError, LIMIT_EXCEEDED } from './errors.ts';
import { type Evolution, EvolutionReader, type FormulaError } from './evolution/read-evolution.ts';
import { type GateDefinition, PARAMETER_NAMES } from './gate-definition.ts';
import {
  EVOLVE_FIELDS,
  findOperation,
  type GateAngle,
  type GateObject,
  operationNames,
  type SpecialOperation,
  TARGET_FIELDS,
} from './gate-object.ts';
import { constant, GateObjectInputs, type OpenNumber } from './gate-object-inputs.ts';
import { OperandReader, type OperandShape, WrittenBits } from './gate-operands.ts';
import { withoutIdleResets } from './idle-resets.ts';
import type { InputColumns } from './input-columns.ts';
import { unitaryFromRows } from './matrix-rows.ts';
import { ChannelPlacer } from './noise/place-channel.ts';
import { SaveReader } from './read-save.ts';

/** Options for reading gate objects. */
interface GateObjectOptions {
  /** Number of qubits; by default one past the highest qubit named, and at least 1. */
  readonly numQubits?: number;
  readonly limits: CircuitLimits;
  /** Path of the list in messages; `circuit` by default. */
  readonly path?: string;
}

/**
 * Returns the circuit that a list of gate objects describes, for a caller that has no use for noise. Resets of
 * qubits that are still |0⟩ are left out.
 *
 * @throws {InvalidCircuitError} as `noisyCircuitFromGateObjects`, and where an object is NOISE.
 */
export function circuitFromGateObjects(
  objects: readonly GateObject[],
  options: GateObjectOptions,
): Circuit {
  const { circuit } = readObjects(objects, { ...options, takesNoise: false }, undefined);
  if (isStatic(circuit)) return circuit;
  throw new Error('unreachable: noise that was not refused');
}

/**
 * Returns the circuit that a list of gate objects describes. Idle resets stay (`idle-resets.ts`).
 *
 * `M` without `bits` writes the bits after the highest one written so far. An empty list is valid only with
 * `numQubits`.
 *
 * @throws {InvalidCircuitError} listing every fault (the first 20) with its path.
 */
export function noisyCircuitFromGateObjects(
  objects: readonly GateObject[],
  options: GateObjectOptions,
): DynamicCircuit {
  return readObjects(objects, { ...options, takesNoise: true }, undefined).circuit;
}

/**
 * Returns the circuit of `noisyCircuitFromGateObjects`, or with inputs that at their first point, and a bound on the
 * error of its product formulas.
 *
 * @throws {InvalidCircuitError} as `openCircuitFromGateObjects`.
 */
export function evolvedCircuitFromGateObjects(
  objects: readonly GateObject[],
  options: GateObjectOptions,
  inputs: InputColumns | undefined,
): { readonly circuit: DynamicCircuit; readonly errorBound: number | undefined } {
  const atPoint = inputs && new GateObjectInputs(inputs, 0);
  const { circuit, errors } = readObjects(objects, { ...options, takesNoise: true }, atPoint);
  return { circuit, errorBound: errorBoundAt(errors, atPoint, 0) };
}

/**
 * Returns the circuit that a list of gate objects describes at one point of its inputs, and how its angles follow from
 * the inputs. Idle resets stay (`idle-resets.ts`).
 *
 * @throws {InvalidCircuitError} as `noisyCircuitFromGateObjects`, with the path of each input that the circuit uses and
 *   that is not given, or that is given and not used.
 */
export function openCircuitFromGateObjects(
  objects: readonly GateObject[],
  options: GateObjectOptions,
  inputs: InputColumns,
  point: number,
): OpenCircuit {
  const atPoint = new GateObjectInputs(inputs, point);
  const { circuit, errors } = readObjects(objects, { ...options, takesNoise: true }, atPoint);
  return {
    circuit,
    formulas: atPoint.formulas(),
    obstacles: atPoint.obstacles,
    ...(errors.length > 0 && {
      errorBoundAt: (other: number) => errorBoundAt(errors, atPoint, other) ?? 0,
    }),
  };
}

/** A circuit at one point of its inputs. */
interface OpenCircuit {
  readonly circuit: DynamicCircuit;
  readonly formulas: AngleFormulas;
  /** Inputs that decide more than angles, and how. */
  readonly obstacles: ReadonlyMap<number, string>;
  /**
   * Bound on the error of the circuit's product formulas at a point where the inputs of `obstacles` have the same
   * values; absent where it has none.
   */
  readonly errorBoundAt?: (point: number) => number;
}

/** Sum of the bounds of all formulas: as unitaries follow each other, their errors add up. No error is greater than 2. */
function errorBoundAt(
  errors: readonly FormulaError[],
  inputs: GateObjectInputs | undefined,
  point: number,
): number | undefined {
  if (errors.length === 0) return undefined;
  const sum = errors.reduce((total, { scale, power, time }) => {
    const t = typeof time === 'number' ? time : inputs!.valueAt(time, point);
    return total + scale * Math.abs(t) ** power;
  }, 0);
  return Math.min(2, sum);
}

function readObjects(
  objects: readonly GateObject[],
  options: GateObjectOptions & { readonly takesNoise: boolean },
  inputs: GateObjectInputs | undefined,
): { readonly circuit: DynamicCircuit; readonly errors: readonly FormulaError[] } {
  const { limits, path = 'circuit' } = options;
  const faults = new FaultList();
  checkSize(objects, options, path, faults);
  const numQubits = registerWidth(objects, options, faults);
  const reader = new GateObjectReader(numQubits, limits, faults, inputs);
  const operations: DynamicOperation[] = [];
  const errors: FormulaError[] = [];
  let [numChannels, numEvolutions] = [0, 0];
  for (const [i, object] of objects.entries()) {
    const place = `${path}[${i}]`;
    const operation = reader.read(object, place, i);
    if (operation === undefined) continue;
    if (operation.kind === 'save' && !options.takesNoise) faults.add(`${place}.gate`, NO_SAVE);
    if (operation.kind === 'evolution') {
      numEvolutions++;
      const { error, parts } = operation;
      if (error !== undefined) errors.push(error);
      if (error !== undefined && !options.takesNoise) faults.add(`${place}.steps`, NO_FORMULA);
      for (const { gates, times } of parts) {
        // The operations of all steps are the same objects.
        for (let n = 0; n < times; n++) for (const gate of gates) operations.push(gate);
      }
      continue;
    }
    if (operation.kind !== 'channel') {
      operations.push(operation);
      continue;
    }
    if (!options.takesNoise) faults.add(`${place}.gate`, NO_NOISE);
    numChannels += operation.channels.length;
    if (numChannels <= limits.maxGates) operations.push(...operation.channels);
  }
  if (numChannels > limits.maxGates) {
    const count = `The circuit has ${numChannels} channels on qubits`;
    faults.add(path, `${count}; the limit max_gates is ${limits.maxGates}.`, LIMIT_EXCEEDED);
  }
  const numGates = objects.length - numEvolutions + reader.numEvolved;
  if (numEvolutions > 0 && faults.count === 0 && numGates > limits.maxGates) {
    const count = `With EVOLVE written out, the circuit has ${numGates} gates`;
    faults.add(path, `${count}; the limit max_gates is ${limits.maxGates}.`, LIMIT_EXCEEDED);
  }
  inputs?.check(faults);
  if (faults.count > 0) throw new InvalidCircuitError(faults.kept, faults.count);
  const circuit = { numQubits, numBits: reader.numBits, operations };
  return { circuit: options.takesNoise ? circuit : withoutIdleResets(circuit), errors };
}

const NO_SAVE = 'SAVE is not taken here; circuits and batches take it.';
const NO_NOISE = 'NOISE is not taken here; this needs a circuit without noise.';

const NO_FORMULA =
  'A product formula is not taken here, where no answer has its error bound; this needs an exact evolution.';

/** Checks the number of gates, and of barriers, which cost nothing to run but take time to read. */
function checkSize(
  objects: readonly GateObject[],
  { limits, numQubits }: GateObjectOptions,
  path: string,
  faults: FaultList,
): void {
  if (objects.length === 0 && numQubits === undefined) {
    faults.add(path, 'The circuit is empty; `qubits` must then give its width.');
  }
  if (objects.length <= limits.maxGates) return;
  const numBarriers = objects.filter(({ gate }) => gate.toLowerCase() === 'barrier').length;
  for (const [count, noun] of [
    [objects.length - numBarriers, 'gates'],
    [numBarriers, 'barriers'],
  ] as const) {
    if (count <= limits.maxGates) continue;
    const limit = `the limit max_gates is ${limits.maxGates}`;
    faults.add(path, `The circuit has ${count} ${noun}; ${limit}.`, LIMIT_EXCEEDED);
  }
}

/** Number of qubits: as given, or as the operands need, within the limit. */
function registerWidth(
  objects: readonly GateObject[],
  { limits, numQubits }: GateObjectOptions,
  faults: FaultList,
): number {
  if (numQubits !== undefined) {
    if (!Number.isInteger(numQubits) || numQubits < 1) {
      faults.add('qubits', `${numQubits} is not a width; it is a whole number from 1.`);
    } else if (numQubits > limits.maxQubits) {
      const what = `The circuit has ${numQubits} qubits`;
      faults.add('qubits', tooManyQubits(what, numQubits, limits), LIMIT_EXCEEDED);
      return numQubits;
    } else {
      return numQubits;
    }
  }
  let highest = 0;
  const include = (qubit: Qubit | undefined): void => {
    if (qubit !== undefined && qubit > highest && Number.isInteger(qubit)) highest = qubit;
  };
  for (const object of objects) {
    if (object.hamiltonian !== undefined) {
      for (const { pauli } of object.hamiltonian) {
        for (const digits of pauli.match(/\d+/g) ?? []) include(Number(digits));
      }
    }
    include(object.control);
    if (object.controls !== undefined) for (const qubit of object.controls) include(qubit);
    for (const field of TARGET_FIELDS) {
      const value = object[field];
      if (typeof value === 'number') include(value);
      else if (value !== undefined) for (const qubit of value) include(qubit);
    }
  }
  return Math.min(highest + 1, limits.maxQubits);
}

const UNITARY_SHAPE: OperandShape = {
  name: 'UNITARY',
  numControls: 0,
  numTargets: { min: 1, max: MAX_UNITARY_QUBITS },
  takesControls: true,
};

const EVOLVE_SHAPE: OperandShape = {
  name: 'EVOLVE',
  numControls: 0,
  numTargets: 0,
  takesControls: true,
};

const ANY_WIDTH = { numControls: 0, numTargets: { min: 1, max: Infinity }, takesControls: false };

/** The channels of one object: one on each qubit, or one on all. */
interface PlacedChannels {
  readonly kind: 'channel';
  readonly channels: readonly NoiseOperation[];
}

const OF_SAVE = ['label', 'what', 'observables', 'basis_states'] as const;

/** The gates of one EVOLVE. */
interface WrittenEvolution extends Evolution {
  readonly kind: 'evolution';
}

/** Reads objects in order; conditions are checked against the measurements before them. */
class GateObjectReader {
  readonly #faults: FaultList;
  readonly #operands: OperandReader;
  readonly #bits: WrittenBits;
  readonly #allQubits: readonly Qubit[];
  readonly #shapes = new Map<GateDefinition, OperandShape>();
  readonly #inputs: GateObjectInputs | undefined;
  readonly #channels = new ChannelPlacer();
  readonly #saves: SaveReader;
  readonly #evolutions: EvolutionReader;

  constructor(
    numQubits: number,
    limits: CircuitLimits,
    faults: FaultList,
    inputs: GateObjectInputs | undefined,
  ) {
    this.#faults = faults;
    this.#inputs = inputs;
    this.#operands = new OperandReader({ numQubits, limits }, faults);
    this.#bits = new WrittenBits(faults);
    this.#saves = new SaveReader(numQubits, faults);
    this.#evolutions = new EvolutionReader(numQubits, limits, faults, inputs);
    // A width past the limit is reported already; the list need not be that long.
    const width = Math.min(numQubits, limits.maxQubits);
    this.#allQubits = Array.from({ length: width }, (_, qubit) => qubit);
  }

  /** Number of classical bits after the objects read so far. */
  get numBits(): number {
    return this.#bits.numBits;
  }

  /** Number of gates that EVOLVEs were written out as so far. */
  get numEvolved(): number {
    return this.#evolutions.numGates;
  }

  /** Returns the operation; undefined after reporting its faults. */
  read(
    object: GateObject,
    path: string,
    index: number,
  ): Operation | SaveOperation | PlacedChannels | WrittenEvolution | undefined {
    const found = findOperation(object.gate);
    if (found === undefined) {
      this.#faults.add(`${path}.gate`, this.#unknownGate(object.gate));
      return undefined;
    }
    return 'parameters' in found
      ? this.#gate(object, found, path)
      : this.#special(object, found, path, index);
  }

  /** Suggests names only for faults that will be listed, because each suggestion compares all names. */
  #unknownGate(gate: string): string {
    if (this.#faults.isFull) return '';
    const shown = gate.length > 40 ? `${gate.slice(0, 40)}…` : gate;
    return `There is no gate called ${JSON.stringify(shown)}.${didYouMean(gate, operationNames())}`;
  }

  #gate(object: GateObject, definition: GateDefinition, path: string): Operation | undefined {
    this.#refuseFields(object, definition.name, path);
    const angles = this.#angles(object, definition, path);
    const operands = this.#operands.read(object, this.#shapeOf(definition), path);
    const condition = this.#condition(object, path);
    if (operands === undefined) return undefined;
    const operation = { kind: 'gate', gate: definition.name, ...operands, angles } as const;
    return condition === undefined ? operation : { ...operation, condition };
  }

  #special(
    object: GateObject,
    { name }: SpecialOperation,
    path: string,
    index: number,
  ): Operation | SaveOperation | PlacedChannels | WrittenEvolution | undefined {
    this.#refuseFields(object, name, path);
    this.#angles(object, { name, parameters: [] }, path);
    switch (name) {
      case 'UNITARY':
        return this.#unitary(object, path);
      case 'EVOLVE':
        return this.#evolution(object, path);
      case 'M':
        return this.#measure(object, path);
      case 'RESET':
        return this.#reset(object, path);
      case 'BARRIER':
        return this.#barrier(object, path);
      case 'NOISE':
        return this.#noise(object, path);
      case 'SAVE':
        return this.#saves.read(object, index, path, this.#allQubits, () => {
          return this.#operands.read(object, { name: 'SAVE', ...ANY_WIDTH }, path)?.targets;
        });
    }
  }

  #shapeOf(definition: GateDefinition): OperandShape {
    let shape = this.#shapes.get(definition);
    if (shape === undefined) {
      const { name, numControls, numTargets } = definition;
      shape = { name, numControls, numTargets, takesControls: true };
      this.#shapes.set(definition, shape);
    }
    return shape;
  }

  /** Reports fields that belong to other operations. */
  #refuseFields(object: GateObject, name: string, path: string): void {
    if (object.matrix !== undefined && name !== 'UNITARY') {
      this.#faults.add(`${path}.matrix`, `${name} takes no matrix; only UNITARY does.`);
    }
    if (object.bits !== undefined && name !== 'M') {
      this.#faults.add(`${path}.bits`, `${name} writes no bits; only M does.`);
    }
    if (object.channel !== undefined && name !== 'NOISE') {
      this.#faults.add(`${path}.channel`, `${name} takes no channel; only NOISE does.`);
    }
    for (const field of OF_SAVE) {
      if (object[field] === undefined || name === 'SAVE') continue;
      this.#faults.add(`${path}.${field}`, `${name} takes no ${field}; only SAVE does.`);
    }
    if (name === 'EVOLVE') return;
    for (const field of EVOLVE_FIELDS) {
      if (object[field] === undefined) continue;
      this.#faults.add(`${path}.${field}`, `${name} takes no ${field}; only EVOLVE does.`);
    }
  }

  /** Returns the angles in the order of the gate's parameters. */
  #angles(
    object: GateObject,
    { name, parameters }: Pick<GateDefinition, 'name' | 'parameters'>,
    path: string,
  ): readonly number[] {
    const angles: number[] = [];
    for (const parameter of parameters) {
      const given = object[parameter];
      if (given === undefined) {
        const all = parameters.join(', ');
        this.#faults.add(`${path}.${parameter}`, `Missing; ${name} takes ${all}, in radians.`);
        continue;
      }
      const angle = this.#number(given, `${path}.${parameter}`);
      if (angle === undefined) continue;
      this.#inputs?.record(angle);
      angles.push(angle.number);
    }
    for (const parameter of PARAMETER_NAMES) {
      if (object[parameter] === undefined || parameters.includes(parameter)) continue;
      const takes = parameters.length === 0 ? 'no angles' : `only ${parameters.join(', ')}`;
      this.#faults.add(`${path}.${parameter}`, `${name} takes ${takes}.`);
    }
    return angles;
  }

  /** Returns an angle in radians, or another number; undefined after reporting that it has no value. */
  #number(given: GateAngle, path: string): OpenNumber | undefined {
    if (typeof given !== 'number') {
      if (this.#inputs !== undefined) return this.#inputs.open(given, path, this.#faults);
      const name = JSON.stringify(given.input.slice(0, 100));
      this.#faults.add(path, `It depends on the input ${name}, and no inputs are given.`);
      return undefined;
    }
    if (Number.isFinite(given)) return constant(given);
    this.#faults.add(path, `${given} is not a finite number.`);
    return undefined;
  }

  /** Returns the condition; undefined where there is none or it was reported as invalid. */
  #condition({ condition }: GateObject, path: string): Condition | undefined {
    if (condition === undefined) return undefined;
    return this.#bits.check(condition, `${path}.condition`) ? condition : undefined;
  }

  #unitary(object: GateObject, path: string): Operation | undefined {
    const operands = this.#operands.read(object, UNITARY_SHAPE, path);
    const condition = this.#condition(object, path);
    if (object.matrix === undefined) {
      const needs = 'UNITARY needs `matrix`: rows of [re, im]';
      this.#faults.add(`${path}.matrix`, `Missing; ${needs}.`);
      return undefined;
    }
    if (operands === undefined) return undefined;
    const numTargets = operands.targets.length;
    const place = `${path}.matrix`;
    const matrix = unitaryFromRows(object.matrix, numTargets, place, this.#faults);
    if (matrix === undefined) return undefined;
    const operation = { kind: 'unitary', ...operands, matrix } as const;
    return condition === undefined ? operation : { ...operation, condition };
  }

  #evolution(object: GateObject, path: string): WrittenEvolution | undefined {
    const given = TARGET_FIELDS.find((field) => object[field] !== undefined);
    if (given !== undefined) {
      const problem = `EVOLVE takes no ${given}: the Pauli strings name its qubits.`;
      this.#faults.add(`${path}.${given}`, problem);
    }
    const operands =
      given === undefined ? this.#operands.read(object, EVOLVE_SHAPE, path) : undefined;
    const condition = this.#condition(object, path);
    const read = (written: GateAngle, place: string) => this.#number(written, place);
    const controls = operands?.controls ?? [];
    const evolution = this.#evolutions.read(object, controls, path, read);
    if (evolution === undefined || operands === undefined) return undefined;
    const parts = evolution.parts.map((part) => {
      for (let n = 0; n < part.times; n++) {
        for (const angle of part.angles) this.#inputs?.record(angle);
      }
      if (condition === undefined) return part;
      return { ...part, gates: part.gates.map((gate) => ({ ...gate, condition })) };
    });
    return { ...evolution, kind: 'evolution', parts };
  }

  #measure(object: GateObject, path: string): Operation | undefined {
    const operands = this.#operands.read(object, { name: 'M', ...ANY_WIDTH }, path);
    const condition = this.#condition(object, path);
    // Bits count as written even after a fault, so that later conditions on them are not blamed.
    const numNamed = operands?.targets.length ?? (object.qubits ?? object.targets)?.length ?? 1;
    const bits = object.bits ?? this.#bits.nextFree(numNamed);
    if (bits.length !== numNamed) {
      const counts = `${counted(bits.length, 'bit')} for ${counted(numNamed, 'qubit')}`;
      this.#faults.add(`${path}.bits`, `${counts}; each qubit is measured into one bit.`);
    }
    this.#bits.write(bits, `${path}.bits`);
    if (operands === undefined) return undefined;
    const operation = { kind: 'measure', qubits: operands.targets, bits } as const;
    return condition === undefined ? operation : { ...operation, condition };
  }

  #reset(object: GateObject, path: string): Operation | undefined {
    const operands = this.#operands.read(object, { name: 'RESET', ...ANY_WIDTH }, path);
    const condition = this.#condition(object, path);
    if (operands === undefined) return undefined;
    const operation = { kind: 'reset', qubits: operands.targets } as const;
    return condition === undefined ? operation : { ...operation, condition };
  }

  #noise(object: GateObject, path: string): PlacedChannels | undefined {
    const operands = this.#operands.read(object, { name: 'NOISE', ...ANY_WIDTH }, path);
    const condition = this.#condition(object, path);
    const place = `${path}.channel`;
    if (object.channel === undefined) {
      const example = '{"type": "bit_flip", "probability": 0.01}';
      this.#faults.add(place, `Missing; NOISE needs a channel, for example ${example}.`);
      return undefined;
    }
    if (operands === undefined) return undefined;
    const placed = this.#channels.place(object.channel, operands.targets, place, this.#faults);
    const channels =
      condition === undefined ? placed : placed.map((each) => ({ ...each, condition }));
    return { kind: 'channel', channels };
  }

  /** Reads a barrier; one without qubits spans them all. */
  #barrier(object: GateObject, path: string): Operation | undefined {
    if (object.condition !== undefined) {
      this.#faults.add(`${path}.condition`, 'BARRIER takes no condition.');
    }
    if (TARGET_FIELDS.every((field) => object[field] === undefined)) {
      return { kind: 'barrier', qubits: this.#allQubits };
    }
    const operands = this.#operands.read(object, { name: 'BARRIER', ...ANY_WIDTH }, path);
    return operands && { kind: 'barrier', qubits: operands.targets };
  }
}
