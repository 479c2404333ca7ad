/**
 * Compiles a program into tile instructions and the memory access pattern of each sweep.
 *
 * If all steps are sweeps without conditions, it is known which qubits are untouched so far. These
 * are |0⟩, so memory in which one of them is 1 is never read, and the first sweeps of a wide
 * circuit cost next to nothing. A last step clears the qubits that stay untouched.
 */
import {
  type Program,
  type ProgramShape,
  type Step,
  terminalMeasureIndex,
} from '../../compiler/program.ts';
import { FormulaTape } from '../formula-tape.ts';
import { Gain } from '../gain.ts';
import { type MatrixPool, poolOfShape } from '../matrix-pool.ts';
import { PhasePolynomial } from '../phase-polynomial.ts';
import { filledTile, maskOf } from '../work-items.ts';
import { WORD_BYTES, wordImage } from './command.ts';
import type { TableRequest } from './emit-phases.ts';
import { type LoweredSweep, type LoweringContext, lowerSweep, MAX_GAIN } from './lower-sweep.ts';
import { MAX_DENSE_QUBITS, type Precision } from './precision.ts';
import { type CodeRange, type ConstantAddress, TileCode } from './tile-code.ts';
import type { TileLayout } from './tile-layout.ts';

/** A sweep, or a part of a long one, without its position in memory. */
export interface SweepShape {
  readonly layout: TileLayout;
  readonly code: CodeRange;
  /** Byte offset in the tile of each stored group; absent if no group moves. */
  readonly sources?: ConstantAddress;
  /** log2 of its tiles. */
  readonly numOuter: number;
  /** Amplitude mask and mask of 32-bit words of each bit of a tile's number, one after the other. */
  readonly outer: Uint32Array;
  readonly runBytes: number;
  readonly numRuns: number;
  /** Offset of each run in 32-bit words and 1 if it is read, else 0, one after the other. */
  readonly runs: Uint32Array;
  /** Whether the state is |0…0⟩ and memory unspecified. */
  readonly isFromZero: boolean;
  /** Whether the tile is the whole state, so that it is changed in place. */
  readonly isWholeState: boolean;
  /** Sums that a tile gives, in this part or another one of the sweep. */
  readonly numSums: number;
}

/** A program compiled for tiles. */
export interface LoweredProgram {
  /** Qubits of a state; at least the program's. */
  readonly numQubits: number;
  readonly code: TileCode;
  /** Numbers that take the places of those in the code, which are those of the program's shape. */
  readonly numbers?: Float64Array;
  readonly tables: readonly TableRequest[];
  /** By index of the program's steps; undefined for other steps than sweeps. */
  readonly sweeps: readonly (readonly SweepShape[] | undefined)[];
  /** By index of the program's steps, the numbers of the sums of each tile, in order. */
  readonly sums: readonly (readonly number[])[];
  /** Whether memory is cleared before the first step, because conditions may skip sweeps or any state may begin. */
  readonly startsCleared: boolean;
  /** Bits of a group's offset in 32-bit words that no sweep touches; cleared at the end unless `startsCleared`. */
  readonly untouchedWords: number;
}

/** The states that the way back of a gradient begins and ends with, in place of |0…0⟩ at the beginning. */
export interface TwoStates {
  /** As in `GradientProgram`. */
  readonly returned: readonly number[];
}

/** Lowers a program for tiles of `tileQubits`, or of the whole state where that is smaller. */
export function lowerProgram(
  program: Program,
  precision: Precision,
  tileQubits: number,
  states?: TwoStates,
): LoweredProgram {
  return lowerWith(program, program, precision, tileQubits, states);
}

/**
 * Largest range of the rotations of a segment (`gain.ts`); it leaves room for the digits of amplitudes, or for
 * products of two of them where these are summed up.
 */
const MAX_RANGE = {
  amplitudes: { f32: 2 ** 100, f64: 2 ** 950 },
  products: { f32: 2 ** 60, f64: 2 ** 475 },
};

