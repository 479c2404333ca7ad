/**
 * Computes the state of a circuit after a step, with the compiler and the CPU engine that the service has.
 *
 * The beginning of the circuit up to the step is compiled and run as a circuit of its own. Compiling takes longer than
 * running, so programs are kept by their shape: a circuit that differs in angles alone has them put in
 * (compiler/shape.ts), which takes a tenth of the time. Double precision, as the service's statevector-sim has it.
 */
import {
  allOperations,
  type DynamicCircuit,
  type DynamicOperation,
  hasMidCircuitMeasurement,
  isNoisy,
} from '../../circuit/circuit.ts';
import { DEFAULT_MAX_ROUNDS } from '../../circuit/circuit-limits.ts';
import { withoutDelays, withoutIdleResets } from '../../circuit/idle-resets.ts';
import { lowerLoss } from '../../circuit/loss/lower-loss.ts';
import { rowsFromMatrix } from '../../circuit/matrix-rows.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import { withoutSaves } from '../../circuit/prefixes.ts';
import { compile } from '../../compiler/compile.ts';
import { compileTrajectories } from '../../compiler/noise/compile-trajectories.ts';
import { anglesOf, type CompiledShape, compileShape } from '../../compiler/shape.ts';
import { type CpuEngine, openHostedEngine } from '../../engine/cpu/hosted-engine.ts';
import type { KernelHost } from '../../engine/cpu/kernel-host.ts';
import type { Counts, Executable } from '../../engine/engine.ts';
import {
  type CircuitSource,
  type GateMatrices,
  type LiveReply,
  type LiveRequest,
  type LiveSource,
  MAX_LIVE_QUBITS,
  MAX_LIVE_STEPS,
  type ShowOptions,
} from './messages.ts';
import { type ReadSource, readObjects, refusalOf } from './read-source.ts';

/** Operations of all shapes that are kept: enough for stepping to and fro through a circuit of 200 gates. */
const MAX_KEPT_OPERATIONS = 20_000;
const NEVER = new AbortController().signal;

interface KeptShape {
  readonly shape: CompiledShape;
  readonly numOperations: number;
}

/** Answers requests, one after the other. */
export class StateComputer {
  readonly #engine: CpuEngine;
  /** Least recently used first. */
  readonly #shapes = new Map<string, KeptShape>();
  /** Operations of all of them. */
  #numKept = 0;

