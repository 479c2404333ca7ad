/**
 * Kernels over the whole state, one amplitude group at a time, and those of each sweep and exchange; this engine has no
 * tiles.
 *
 * A group is the 2^k amplitudes that differ in the targets only, where all controls are 1. Groups
 * are disjoint, so any range of them can be done at any time, which lets a kernel on a large state
 * pause half-way. The state is interleaved re, im.
 */

import type { Qubit } from '../../circuit/circuit.ts';
import type {
  Exchange,
  MapKernel,
  MatrixKernel,
  PermutationKernel,
  ProbeKernel,
  Program,
  Sweep,
} from '../../compiler/program.ts';
import { insertZeroBits } from '../../math/basis-index.ts';
import { UNITS_PER_CHUNK } from '../time-slicer.ts';

/** A kernel that can be applied to any range of its groups. */
export interface StateKernel {
  readonly numGroups: number;
  /** Groups to do without a pause, about `UNITS_PER_CHUNK` of work. */
  readonly groupsPerChunk: number;
  readonly unitsPerGroup: number;
  /** Applies the kernel to the groups from `from` up to, but not including, `to`. */
  apply(state: Float64Array, from: number, to: number): void;
}

/**
 * Positions of the groups of a kernel.
 *
 * The bases of the groups are the indices with zeros at the fixed bits. Setting those bits before
 * adding one carries the one over them: base' = ((base | fixed) + 1) & ~fixed.
 */
interface Groups {
  readonly numGroups: number;
  /** Targets and controls, ascending. */
  readonly fixedQubits: readonly number[];
  readonly fixedMask: number;
  readonly controlMask: number;
  /** Distance of amplitude j from the group's first, in doubles; length 2^k. */
  readonly offsets: Int32Array;
}

/** Compiles a kernel for states of `numQubits` qubits. */
function stateKernel(kernel: MatrixKernel, matrices: Float64Array, numQubits: number): StateKernel {
  const groups = groupsOf(kernel, numQubits);
  const d = groups.offsets.length;
  const entriesOf = (count: number) =>
    matrices.subarray(2 * kernel.offset, 2 * (kernel.offset + count));
  switch (kernel.kind) {
    case 'dense': {
      const apply = d === 2 ? dense2(groups, entriesOf(4)) : dense(groups, entriesOf(d * d));
      return paced(groups, d * d, apply);
    }
    case 'diagonal':
      return paced(groups, d, diagonal(groups, entriesOf(d)));
    case 'permutation':
      return paced(groups, 2 * d, permutation(groups, entriesOf(d), kernel));
    case 'map':
      return paced(groups, d * d, dense(groups, wholeMatrix(kernel, matrices)));
  }
}

function groupsOf(kernel: MatrixKernel, numQubits: number): Groups {
  const fixedQubits = [...kernel.targets, ...kernel.controls].sort((a, b) => a - b);
  const maskOf = (qubits: readonly number[]) => qubits.reduce((mask, q) => mask | (1 << q), 0);
  const offsets = new Int32Array(2 ** kernel.targets.length);
  for (const [i, target] of kernel.targets.entries()) {
    const half = 2 ** i;
    for (let j = 0; j < half; j++) offsets[half + j] = offsets[j]! + 2 * 2 ** target;
  }
  return {
    numGroups: 2 ** (numQubits - fixedQubits.length),
    fixedQubits,
    fixedMask: maskOf(fixedQubits),
    controlMask: maskOf(kernel.controls),
    offsets,
  };
}

function paced(
  { numGroups }: Groups,
  unitsPerGroup: number,
  apply: StateKernel['apply'],
): StateKernel {
  const groupsPerChunk = Math.max(1, Math.floor(UNITS_PER_CHUNK / unitsPerGroup));
  return { numGroups, groupsPerChunk, unitsPerGroup, apply };
}

/**
 * Applies a dense block on one target; unrolled, because most gates of a circuit are of this kind.
 */
function dense2(groups: Groups, matrix: Float64Array): StateKernel['apply'] {
  const { fixedQubits, fixedMask, controlMask, offsets } = groups;
  const [aRe = 0, aIm = 0, bRe = 0, bIm = 0, cRe = 0, cIm = 0, dRe = 0, dIm = 0] = matrix;
  const offset = offsets[1]!;
  return (state, from, to) => {
    let base = insertZeroBits(from, fixedQubits);
    for (let group = from; group < to; group++) {
      const i = 2 * (base | controlMask);
      const j = i + offset;
      const xRe = state[i]!;
      const xIm = state[i + 1]!;
      const yRe = state[j]!;
      const yIm = state[j + 1]!;
      state[i] = aRe * xRe - aIm * xIm + bRe * yRe - bIm * yIm;
      state[i + 1] = aRe * xIm + aIm * xRe + bRe * yIm + bIm * yRe;
      state[j] = cRe * xRe - cIm * xIm + dRe * yRe - dIm * yIm;
      state[j + 1] = cRe * xIm + cIm * xRe + dRe * yIm + dIm * yRe;
      base = ((base | fixedMask) + 1) & ~fixedMask;
    }
  };
}