/** A program lowered with the matrices of its shape. */
interface LoweredShape {
  readonly lowered: LoweredProgram;
  readonly tape: FormulaTape;
}

/** Lowers programs, and all programs of one shape together. */
export class ProgramLowering {
  readonly #precision: Precision;
  readonly #tileQubits: number;
  readonly #shapes = new WeakMap<ProgramShape, LoweredShape>();

  /** @param tileQubits - As for `lowerProgram`. */
  constructor(precision: Precision, tileQubits: number) {
    this.#precision = precision;
    this.#tileQubits = tileQubits;
  }

  /**
   * Lowers a program by its shape, also where it is the first one, so that what a program computes never depends on
   * others. If the shape does not do, because the state could overflow, the program is lowered for itself.
   */
  lower(program: Program, states?: TwoStates): LoweredProgram {
    const { shape } = program;
    if (shape !== undefined) {
      const { lowered, tape } = this.#shapes.get(shape) ?? this.#lowerShape(program, shape, states);
      const numbers = tape.numbersOf(program.matrices);
      if (numbers !== undefined) return { ...lowered, numbers };
    }
    return lowerProgram(program, this.#precision, this.#tileQubits, states);
  }

  #lowerShape(program: Program, shape: ProgramShape, states: TwoStates | undefined): LoweredShape {
    const precision = this.#precision;
    const pool = poolOfShape(program.steps, shape);
    const lowered = lowerWith(program, pool, precision, this.#tileQubits, states);
    const tape = new FormulaTape(
      shape.matrices.length / 2,
      lowered.code.takeTraced(),
      pool.trace,
      precision,
      MAX_RANGE[states === undefined ? 'amplitudes' : 'products'][precision.name],
    );
    const known = { lowered, tape };
    this.#shapes.set(shape, known);
    return known;
  }
}

function lowerWith(
  program: Program,
  pool: MatrixPool,
  precision: Precision,
  tileQubits: number,
  states: TwoStates | undefined,
): LoweredProgram {
  const room =
    program.startsAnywhere === true ? roomForAny(precision) : roomForDense(program, precision);
  const numQubits = Math.max(program.numQubits, room);
  const code = new TileCode(precision);
  const context: LoweringContext = {
    code,
    pool,
    gain: new Gain(pool.trace?.segments),
    tables: [],
    pending: new PhasePolynomial(),
    maxGain: MAX_GAIN[states === undefined ? 'amplitudes' : 'products'][precision.name],
    hasProbes: states !== undefined,
  };
  const terminal = terminalMeasureIndex(program);
  const steps = program.steps.slice(0, terminal);
  const isInitialized = steps[0]?.kind === 'initialize';
  const isPlain = steps.every(
    ({ kind, condition }) => (kind === 'sweep' && condition === undefined) || kind === 'initialize',
  );
  const startsCleared =
    steps.length === 0 || !isPlain || isInitialized || program.startsAnywhere === true;
  let touched = startsCleared ? maskOf(range(numQubits)) : 0;
  let isFirst = !startsCleared && states === undefined;
  const mattering =
    states === undefined ? [] : matteringPlaces(steps, numQubits, tileQubits, states);
  const sums: (readonly number[])[] = steps.map(() => []);
  const sweeps = steps.map((step, index): readonly SweepShape[] | undefined => {
    if (step.kind === 'exchange') throw new Error('unreachable: this engine has no chunk qubits');
    if (step.kind !== 'sweep') return undefined;
    const resident = filledTile(step.resident, Math.min(numQubits, tileQubits));
    const next = steps[index + 1];
    const mayDefer = isPlain && next !== undefined;
    const lowered = lowerSweep(context, step, resident, mayDefer);
    if (states !== undefined) touched = mattering[index]!;
    sums[index] = lowered.sums;
    const shapes = lowered.parts.map((part, i) => {
      const shape = shapeOf(lowered, part, numQubits, touched, isFirst);
      touched |= lowered.layout.residentMask;
      isFirst = false;
      const isLast = i === lowered.parts.length - 1;
      if (isLast && shape.isWholeState && lowered.sources !== undefined) {
        throw new Error('unreachable: a store of the whole state, which is changed where it lies');
      }
      return isLast && lowered.sources !== undefined
        ? { ...shape, sources: lowered.sources }
        : shape;
    });
    if (step.store !== undefined) {
      const moved = step.store;
      const placeOf = new Map(step.resident.map((qubit, i) => [qubit, moved[i]!]));
      context.pending = context.pending.moved((mask) => movedMask(mask, numQubits, placeOf));
    }
    return shapes;
  });
  const cleared = states === undefined ? range(numQubits) : [];
  const untouched = cleared.filter((qubit) => ((touched >> qubit) & 1) === 0);
  const untouchedWords = untouched.reduce((mask, qubit) => mask | wordImage(qubit, precision), 0);
  return { numQubits, code, tables: context.tables, sweeps, sums, startsCleared, untouchedWords };
}

/** For each sweep of a way back, the places whose values 1 still matter. */
function matteringPlaces(
  steps: readonly Step[],
  numQubits: number,
  tileQubits: number,
  { returned }: TwoStates,
): readonly number[] {
  let mask = maskOf(range(numQubits)) & ~maskOf(returned);
  return steps
    .toReversed()
    .map((step) => {
      if (step.kind !== 'sweep') throw new Error('unreachable: a way back of more than sweeps');
      mask |= maskOf(filledTile(step.resident, Math.min(numQubits, tileQubits)));
      return mask;
    })
    .reverse();
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, i) => i);
}