  constructor(host: KernelHost) {
    this.#engine = openHostedEngine(
      { precision: 'f64', numThreads: 1, maxQubits: MAX_LIVE_QUBITS },
      host,
    );
  }

  /** Answers a request; a refusal, as the service would give, is an answer, too. */
  async answer(request: LiveRequest): Promise<LiveReply> {
    try {
      switch (request.ask) {
        case 'show':
          return await this.#show(request.source, request.options);
        case 'parse':
          return (await textReader()).parseText(request.source);
        case 'write':
          return await (await import('./write-text.ts')).writeText(
            request.source,
            request.form,
            read,
          );
        case 'timeline':
          return (await textReader()).drawStim(request.source);
        case 'slice':
          return (await textReader()).sliceStim(request.source, request.tick);
        case 'matrices':
          return matricesOf(request.source);
      }
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }

  async #show(
    source: LiveSource,
    { step, seed = 0, pair, displays = [] }: ShowOptions,
  ): Promise<LiveReply> {
    const started = performance.now();
    const { circuit: written, numSteps, upTo } = await read(source);
    // The page shows the state everywhere, and so needs no snapshots.
    const circuit = withoutSaves(written);
    const { numQubits, numBits } = circuit;
    // An object may stand for many gates.
    const numGates = Math.max(numSteps, circuit.operations.length);
    if (numQubits > MAX_LIVE_QUBITS || numGates > MAX_LIVE_STEPS) {
      const limits = { maxQubits: MAX_LIVE_QUBITS, maxSteps: MAX_LIVE_STEPS };
      return { kind: 'too-large', numQubits, numSteps: numGates, ...limits };
    }
    const shown = Math.max(0, Math.min(step ?? numSteps, numSteps));
    const isDrawn = hasMidCircuitMeasurement(withoutIdleResets(withoutDelays(circuit)));
    const before = withoutSaves(upTo(shown));
    const { amplitudes, counts } = await this.#stateOf(before, isDrawn, seed);
    const vectors = new Float64Array(3 * displays.length);
    // One run for the displays of a column.
    for (const [at, own] of Map.groupBy(displays.entries(), ([, each]) => each.step)) {
      const there =
        at === shown
          ? amplitudes
          : (await this.#stateOf(withoutSaves(upTo(at)), isDrawn, seed)).amplitudes;
      for (const [i, { qubit }] of own) vectors.set(blochVector(there, qubit), 3 * i);
    }
    const [first, second] = pair ?? [];
    const hasPair = first !== undefined && second !== undefined && isPair(first, second, numQubits);
    return {
      kind: 'state',
      numQubits,
      numBits,
      step: shown,
      numSteps,
      amplitudes,
      probabilities: probabilitiesOf(amplitudes),
      bloch: blochVectors(amplitudes, numQubits),
      ...(displays.length > 0 && { displays: vectors }),
      ...(hasPair && {
        pair: { qubits: [first, second], density: pairDensity(amplitudes, first, second) },
      }),
      ...(isDrawn && { trajectory: { seed, bits: bitsOf(counts, before, numBits) } }),
      computeMs: performance.now() - started,
    };
  }

  /** The state after a circuit, with its measurements made if it is one drawn course. */
  async #stateOf(circuit: DynamicCircuit, isDrawn: boolean, seed: number) {
    const whole = withoutIdleResets(withoutDelays(present(circuit)));
    const run = isDrawn ? measuredAtOnce(whole) : whole;
    await using executable = await this.#prepare(run);
    const { statevector, counts } = await executable.run(
      { shots: isDrawn ? 1 : 0, seed, statevector: true },
      NEVER,
    );
    if (statevector === undefined) throw new Error('unreachable: a run without its state');
    // Checked: the engine copies the state into memory of its own.
    return { amplitudes: statevector as Float64Array<ArrayBuffer>, counts };
  }

  #prepare(circuit: DynamicCircuit): Promise<Executable> {
    const { target, prepare } = this.#engine;
    if (isNoisy(circuit)) {
      if (prepare.trajectories === undefined) throw new Error('unreachable: no trajectories');
      return prepare.trajectories(compileTrajectories(circuit, target).program);
    }
    const angles = anglesOf(circuit);
    const program = this.#shapeOf(circuit, angles.length).bind(angles);
    return prepare.statevector(program ?? compile(circuit, target).program);
  }

  #shapeOf(circuit: DynamicCircuit, numAngles: number): CompiledShape {
    const key = shapeKey(circuit);
    const known = this.#shapes.get(key);
    this.#forget(key);
    const numOperations = circuit.operations.length;
    const slots = Int32Array.from({ length: numAngles }, (_, i) => i);
    const shape = known?.shape ?? compileShape(circuit, { slots }, this.#engine.target);
    for (const oldest of this.#shapes.keys()) {
      if (this.#numKept + numOperations <= MAX_KEPT_OPERATIONS) break;
      this.#forget(oldest);
    }
    this.#shapes.set(key, { shape, numOperations });
    this.#numKept += numOperations;
    return shape;
  }

  #forget(key: string): void {
    this.#numKept -= this.#shapes.get(key)?.numOperations ?? 0;
    this.#shapes.delete(key);
  }
}

/** Readers of texts are a quarter of the worker's script, and many circuits never need them. */
const textReader = () => import('./read-text.ts');

async function read(source: LiveSource): Promise<ReadSource> {
  return 'circuit' in source ? readObjects(source) : (await textReader()).readText(source);
}

function matricesOf(source: CircuitSource): GateMatrices {
  const matrices = readObjects(source).circuit.operations.flatMap((operation) =>
    operation.kind === 'gate' || operation.kind === 'unitary'
      ? [rowsFromMatrix(targetMatrix(operation))]
      : [],
  );
  return { kind: 'matrices', matrices };
}

function isPair(first: number, second: number, numQubits: number): boolean {
  const isQubit = (q: number) => Number.isInteger(q) && q >= 0 && q < numQubits;
  return first !== second && isQubit(first) && isQubit(second);
}

/** The circuit with losses lowered. The page shows bits of lost qubits as 0, so their marks are no part of the outcome. */
function present(circuit: DynamicCircuit): DynamicCircuit {
  const lowered = lowerLoss(circuit, { rules: [], readsState: true });
  const { control, lossMarks } = lowered;
  if (control === undefined || lossMarks === undefined) return circuit;
  const numScratchBits = control.numScratchBits + lossMarks.length;
  return { ...lowered, numBits: circuit.numBits, control: { ...control, numScratchBits } };
}

/**
 * The circuit with all its measurements made. An engine leaves trailing measurements undone and gives the state before
 * them; a loop after them that never runs makes them no trailing ones.
 */
function measuredAtOnce(circuit: DynamicCircuit): DynamicCircuit {
  const { numBits, operations } = circuit;
  const { numScratchBits, maxRounds } = circuit.control ?? {
    numScratchBits: 0,
    maxRounds: DEFAULT_MAX_ROUNDS,
  };
  const never = { bits: [numBits + numScratchBits], value: 1 };
  return {
    ...circuit,
    control: { numScratchBits: numScratchBits + 1, maxRounds },
    operations: [...operations, { kind: 'while', condition: never, body: [] }],
  };
}