function dense(groups: Groups, matrix: Float64Array): StateKernel['apply'] {
  const { fixedQubits, fixedMask, controlMask, offsets } = groups;
  const d = offsets.length;
  const old = new Float64Array(2 * d);
  return (state, from, to) => {
    let base = insertZeroBits(from, fixedQubits);
    for (let group = from; group < to; group++) {
      const start = 2 * (base | controlMask);
      for (let j = 0; j < d; j++) {
        old[2 * j] = state[start + offsets[j]!]!;
        old[2 * j + 1] = state[start + offsets[j]! + 1]!;
      }
      for (let row = 0; row < d; row++) {
        let re = 0;
        let im = 0;
        for (let j = 0, m = 2 * row * d; j < 2 * d; j += 2, m += 2) {
          re += matrix[m]! * old[j]! - matrix[m + 1]! * old[j + 1]!;
          im += matrix[m]! * old[j + 1]! + matrix[m + 1]! * old[j]!;
        }
        state[start + offsets[row]!] = re;
        state[start + offsets[row]! + 1] = im;
      }
      base = ((base | fixedMask) + 1) & ~fixedMask;
    }
  };
}

/** The matrix of a map on all values of its targets. */
function wholeMatrix(
  { targets, rows, rest, offset }: MapKernel,
  matrices: Float64Array,
): Float64Array {
  const size = 2 ** targets.length;
  const out = new Float64Array(2 * size * size);
  for (let row = 0; row < size; row++) out[2 * row * (size + 1)] = rest;
  for (const [i, row] of rows.entries()) {
    for (const [j, column] of rows.entries()) {
      const from = 2 * (offset + i * rows.length + j);
      out.set(matrices.subarray(from, from + 2), 2 * (row * size + column));
    }
  }
  return out;
}

/** Applies a diagonal. Skips entries of 1, which are half of a phase gate's. */
function diagonal(groups: Groups, entries: Float64Array): StateKernel['apply'] {
  const { fixedQubits, fixedMask, controlMask, offsets } = groups;
  const changed = Int32Array.from(offsets.keys()).filter(
    (j) => entries[2 * j] !== 1 || entries[2 * j + 1] !== 0,
  );
  return (state, from, to) => {
    let base = insertZeroBits(from, fixedQubits);
    for (let group = from; group < to; group++) {
      const start = 2 * (base | controlMask);
      for (let c = 0; c < changed.length; c++) {
        const j = changed[c]!;
        const i = start + offsets[j]!;
        const re = state[i]!;
        const im = state[i + 1]!;
        state[i] = entries[2 * j]! * re - entries[2 * j + 1]! * im;
        state[i + 1] = entries[2 * j]! * im + entries[2 * j + 1]! * re;
      }
      base = ((base | fixedMask) + 1) & ~fixedMask;
    }
  };
}

/** Applies a permutation with phases. Skips fixed rows whose entry is 1. */
function permutation(
  groups: Groups,
  entries: Float64Array,
  { rows }: PermutationKernel,
): StateKernel['apply'] {
  const { fixedQubits, fixedMask, controlMask, offsets } = groups;
  const moved = Int32Array.from(rows.keys()).filter(
    (j) => rows[j] !== j || entries[2 * j] !== 1 || entries[2 * j + 1] !== 0,
  );
  const destinations = Int32Array.from(rows, (row) => offsets[row]!);
  const old = new Float64Array(2 * moved.length);
  return (state, from, to) => {
    let base = insertZeroBits(from, fixedQubits);
    for (let group = from; group < to; group++) {
      const start = 2 * (base | controlMask);
      for (let m = 0; m < moved.length; m++) {
        old[2 * m] = state[start + offsets[moved[m]!]!]!;
        old[2 * m + 1] = state[start + offsets[moved[m]!]! + 1]!;
      }
      for (let m = 0; m < moved.length; m++) {
        const j = moved[m]!;
        const i = start + destinations[j]!;
        state[i] = entries[2 * j]! * old[2 * m]! - entries[2 * j + 1]! * old[2 * m + 1]!;
        state[i + 1] = entries[2 * j]! * old[2 * m + 1]! + entries[2 * j + 1]! * old[2 * m]!;
      }
      base = ((base | fixedMask) + 1) & ~fixedMask;
    }
  };
}

/** Entries of a permutation of four rows without phases. */
const ONES = Float64Array.of(1, 0, 1, 0, 1, 0, 1, 0);

/**
 * Kernels of each step of a program; empty if the step is neither a sweep nor an exchange.
 *
 * @param sums - Sums that probes add to, if there are any.
 */
