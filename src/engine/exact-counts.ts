/**
 * Batches on an engine of single precision whose counts are those of double precision: circuits with a draw that the
 * engine leaves undecided are run again by an engine of double precision.
 *
 * Single draws could be decided instead, but each takes the final state of its circuit, and that is most of the work.
 *
 * A draw is decided if it is further from every boundary between two outcomes than single precision can move it. It
 * then falls on the same side in exact arithmetic, and in double precision.
 *
 * **Draws.** A sum of squares is off by 2u, and so is the norm, with which the draw is multiplied. Each mass is cut off
 * to a whole number of units, which lowers the sum and the norm by at most a unit a mass. Cutting off the draw and its
 * product with the norm costs two units.
 */
import type { BatchExecutable, BatchRequest, BatchResult } from './batch-request.ts';

/** Largest relative error of an operation of WGSL. */
export const U = 2 ** -23;
/** Covers terms of higher order, numbers flushed to 0, and the roundings of an engine in double precision. */
export const SLACK = 1.01;
/** Units in which batch_counts.wgsl adds masses, in a norm of 1. */
const UNITS = 2 ** 30;

/** Approximate error that one gate adds to the state: between those of a rotation merged with others and alone. */
const TYPICAL = 8 * U;

/**
 * Part of a batch's circuits, 0 to 1, that are expected to be left undecided.
 *
 * A draw is undecided within the margin m of a boundary, and 2^n outcomes have as many boundaries, ends counted as one.
 * So it is with probability 2^n·2m at most, and one of the shots is with 1 − (1 − 2^n·2m)^shots. With m of about 10⁻⁶
 * for each gate, that is small for few outcomes, gates and shots only: 4 qubits and 20 gates reach a half at 1,000
 * shots.
 */
export function expectedUndecided(
  { numQubits, numOperations }: { readonly numQubits: number; readonly numOperations: number },
  shots: number,
): number {
  const margin = drawMargin(TYPICAL * numOperations, numQubits) / UNITS;
  const ofOneDraw = Math.min(1, 2 ** numQubits * 2 * margin);
  return -Math.expm1(shots * Math.log1p(-ofOneDraw));
}

/**
 * Largest error of the difference between a scaled draw and a cumulative sum, in the units of the kernel. At most 2^31,
 * which leaves every draw undecided, and which half a million matrices may reach.
 *
 * @param stateError - As `stateErrorBound`.
 * @param numRoomQubits - A circuit has 2^numRoomQubits masses.
 */
export function drawMargin(stateError: number, numRoomQubits: number): number {
  const relative = SLACK * (stateError + 4 * U) * (1 + stateError) ** 2;
  return Math.min(2 ** 31, Math.ceil(UNITS * relative) + 2 ** numRoomQubits + 3);
}

/**
 * A batch whose undecided circuits are run again.
 *
 * @param batch - Owned.
 * @param prepareExact - Compiles the shape in double precision; called when a circuit is first undecided.
 */
export function withExactCounts(
  batch: BatchExecutable,
  prepareExact: () => Promise<BatchExecutable>,
): BatchExecutable {
  let exact: Promise<BatchExecutable> | undefined;
  return {
    numAngles: batch.numAngles,
    run: async (request, signal) => {
      const { undecided, ...result } = await batch.run(request, signal);
      if (undecided === undefined || undecided.length === 0) return result;
      exact ??= prepareExact();
      const again = await (await exact).run(requestOf(request, undecided), signal);
      setCounts(result, again, undecided);
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      await batch[Symbol.asyncDispose]();
      await (await exact)?.[Symbol.asyncDispose]();
    },
  };
}

/** Requests the counts of some of the circuits. */
function requestOf(
  { angles, numCircuits, shots = 0, seed = 0, seeds }: BatchRequest,
  circuits: Uint32Array,
): BatchRequest {
  const each = angles.length / numCircuits;
  const own = new Float64Array(circuits.length * each);
  for (const [i, k] of circuits.entries()) {
    own.set(angles.subarray(k * each, (k + 1) * each), i * each);
  }
  return {
    numCircuits: circuits.length,
    angles: own,
    shots,
    seeds: Array.from(circuits, (k) => seeds?.[k] ?? seed + k),
  };
}

/** Copies the counts of circuits that were run again over those that they had. */
function setCounts(result: BatchResult, again: BatchResult, circuits: Uint32Array): void {
  const [to, from] = [result.counts!, again.counts!];
  const size = from.length / circuits.length;
  for (const [i, k] of circuits.entries()) {
    to.set(from.subarray(i * size, (i + 1) * size), k * size);
  }
}
