/**
 * The sums of probes over two states on a GPU. Probes with the same flips and controls read the same products, so up to
 * four sums with different signs share one trip through both states.
 *
 * As with expectation values, no accumulator on the device adds more than 16 terms, and the host adds workgroups and
 * chunks in double precision.
 */
import type { ProbeKernel } from '../../../compiler/program.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin, readMapped } from './dispatch.ts';
import { planExpectation } from './expectation.ts';

const WORKGROUP_SIZE = 256;
/** Sums of a batch: the lanes of a vector. */
const LANES = 4;
const BATCH_WORDS = 8;
/** Vectors of sums of one submit: 1 MiB. */
const MAX_SLOTS = 2 ** 16;

/** A sum over all i that have the controls: of ±conj(λ[i ^ flips])·ψ[i]. */
interface SignedSum {
  /** Masks of physical qubits, which may be more than 32. */
  readonly flips: number;
  readonly controls: number;
  readonly signs: number;
  /** Takes the sum of a part of the i. */
  readonly add: (re: number, im: number) => void;
}

/** Up to four sums over the same products. */
interface Batch {
  readonly flips: number;
  readonly controls: number;
  readonly sums: readonly SignedSum[];
}

/** Adds the sums of probes to those of the program. */
export async function addProbeSums(
  context: GpuContext,
  psi: GpuState,
  lambda: GpuState,
  probes: readonly ProbeKernel[],
  sums: Float64Array,
): Promise<void> {
  const batches = batchesOf(probes.flatMap((probe) => signedSums(probe, sums)));
  const size = 2 ** psi.chunkQubits;
  const { numTerms, numGroups } = planExpectation(psi.chunkQubits);
  const grid = gridOf(numGroups);
  const pipeline = await context.pipeline('probe_sums', { WORKGROUP_SIZE });
  const dispatches = batches.flatMap((batch, index) =>
    psi.chunks.flatMap((_, number) =>
      hasAll(number, Math.floor(batch.controls / size)) ? [{ batch, index, number }] : [],
    ),
  );
  const submits = partsWithin(dispatches, [
    { sizeOf: () => 2 * numGroups, most: MAX_SLOTS },
    { sizeOf: () => size, most: MAX_VISITED },
  ]);
  using shared = new ScratchBuffers(context);
  const list = await shared.words('batches', wordsOf(batches, size));
  for (const submit of submits) {
    using scratch = new ScratchBuffers(context);
    const bytes = 4 * LANES * 2 * numGroups * submit.length;
    const slots = await scratch.room('slots', bytes);
    const staging = await scratch.staging(bytes);
    const params = await scratch.params(
      'params',
      // Keep the field order of `Params` in probe_sums.wgsl.
      submit.map(({ index }, i) => {
        return [size, numGroups, numTerms, grid.rowLength, index, 2 * numGroups * i];
      }),
    );
    const encode = (encoder: GPUCommandEncoder) => {
      for (const [i, { batch, number }] of submit.entries()) {
        const partner = lambda.chunks[flipped(number, Math.floor(batch.flips / size))]!;
        const buffers = [psi.chunks[number]!, list, params[i]!, slots, partner];
        encodeKernel(context, encoder, pipeline, buffers, grid);
      }
      encoder.copyBufferToBuffer(slots, 0, staging, 0, bytes);
    };
    await readMapped(context, staging, bytes, encode, (mapped) => {
      const all = new Float32Array(mapped, 0, bytes / 4);
      const each = 2 * LANES * numGroups;
      for (const [i, { batch, number }] of submit.entries()) {
        addGroups(all.subarray(i * each, (i + 1) * each), batch, number, size);
      }
    });
  }
}

/** @param slots - Of one dispatch: by workgroup, real parts and then imaginary parts, by lane. */
function addGroups(slots: Float32Array, { sums }: Batch, number: number, size: number): void {
  for (const [lane, { signs, add }] of sums.entries()) {
    const sign = isOdd(number, Math.floor(signs / size)) ? -1 : 1;
    let re = 0;
    let im = 0;
    for (let at = lane; at < slots.length; at += 2 * LANES) {
      re += slots[at]!;
      im += slots[at + LANES]!;
    }
    add(sign * re, sign * im);
  }
}

/** The sums that those of a probe follow from. */
function signedSums(
  { targets, controls, sums: { first, flips, signs } }: ProbeKernel,
  sums: Float64Array,
): readonly SignedSum[] {
  const maskOf = (value: number) =>
    targets.reduce((mask, qubit, i) => ((value >> i) & 1 ? mask + 2 ** qubit : mask), 0);
  const controlMask = controls.reduce((mask, qubit) => mask + 2 ** qubit, 0);
  const size = 2 ** targets.length;
  const ofFlips = [...Map.groupBy(flips.entries(), ([, { row, column }]) => row ^ column)].flatMap(
    ([change, entries]) =>
      Array.from({ length: size }, (_, set): SignedSum => {
        return {
          flips: maskOf(change),
          controls: controlMask,
          signs: maskOf(set),
          // The sum over the i whose targets are c is the mean of all signed sums with the signs that they have there;
          // K(r, c) is that of c minus the conjugate of that of r.
          add(re, im) {
            for (const [i, { row, column }] of entries) {
              const ofColumn = (isOdd(column, set) ? -1 : 1) / size;
              const ofRow = (isOdd(row, set) ? -1 : 1) / size;
              sums[first + 2 * i]! += (ofColumn - ofRow) * re;
              sums[first + 2 * i + 1]! += (ofColumn + ofRow) * im;
            }
          },
        };
      }),
  );
  const firstSign = first + 2 * flips.length;
  const ofSigns = signs.map((set, i): SignedSum => {
    return {
      flips: 0,
      controls: controlMask,
      signs: maskOf(set),
      add(_, im) {
        sums[firstSign + i]! += im;
      },
    };
  });
  return [...ofFlips, ...ofSigns];
}

function batchesOf(sums: readonly SignedSum[]): readonly Batch[] {
  const alike = Map.groupBy(sums, ({ flips, controls }) => `${flips} ${controls}`);
  return [...alike.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / LANES) }, (_, i): Batch => {
      const { flips, controls } = group[0]!;
      return { flips, controls, sums: group.slice(LANES * i, LANES * (i + 1)) };
    }),
  );
}

/** @param size - Amplitudes of a chunk. */
function wordsOf(batches: readonly Batch[], size: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(BATCH_WORDS * Math.max(1, batches.length));
  for (const [i, { flips, controls, sums }] of batches.entries()) {
    // Keep the field order of `Batch` in probe_sums.wgsl.
    words.set(
      sums.map(({ signs }) => signs % size),
      BATCH_WORDS * i,
    );
    words.set([flips % size, controls % size], BATCH_WORDS * i + LANES);
  }
  return words;
}

/** Whether a chunk's number has all bits of a mask; both have few bits. */
function hasAll(number: number, mask: number): boolean {
  return (number & mask) === mask;
}

function flipped(number: number, mask: number): number {
  return number ^ mask;
}

function isOdd(number: number, mask: number): boolean {
  let odd = false;
  for (let rest = number & mask; rest !== 0; rest &= rest - 1) odd = !odd;
  return odd;
}