export function stepKernels(
  program: Program,
  sums?: Float64Array,
): readonly (readonly StateKernel[])[] {
  const { matrices, numQubits } = program;
  return program.steps.map((step) => {
    if (step.kind !== 'sweep' && step.kind !== 'exchange') return [];
    const kernels = step.kind === 'sweep' ? step.kernels : [];
    return [
      ...kernels.map((kernel) => {
        if (kernel.kind !== 'probe') return stateKernel(kernel, matrices, numQubits);
        if (sums === undefined) throw new Error('unreachable: a probe outside a gradient');
        return probeKernel(kernel, numQubits, sums);
      }),
      ...swapsOf(step).map((swap) => stateKernel(swap, ONES, numQubits)),
    ];
  });
}

/** Number of kernels that `stepKernels` makes of a step. */
export function numKernelsOf(step: Sweep | Exchange): number {
  return (step.kind === 'sweep' ? step.kernels.length : 0) + swapsOf(step).length;
}

/** The moves of a step, as swaps of two qubits. */
function swapsOf(step: Sweep | Exchange): readonly PermutationKernel[] {
  return step.kind === 'sweep' ? movesOf(step) : step.pairs.map(([far, near]) => swapOf(far, near));
}

/** A swap of two qubits; its entries are `ONES`. */
function swapOf(a: Qubit, b: Qubit): PermutationKernel {
  return { kind: 'permutation', targets: [a, b], controls: [], offset: 0, rows: [0, 2, 1, 3] };
}

/** The cycles of a sweep's store, as swaps with the first qubit of each. */
function movesOf({ resident, store = resident }: Sweep): readonly PermutationKernel[] {
  const goesTo = new Map(resident.map((place, i) => [place, store[i]!]));
  const swaps: PermutationKernel[] = [];
  for (const first of resident) {
    for (let place = goesTo.get(first)!; place !== first; ) {
      swaps.push(swapOf(first, place));
      const next = goesTo.get(place)!;
      goesTo.set(place, place);
      place = next;
    }
    goesTo.set(first, first);
  }
  return swaps;
}

/**
 * A kernel that changes nothing: the sums of a probe over the whole state, as `ProbeKernel` defines them.
 *
 * @param sums - Those of the program, which it adds to.
 */
function probeKernel(
  { targets, controls, ancilla, sums: { first, flips, signs } }: ProbeKernel,
  numQubits: number,
  sums: Float64Array,
): StateKernel {
  if (ancilla === undefined) throw new Error('unreachable: a probe without an ancilla');
  const costate = 1 << ancilla;
  const controlMask = maskOf(controls);
  const fixedMask = maskOf(targets) | costate | controlMask;
  const fixedQubits = [...targets, ancilla, ...controls].sort((a, b) => a - b);
  const offsetOf = (value: number) => maskOf(targets.filter((_, i) => (value >> i) & 1));
  const pairs = flips.map(({ row, column }) => [offsetOf(row), offsetOf(column)] as const);
  const offsets = Array.from({ length: 2 ** targets.length }, (_, value) => offsetOf(value));
  const unitsPerGroup = 2 * (pairs.length + signs.length * offsets.length);
  return {
    numGroups: 2 ** (numQubits - fixedQubits.length),
    groupsPerChunk: Math.max(1, Math.floor(UNITS_PER_CHUNK / unitsPerGroup)),
    unitsPerGroup,
    apply(state, from, to) {
      let base = insertZeroBits(from, fixedQubits);
      for (let group = from; group < to; group++) {
        const psi = base | controlMask;
        let at = first;
        for (const [row, column] of pairs) {
          const [re, im] = product(state, psi | costate | row, psi | column);
          const [otherRe, otherIm] = product(state, psi | costate | column, psi | row);
          // The second is conjugated.
          sums[at++]! += re - otherRe;
          sums[at++]! += im + otherIm;
        }
        for (const set of signs) {
          for (const [value, offset] of offsets.entries()) {
            const [, im] = product(state, psi | costate | offset, psi | offset);
            sums[at]! += isOdd(value & set) ? -im : im;
          }
          at++;
        }
        base = ((base | fixedMask) + 1) & ~fixedMask;
      }
    },
  };
}

/** conj(a)·b of two amplitudes. */
function product(state: Float64Array, a: number, b: number): readonly [re: number, im: number] {
  const [aRe, aIm, bRe, bIm] = [state[2 * a]!, state[2 * a + 1]!, state[2 * b]!, state[2 * b + 1]!];
  return [aRe * bRe + aIm * bIm, aRe * bIm - aIm * bRe];
}

function maskOf(qubits: readonly number[]): number {
  return qubits.reduce((mask, qubit) => mask | (1 << qubit), 0);
}

function isOdd(bits: number): boolean {
  let odd = false;
  for (let rest = bits; rest !== 0; rest &= rest - 1) odd = !odd;
  return odd;
}