/** Qubits needed by dense blocks: their lane qubits change places with others, which must exist. */
function roomForDense({ steps }: Program, { laneQubits }: Precision): number {
  let room: number = laneQubits;
  for (const step of steps) {
    if (step.kind !== 'sweep') continue;
    for (const { kind, targets } of step.kernels) {
      if (kind === 'diagonal' || targets.length < 2) continue;
      room = Math.max(room, targets.length + laneQubits);
    }
  }
  return room;
}

/** Qubits of any state that several programs share, of which each may have the widest blocks. */
function roomForAny({ laneQubits }: Precision): number {
  return MAX_DENSE_QUBITS + laneQubits;
}

function shapeOf(
  { layout, sums }: LoweredSweep,
  code: CodeRange,
  numQubits: number,
  touched: number,
  isFromZero: boolean,
): SweepShape {
  const { resident, residentMask, precision } = layout;
  const outer: number[] = [];
  for (let qubit = 0; qubit < numQubits; qubit++) {
    if (((touched & ~residentMask) >> qubit) & 1)
      outer.push(2 ** qubit, wordImage(qubit, precision));
  }
  let runQubits = 0;
  while (runQubits < resident.length && resident[runQubits] === runQubits) runQubits++;
  const strided = resident.slice(runQubits);
  const numRuns = 2 ** strided.length;
  const runs = new Uint32Array(2 * numRuns);
  runs[1] = 1;
  // Each qubit doubles the runs; where an untouched one is 1 there is nothing to read.
  for (const [i, qubit] of strided.entries()) {
    const half = 2 ** (i + 1);
    const isTouched = (touched >> qubit) & 1;
    for (let at = 0; at < half; at += 2) {
      runs[half + at] = runs[at]! + wordImage(qubit, precision);
      runs[half + at + 1] = runs[at + 1]! & isTouched;
    }
  }
  return {
    layout,
    code,
    numOuter: outer.length / 2,
    outer: Uint32Array.from(outer),
    runBytes: WORD_BYTES * wordImage(runQubits, precision),
    numRuns,
    runs,
    isFromZero,
    isWholeState: resident.length === numQubits,
    numSums: sums.length,
  };
}

function movedMask(mask: number, numQubits: number, placeOf: ReadonlyMap<number, number>): number {
  let moved = 0;
  for (let qubit = 0; qubit < numQubits; qubit++) {
    if ((mask >> qubit) & 1) moved |= 1 << (placeOf.get(qubit) ?? qubit);
  }
  return moved;
}
