/**
 * A state vector moved operation by operation, straight from the definition of a matrix element:
 * for registers too wide for full matrices, and for shots with measurements in between. Held to
 * the Kronecker oracle by its own test.
 */
import {
  type AssignOperation,
  type Circuit,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  hasMidCircuitMeasurement,
  type InitializeOperation,
  numRegisterBits,
  type Operation,
} from '../../src/circuit/circuit.ts';
import { bitsToWrite } from '../../src/circuit/classical-evaluation.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import { basisLabel } from '../../src/math/basis-index.ts';
import type { ComplexMatrix } from '../../src/math/complex-matrix.ts';
import { uniformDraw } from '../../src/math/philox.ts';

/** |0…0⟩; interleaved re, im. */
export function zeroState(numQubits: number): Float64Array {
  const state = new Float64Array(2 * 2 ** numQubits);
  state[0] = 1;
  return state;
}

/** The state after a gate or unitary. */
export function applied(
  state: Float64Array,
  op: Operation & { kind: 'gate' | 'unitary' },
): Float64Array {
  const matrix = op.kind === 'unitary' ? op.matrix : gateNamed(op.gate).matrix(op.angles);
  return moved(state, matrix, op.targets, op.controls, state);
}

/** matrix · state where the controls are 1, and `elsewhere` where they are not. */
export function moved(
  state: Float64Array,
  matrix: ComplexMatrix,
  targets: readonly number[],
  controls: readonly number[],
  elsewhere: Float64Array,
): Float64Array {
  const maskOf = (qubits: readonly number[]) => qubits.reduce((mask, q) => mask + 2 ** q, 0);
  const [targetMask, controlMask] = [maskOf(targets), maskOf(controls)];
  const offsets = Array.from({ length: 2 ** targets.length }, (_, value) =>
    maskOf(targets.filter((_target, i) => (value >> i) & 1)),
  );
  const d = offsets.length;
  const out = elsewhere.slice();
  for (let base = 0; base < state.length / 2; base++) {
    if ((base & targetMask) !== 0 || (base & controlMask) !== controlMask) continue;
    for (let row = 0; row < d; row++) {
      let re = 0;
      let im = 0;
      for (let column = 0; column < d; column++) {
        const from = 2 * (base + offsets[column]!);
        const at = 2 * (row * d + column);
        re += matrix[at]! * state[from]! - matrix[at + 1]! * state[from + 1]!;
        im += matrix[at]! * state[from + 1]! + matrix[at + 1]! * state[from]!;
      }
      out[2 * (base + offsets[row]!)] = re;
      out[2 * (base + offsets[row]!) + 1] = im;
    }
  }
  return out;
}

/** The amplitudes after all gates; measurements and barriers are passed over. */
export function finalAmplitudes(circuit: DynamicCircuit): Float64Array {
  let state = zeroState(circuit.numQubits);
  for (const operation of circuit.operations) {
    if (operation.kind === 'initialize') state = pureAmplitudes(operation);
    if (operation.kind === 'gate' || operation.kind === 'unitary')
      state = applied(state, operation);
  }
  return state;
}

function pureAmplitudes({ state }: InitializeOperation): Float64Array {
  if (state.kind !== 'pure') throw new Error('This oracle has state vectors.');
  return state.amplitudes;
}

/** |amplitude|² of each basis state. */
export function probabilitiesOf(state: Float64Array): readonly number[] {
  return Array.from(
    { length: state.length / 2 },
    (_, i) => state[2 * i]! ** 2 + state[2 * i + 1]! ** 2,
  );
}

/** The state where `qubit` reads `outcome`, renormalised; flipped to |0⟩ for a reset. */
function projected(state: Float64Array, qubit: number, outcome: number, isReset: boolean) {
  const scale = 1 / Math.sqrt(massWhere(state, qubit, outcome));
  const scaled = new Float64Array(state.length);
  for (let i = 0; i < state.length / 2; i++) {
    if (((i >> qubit) & 1) !== outcome) continue;
    scaled[2 * i] = state[2 * i]! * scale;
    scaled[2 * i + 1] = state[2 * i + 1]! * scale;
  }
  if (!isReset || outcome === 0) return scaled;
  return applied(scaled, { kind: 'gate', gate: 'X', controls: [], targets: [qubit], angles: [] });
}

function probabilityOfOne(state: Float64Array, qubit: number): number {
  const one = massWhere(state, qubit, 1);
  return one / (one + massWhere(state, qubit, 0));
}

/** Sum of |amplitude|² of the basis states where `qubit` reads `outcome`. */
function massWhere(state: Float64Array, qubit: number, outcome: number): number {
  let mass = 0;
  for (let i = 0; i < state.length / 2; i++) {
    if (((i >> qubit) & 1) === outcome) mass += state[2 * i]! ** 2 + state[2 * i + 1]! ** 2;
  }
  return mass;
}

const holds = (condition: Condition | undefined, bits: readonly number[]): boolean =>
  condition === undefined ||
  condition.bits.every((bit, i) => bits[bit] === Math.floor(condition.value / 2 ** i) % 2);

const labelOf = (bits: readonly number[]): string => [...bits].reverse().join('');

/** Branches of a loop that are less likely are not followed: some loops may go on for ever. */
const NEGLIGIBLE_WEIGHT = 1e-9;

/**
 * The exact probability of each outcome label, following every branch of every measurement.
 *
 * The values of classical assignments are computed not here but in classical-evaluation.ts, which has
 * tests of its own.
 */
