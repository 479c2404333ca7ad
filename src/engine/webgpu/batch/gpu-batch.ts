/**
 * Batches: many small circuits of one shape, each with angles of its own, in one dispatch.
 *
 * The shape is interpreted, as sweeps are: a kernel made for it would wait for the driver's compiler
 * each time a new shape comes. States stay on the device, where other kernels compute the outputs.
 */
import type { Circuit } from '../../../circuit/circuit.ts';
import {
  type BatchExecutable,
  type BatchRequest,
  checkBatchRequest,
  checkBatchShape,
  outcomeBitsOf,
} from '../../batch-request.ts';
import { isOne } from '../../complex.ts';
import { SLACK, U } from '../../exact-counts.ts';
import type { Mutex } from '../../mutex.ts';
import type { GpuContext } from '../gpu-context.ts';
import { BatchBuffers } from '../scratch-buffers.ts';
import { BatchKernels, roomQubits } from './batch-kernels.ts';
import type { BatchOperation, Factor, HalfAngle, Mix, Phase } from './batch-operations.ts';
import { ChunkSize, runGpuBatch } from './batch-run.ts';
import { batchWords, measuredPatterns } from './batch-words.ts';
import { lowerShape } from './lower-shape.ts';

/** The parts of an engine that a batch uses. */
export interface GpuBatchHost {
  readonly context: GpuContext;
  /** The engine's: a batch has the device to itself while it runs. */
  readonly mutex: Mutex;
}

/**
 * Compiles a shape. Its own angles are ignored: each request brings the angles.
 *
 * @param chunkSize - Number of circuits in a submit; learned by default.
 * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 * @throws {GpuFaultError} if the device rejects the kernel.
 */
export async function prepareGpuBatch(
  { context, mutex }: GpuBatchHost,
  shape: Circuit,
  chunkSize: ChunkSize = new ChunkSize(),
): Promise<BatchExecutable> {
  checkBatchShape(shape, 'webgpu batch');
  const { numQubits, numBits } = shape;
  const lowered = lowerShape(shape);
  const numRoomQubits = roomQubits(numQubits);
  const kernels = new BatchKernels(context, numRoomQubits);
  await kernels.evolve();
  const buffers = new BatchBuffers(context);
  const batch = {
    context,
    kernels,
    buffers,
    chunkSize,
    program: batchWords(lowered, numRoomQubits, false),
    programWithPhase: batchWords(lowered, numRoomQubits, true),
    patterns: measuredPatterns(outcomeBitsOf(shape), numBits),
    stateError: stateErrorBound(lowered.list.operations),
    sizes: { numQubits, numBits, numAngles: lowered.numAngles },
  };
  const executable = mutex.executable(
    (request: BatchRequest, signal) => runGpuBatch(batch, request, signal),
    () => buffers.destroy(),
  );
  return {
    ...executable,
    numAngles: lowered.numAngles,
    // Validates before the batch is queued.
    run: async (request, signal) => {
      checkBatchRequest(request, batch.sizes);
      return await executable.run(request, signal);
    },
  };
}

// Bound on the rounding errors of shaders/batch_evolve.wgsl.
//
// **States.** Let ψ be the exact final state and ψ̂ the computed one, not normalised. Each operation is unitary. If its
// computed form differs by at most eᵢ times the norm of what it acts on, then ‖ψ̂ − ψ‖ ≤ E = Π(1 + eᵢ) − 1 ≤ exp(Σeᵢ) −
// 1. The probability of any set of basis states in ψ and in ψ̂/‖ψ̂‖ differs by at most the trace distance of the two
// states, which is the sine of their angle, and so by at most ‖ψ̂ − ψ‖. A cumulative probability is such a probability.
//
// **One operation.** WGSL rounds a sum, a difference, a product or a converted integer to one of the two neighbouring
// numbers, in no stated direction: relative error u = 2^−23 at most. Terms may be added in any order, and a product may
// be fused with a sum, which only helps. So a sum of k products is off by k·u times the sum of their absolute values at
// most. Cauchy's inequality makes norms of these sums, with a factor √2 for the two parts of a complex number, and
// another one for the absolute values of a unitary 2×2 matrix. The constants below are these errors to first order in
// u.
//
// @see Nielsen & Chuang, sections 9.2.1 and 9.2.3: trace distance under measurements.
// @see WGSL, sections 15.7.2, 15.7.4 and 15.7.5: rounding, accuracy, reassociation and fusion.
// @see Higham, "Accuracy and Stability of Numerical Algorithms", chapter 3.

