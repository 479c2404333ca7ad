/**
 * The loops of adjoint differentiation, in double precision.
 *
 * A group is the 2^k amplitudes that differ in the targets only; where a control is 0 there is none.
 * States are interleaved re, im. The engines' kernels do not serve: going back, one trip moves two
 * states and takes what lies between them along, and a matrix changes with every row of inputs.
 */
import type { Qubit } from '../../../../circuit/circuit.ts';
import type { ComplexMatrix } from '../../../../math/complex-matrix.ts';

/** Memory layout of an operation's groups. */
export interface Groups {
  readonly numGroups: number;
  /** Targets and controls. */
  readonly fixedMask: number;
  readonly controlMask: number;
  /** Offset of amplitude j of a group from its first, in doubles; length 2^k. */
  readonly offsets: Int32Array;
}

/** The groups of an operation on states of `numQubits` qubits, at most 29. */
export function groupsOf(
  {
    targets,
    controls,
  }: { readonly targets: readonly Qubit[]; readonly controls: readonly Qubit[] },
  numQubits: number,
): Groups {
  const maskOf = (qubits: readonly Qubit[]) => qubits.reduce((mask, q) => mask | (1 << q), 0);
  const offsets = new Int32Array(2 ** targets.length);
  for (const [i, target] of targets.entries()) {
    const half = 2 ** i;
    for (let j = 0; j < half; j++) offsets[half + j] = offsets[j]! + 2 * 2 ** target;
  }
  return {
    numGroups: 2 ** (numQubits - targets.length - controls.length),
    fixedMask: maskOf(targets) | maskOf(controls),
    controlMask: maskOf(controls),
    offsets,
  };
}

/** state ← matrix · state, in place. */
export function applyMatrix(groups: Groups, matrix: ComplexMatrix, state: Float64Array): void {
  if (groups.offsets.length === 2) applyToPairs(groups, matrix, state);
  else applyToGroups(groups, matrix, state);
}

/**
 * Takes an operation back from two states, and says how they lie to each other around it.
 *
 * With ψ = state after and λ = costate before the call, the operation U being the inverse of
 * `inverse`: overlaps[r·d + c] is Σ conj(λ_r)·(U†ψ)_c over all groups, so that ⟨λ|M|U†ψ⟩ for a matrix
 * M in place of U is the sum of its entries times the overlaps.
 *
 * @param overlaps - Overwritten; interleaved re, im, length 2·d².
 */
export function takeBack(
  groups: Groups,
  inverse: ComplexMatrix,
  state: Float64Array,
  costate: Float64Array,
  overlaps: Float64Array,
): void {
  if (groups.offsets.length === 2) takeBackPairs(groups, inverse, state, costate, overlaps);
  else takeBackGroups(groups, inverse, state, costate, overlaps);
}

function applyToPairs(groups: Groups, m: ComplexMatrix, state: Float64Array): void {
  const { numGroups, fixedMask, controlMask } = groups;
  const offset = groups.offsets[1]!;
  const [aRe, aIm, bRe, bIm] = [m[0]!, m[1]!, m[2]!, m[3]!];
  const [cRe, cIm, dRe, dIm] = [m[4]!, m[5]!, m[6]!, m[7]!];
  let base = 0;
  for (let group = 0; group < numGroups; group++) {
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
    // Setting the fixed bits carries the one over them.
    base = ((base | fixedMask) + 1) & ~fixedMask;
  }
}

function applyToGroups(groups: Groups, matrix: ComplexMatrix, state: Float64Array): void {
  const { numGroups, fixedMask, controlMask, offsets } = groups;
  const old = new Float64Array(2 * offsets.length);
  let base = 0;
  for (let group = 0; group < numGroups; group++) {
    const start = 2 * (base | controlMask);
    load(state, start, offsets, old);
    storeProduct(matrix, old, state, start, offsets);
    base = ((base | fixedMask) + 1) & ~fixedMask;
  }
}