export function exactOutcomes(circuit: DynamicCircuit): Map<string, number> {
  const outcomes = new Map<string, number>();
  const follow = (
    operations: readonly DynamicOperation[],
    start: Float64Array,
    register: readonly number[],
    weight: number,
  ): void => {
    let state = start;
    let bits = register;
    for (const [i, op] of operations.entries()) {
      if (op.kind === 'barrier' || !holds(op.condition, bits)) continue;
      const rest = operations.slice(i + 1);
      switch (op.kind) {
        case 'gate':
        case 'unitary':
          state = applied(state, op);
          break;
        case 'initialize':
          state = pureAmplitudes(op);
          break;
        case 'assign':
          bits = assigned(op, bits);
          break;
        case 'while':
          if (weight > NEGLIGIBLE_WEIGHT) follow([...op.body, op, ...rest], state, bits, weight);
          return;
        case 'noise':
        case 'misread':
        case 'track':
        case 'repeat':
          throw new Error('This oracle knows no noise.');
        case 'save':
          break;
        default:
          for (const branch of collapses(op, state, bits)) {
            follow(rest, branch.state, branch.bits, weight * branch.weight);
          }
          return;
      }
    }
    const label = labelOf(bits.slice(0, circuit.numBits));
    outcomes.set(label, (outcomes.get(label) ?? 0) + weight);
  };
  const unwritten = new Array<number>(numRegisterBits(circuit)).fill(0);
  follow(circuit.operations, zeroState(circuit.numQubits), unwritten, 1);
  return outcomes;
}

function assigned({ bits: into, value }: AssignOperation, bits: readonly number[]) {
  const written = bitsToWrite(value, into.length, (bit) => bits[bit] === 1);
  return into.reduce((all, bit, i) => all.with(bit, Number(written[i])), bits);
}

interface Collapsed {
  readonly state: Float64Array;
  readonly bits: readonly number[];
  readonly weight: number;
}

/** All possible outcomes of a measurement or reset. */
function collapses(
  op: Operation & { kind: 'measure' | 'reset' },
  state: Float64Array,
  bits: readonly number[],
): readonly Collapsed[] {
  let branches: Collapsed[] = [{ state, bits, weight: 1 }];
  for (const [i, qubit] of op.qubits.entries()) {
    branches = branches.flatMap((branch) => {
      const one = probabilityOfOne(branch.state, qubit);
      return [1 - one, one].flatMap((chance, outcome) => {
        if (chance < 1e-14) return [];
        const next = projected(branch.state, qubit, outcome, op.kind === 'reset');
        const written =
          op.kind === 'measure' ? branch.bits.with(op.bits[i]!, outcome) : branch.bits;
        return [{ state: next, bits: written, weight: branch.weight * chance }];
      });
    });
  }
  return branches;
}

/**
 * Outcome of one shot of a circuit, by the rules of engine.ts alone: its draws, one by one, on a
 * state of its own.
 */
export function replayShot(circuit: Circuit, seed: number, shot: number): string {
  const bits = new Array<number>(circuit.numBits).fill(0);
  const { operations, terminal } = withTerminal(circuit);
  let state = zeroState(circuit.numQubits);
  let event = 0;
  for (const op of operations) {
    if (op.kind === 'barrier') continue;
    const isHeld = holds(op.condition, bits);
    if (op.kind === 'gate' || op.kind === 'unitary') {
      if (isHeld) state = applied(state, op);
      continue;
    }
    for (const [i, qubit] of isHeld ? op.qubits.entries() : []) {
      const draw = uniformDraw(seed, shot, event, i);
      const outcome = draw < probabilityOfOne(state, qubit) ? 1 : 0;
      state = projected(state, qubit, outcome, op.kind === 'reset');
      if (op.kind === 'measure') bits[op.bits[i]!] = outcome;
    }
    event++;
  }
  if (terminal.length > 0) {
    const all = probabilitiesOf(state);
    const norm = all.reduce((sum, part) => sum + part, 0);
    const threshold = uniformDraw(seed, shot, event, 0) * norm;
    let cumulative = 0;
    const index = all.findIndex((part) => {
      cumulative += part;
      return cumulative > threshold;
    });
    for (const { qubits, bits: into } of terminal) {
      for (const [i, qubit] of qubits.entries()) {
        bits[into[i]!] = Number(basisLabel(index, circuit.numQubits).at(-1 - qubit));
      }
    }
  }
  return labelOf(bits);
}

/** The operations that come before the terminal event, and the measurements that are it. */
function withTerminal(circuit: Circuit) {
  type Measurement = Operation & { kind: 'measure' };
  const isMeasurement = (op: Operation): op is Measurement => op.kind === 'measure';
  if (!hasMidCircuitMeasurement(circuit)) {
    return {
      operations: circuit.operations.filter((op) => !isMeasurement(op)),
      terminal: circuit.operations.filter(isMeasurement),
    };
  }
  const ops = circuit.operations.filter((op) => op.kind !== 'barrier');
  const last = ops.findLastIndex((op) => !isMeasurement(op) || op.condition !== undefined);
  return {
    operations: ops.slice(0, last + 1),
    terminal: ops.slice(last + 1).filter(isMeasurement),
  };
}

/** How often each outcome label occurs among the shots 0 … shots − 1. */
export function replayCounts(circuit: Circuit, seed: number, shots: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let shot = 0; shot < shots; shot++) {
    const label = replayShot(circuit, seed, shot);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}