/**
 * Error of `unit` in batch_evolve.wgsl, cosine and sine together, except of the angle's own resolution: 3u of an angle
 * of π/4 at most for making radians of it; 1.0u and 1.41u for the polynomials of sine and cosine; 0.05u because they
 * are polynomials.
 */
const UNIT = 4.2 * U;
/** An angle is cut off to a whole number of these, radians. */
const ANGLE_RESOLUTION = (2 * Math.PI) / 2 ** 32;
/** Entries of a constant are rounded to the nearest number. */
const CONSTANT = Math.SQRT1_2 * U;
/** A complex product. Each part is the sum of two products. */
const COMPLEX_PRODUCT = 2 * Math.SQRT2 * U;
/** A cosine and a sine times a matrix. Each part of an entry is the sum of two products that are not 0. */
const TURN_PRODUCT = 4 * U;
/** Each part of an entry is the sum of four products, here and for a matrix that is applied. */
const MATRIX_PRODUCT = 8 * Math.SQRT2 * U;
const APPLICATION = 8 * U;
/** As above, where each entry is real or imaginary, so that half the products are 0. */
const THIN_APPLICATION = 2 * Math.SQRT2 * U;

/** Bound on ‖ψ̂ − ψ‖ after the operations, for any angles. */
export function stateErrorBound(operations: readonly BatchOperation[]): number {
  const sum = operations.reduce((all, operation) => all + errorOf(operation), 0);
  return Math.expm1(SLACK * sum);
}

function errorOf(operation: BatchOperation): number {
  switch (operation.kind) {
    case 'flip':
      return 0;
    case 'phase':
      return errorOfPhase(operation);
    case 'mix':
      return errorOfMix(operation);
  }
}

function errorOfPhase({ factor, angles }: Phase): number {
  const constant = isOne(factor) ? 0 : CONSTANT;
  if (angles.length === 0) return constant + COMPLEX_PRODUCT;
  const product = isOne(factor) ? 0 : COMPLEX_PRODUCT;
  return constant + product + errorOfAngles(angles) + COMPLEX_PRODUCT;
}

function errorOfMix({ factors }: Mix): number {
  const matrix = factors.reduce((sum, factor, i) => {
    // Multiplying the identity is exact.
    return sum + errorOfFactor(factor) + (i === 0 ? 0 : errorOfProduct(factor));
  }, 0);
  const [first, ...others] = factors;
  const isThin = others.length === 0 && first !== undefined && isThinFactor(first);
  return matrix + (isThin ? THIN_APPLICATION : APPLICATION);
}

function errorOfFactor(factor: Factor): number {
  return factor.kind === 'constant' ? CONSTANT : errorOfAngles([factor.angle]);
}

function errorOfProduct({ kind }: Factor): number {
  switch (kind) {
    case 'turnX':
    case 'turnY':
      return TURN_PRODUCT;
    case 'phaseRow':
      return COMPLEX_PRODUCT;
    case 'constant':
      return MATRIX_PRODUCT;
  }
}

/** Whether each entry of the factor is real or imaginary. */
function isThinFactor(factor: Factor): boolean {
  if (factor.kind !== 'constant') return factor.kind !== 'phaseRow';
  return factor.matrix.every(({ re, im }) => re === 0 || im === 0);
}

/** Error of the phase of a sum of angles. */
function errorOfAngles(angles: readonly HalfAngle[]): number {
  const multiples = angles.reduce((sum, { multiple }) => sum + Math.abs(multiple), 0);
  return UNIT + ANGLE_RESOLUTION * multiples;
}