function takeBackPairs(
  groups: Groups,
  m: ComplexMatrix,
  state: Float64Array,
  costate: Float64Array,
  overlaps: Float64Array,
): void {
  const { numGroups, fixedMask, controlMask } = groups;
  const offset = groups.offsets[1]!;
  const [aRe, aIm, bRe, bIm] = [m[0]!, m[1]!, m[2]!, m[3]!];
  const [cRe, cIm, dRe, dIm] = [m[4]!, m[5]!, m[6]!, m[7]!];
  let [r00, i00, r01, i01, r10, i10, r11, i11] = [0, 0, 0, 0, 0, 0, 0, 0];
  let base = 0;
  for (let group = 0; group < numGroups; group++) {
    const i = 2 * (base | controlMask);
    const j = i + offset;
    const xRe = state[i]!;
    const xIm = state[i + 1]!;
    const yRe = state[j]!;
    const yIm = state[j + 1]!;
    const pRe = aRe * xRe - aIm * xIm + bRe * yRe - bIm * yIm;
    const pIm = aRe * xIm + aIm * xRe + bRe * yIm + bIm * yRe;
    const qRe = cRe * xRe - cIm * xIm + dRe * yRe - dIm * yIm;
    const qIm = cRe * xIm + cIm * xRe + dRe * yIm + dIm * yRe;
    state[i] = pRe;
    state[i + 1] = pIm;
    state[j] = qRe;
    state[j + 1] = qIm;
    const uRe = costate[i]!;
    const uIm = costate[i + 1]!;
    const vRe = costate[j]!;
    const vIm = costate[j + 1]!;
    r00 += uRe * pRe + uIm * pIm;
    i00 += uRe * pIm - uIm * pRe;
    r01 += uRe * qRe + uIm * qIm;
    i01 += uRe * qIm - uIm * qRe;
    r10 += vRe * pRe + vIm * pIm;
    i10 += vRe * pIm - vIm * pRe;
    r11 += vRe * qRe + vIm * qIm;
    i11 += vRe * qIm - vIm * qRe;
    costate[i] = aRe * uRe - aIm * uIm + bRe * vRe - bIm * vIm;
    costate[i + 1] = aRe * uIm + aIm * uRe + bRe * vIm + bIm * vRe;
    costate[j] = cRe * uRe - cIm * uIm + dRe * vRe - dIm * vIm;
    costate[j + 1] = cRe * uIm + cIm * uRe + dRe * vIm + dIm * vRe;
    base = ((base | fixedMask) + 1) & ~fixedMask;
  }
  overlaps[0] = r00;
  overlaps[1] = i00;
  overlaps[2] = r01;
  overlaps[3] = i01;
  overlaps[4] = r10;
  overlaps[5] = i10;
  overlaps[6] = r11;
  overlaps[7] = i11;
}

function takeBackGroups(
  groups: Groups,
  inverse: ComplexMatrix,
  state: Float64Array,
  costate: Float64Array,
  overlaps: Float64Array,
): void {
  const { numGroups, fixedMask, controlMask, offsets } = groups;
  const d = offsets.length;
  const old = new Float64Array(2 * d);
  const before = new Float64Array(2 * d);
  overlaps.fill(0);
  let base = 0;
  for (let group = 0; group < numGroups; group++) {
    const start = 2 * (base | controlMask);
    load(state, start, offsets, old);
    storeProduct(inverse, old, state, start, offsets);
    load(state, start, offsets, before);
    load(costate, start, offsets, old);
    for (let r = 0; r < 2 * d; r += 2) {
      for (let c = 0; c < 2 * d; c += 2) {
        const at = r * d + c;
        overlaps[at]! += old[r]! * before[c]! + old[r + 1]! * before[c + 1]!;
        overlaps[at + 1]! += old[r]! * before[c + 1]! - old[r + 1]! * before[c]!;
      }
    }
    storeProduct(inverse, old, costate, start, offsets);
    base = ((base | fixedMask) + 1) & ~fixedMask;
  }
}

function load(state: Float64Array, start: number, offsets: Int32Array, out: Float64Array): void {
  for (let j = 0; j < offsets.length; j++) {
    out[2 * j] = state[start + offsets[j]!]!;
    out[2 * j + 1] = state[start + offsets[j]! + 1]!;
  }
}

function storeProduct(
  matrix: ComplexMatrix,
  old: Float64Array,
  state: Float64Array,
  start: number,
  offsets: Int32Array,
): void {
  const d = offsets.length;
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
}