/** Values of the bits that a circuit writes, of the only shot. */
function bitsOf(
  { outcomes }: Counts,
  { operations }: DynamicCircuit,
  numBits: number,
): readonly (0 | 1 | null)[] {
  const bits: (0 | 1 | null)[] = new Array(numBits).fill(null);
  for (const operation of allOperations(operations)) {
    if (operation.kind !== 'measure' && operation.kind !== 'assign') continue;
    for (const bit of operation.bits) {
      if (bit < numBits) bits[bit] = ((outcomes[bit >>> 5]! >>> (bit & 31)) & 1) as 0 | 1;
    }
  }
  return bits;
}

/** Text that circuits have in common which differ in angles alone. */
function shapeKey({ numQubits, numBits, control, operations }: DynamicCircuit): string {
  const parts = [numQubits, numBits, JSON.stringify(control), ...operations.map(operationKey)];
  return parts.join('\n');
}

function operationKey(operation: DynamicOperation): string {
  switch (operation.kind) {
    case 'gate': {
      const { gate, controls, targets, condition } = operation;
      return `${gate} ${controls} ${targets} ${conditionKey(condition)}`;
    }
    case 'unitary': {
      const { controls, targets, matrix, condition } = operation;
      return `unitary ${controls} ${targets} ${matrix} ${conditionKey(condition)}`;
    }
    case 'while':
      return `while ${conditionKey(operation.condition)} [${operation.body.map(operationKey).join('\n')}]`;
    default:
      return JSON.stringify(operation);
  }
}

const conditionKey = (
  condition: { readonly bits: readonly number[]; readonly value: number } | undefined,
) => (condition === undefined ? '' : `if ${condition.bits} = ${condition.value}`);

/** |amplitude|² of each basis state. */
export function probabilitiesOf(amplitudes: Float64Array): Float64Array<ArrayBuffer> {
  const probabilities = new Float64Array(amplitudes.length / 2);
  for (let i = 0; i < probabilities.length; i++) {
    const re = amplitudes[2 * i]!;
    const im = amplitudes[2 * i + 1]!;
    probabilities[i] = re * re + im * im;
  }
  return probabilities;
}

/**
 * Bloch vectors of all qubits, each with the others traced out.
 *
 * @returns x, y, z of qubit 0, then of qubit 1, …
 * @see Nielsen & Chuang, exercise 2.72: ρ = (1 + x·X + y·Y + z·Z)/2.
 */
export function blochVectors(
  amplitudes: Float64Array,
  numQubits: number,
): Float64Array<ArrayBuffer> {
  const vectors = new Float64Array(3 * numQubits);
  for (let qubit = 0; qubit < numQubits; qubit++) {
    vectors.set(blochVector(amplitudes, qubit), 3 * qubit);
  }
  return vectors;
}

/** Bloch vector x, y, z of a qubit, the others traced out. */
function blochVector(amplitudes: Float64Array, qubit: number): readonly [number, number, number] {
  // Pairs of basis states that differ in the qubit; positions count reals.
  const distance = 2 << qubit;
  let re = 0;
  let im = 0;
  let z = 0;
  for (let block = 0; block < amplitudes.length; block += 2 * distance) {
    for (let i = block; i < block + distance; i += 2) {
      const a = amplitudes[i]!;
      const b = amplitudes[i + 1]!;
      const c = amplitudes[i + distance]!;
      const d = amplitudes[i + distance + 1]!;
      re += a * c + b * d;
      im += a * d - b * c;
      z += a * a + b * b - c * c - d * d;
    }
  }
  return [2 * re, 2 * im, z];
}

/**
 * Density matrix of two qubits, the others traced out.
 *
 * @param first - Bit 0 of a row's or column's index.
 * @param second - Bit 1; another qubit than the first.
 * @returns 4×4, row-major, interleaved re, im.
 */
export function pairDensity(
  amplitudes: Float64Array,
  first: number,
  second: number,
): Float64Array<ArrayBuffer> {
  const density = new Float64Array(32);
  const bits = [1 << first, 1 << second] as const;
  const offsets = [0, bits[0], bits[1], bits[0] | bits[1]] as const;
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column <= row; column++) {
      const left = 2 * offsets[row]!;
      const right = 2 * offsets[column]!;
      let re = 0;
      let im = 0;
      for (let i = 0; i < amplitudes.length / 2; i++) {
        if ((i & offsets[3]) !== 0) continue;
        const a = amplitudes[2 * i + left]!;
        const b = amplitudes[2 * i + left + 1]!;
        const c = amplitudes[2 * i + right]!;
        const d = amplitudes[2 * i + right + 1]!;
        re += a * c + b * d;
        im += b * c - a * d;
      }
      density.set([re, im], 2 * (4 * row + column));
      // A real number on the diagonal, and −0 nowhere.
      density.set([re, 0 - im], 2 * (4 * column + row));
    }
  }
  return density;
}
