/**
 * Computes O·ψ on a GPU in slices: a slice is a chunk of the state or a part of one. The strings
 * that flip the same qubits of a slice's number take a slice of the image from the same slice of the
 * state.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { bitOf, type PauliSum } from '../../../circuit/observable.ts';
import { groupPaulis, operatorFactors, type PauliGroup } from '../../pauli-groups.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { type BufferView, ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin } from './dispatch.ts';

const WORKGROUP_SIZE = 256;
const GROUP_WORDS = 4;
const STRING_WORDS = 4;

/** Strings that flip the same qubits of a slice's number, in the format of apply_paulis.wgsl. */
export interface SliceStrings {
  /** Flipped qubits of the number. */
  readonly numberFlips: number;
  readonly groups: Uint32Array<ArrayBuffer>;
  readonly strings: Uint32Array<ArrayBuffer>;
  /** Number of strings of each group. */
  readonly sizes: readonly number[];
}

/** A slice of the image, and the slice of the state that it is taken from. */
export interface ImageSlice {
  readonly image: BufferView;
  readonly source: BufferView;
  /** The number of the state's slice. */
  readonly sourceNumber: number;
}

/**
 * The strings of an observable by the slices that they connect.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function sliceStrings(
  observable: PauliSum,
  layout: readonly Qubit[],
  sliceQubits: number,
): readonly SliceStrings[] {
  const grouped = groupPaulis([observable], (qubit) => bitOf(layout[qubit]!));
  const factors = operatorFactors(grouped);
  const size = 2 ** sliceQubits;
  const byNumber = Map.groupBy(grouped.groups, ({ flips }) => Math.floor(flips / size));
  return [...byNumber].map(([numberFlips, groups]) => {
    return { numberFlips, ...encoded(groups, factors, size) };
  });
}

/** @param size - Amplitudes of a slice. */
function encoded(groups: readonly PauliGroup[], factors: Float64Array, size: number) {
  const sizes = groups.map(({ signs }) => signs.length);
  const groupWords = new Uint32Array(GROUP_WORDS * groups.length);
  const stringWords = new Uint32Array(STRING_WORDS * sizes.reduce((sum, some) => sum + some, 0));
  const reals = new Float32Array(stringWords.buffer);
  let next = 0;
  for (const [g, { flips, isImaginary, signs, firstString }] of groups.entries()) {
    // Keep the field order of `Group` and `PauliString` in apply_paulis.wgsl.
    const fields = [flips % size, isImaginary ? 1 : 0, next, next + signs.length];
    groupWords.set(fields, GROUP_WORDS * g);
    for (const [i, mask] of signs.entries()) {
      stringWords.set([mask % size, Math.floor(mask / size)], STRING_WORDS * next);
      reals[STRING_WORDS * next + 2] = factors[firstString + i]!;
      next++;
    }
  }
  return { groups: groupWords, strings: stringWords, sizes };
}

/** Writes O·ψ over a state. */
export async function applyObservable(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  observable: PauliSum,
  layout: readonly Qubit[],
  image: GpuState,
): Promise<void> {
  clearImage(context, image);
  for (const strings of sliceStrings(observable, layout, chunkQubits)) {
    const slices = image.chunks.map((chunk, number): ImageSlice => {
      const sourceNumber = number ^ strings.numberFlips;
      return { image: chunk, source: chunks[sourceNumber]!, sourceNumber };
    });
    await addToSlices(context, slices, strings, chunkQubits);
  }
}

/** Clears an image before parts are added to it. */
export function clearImage(context: GpuContext, { chunks }: GpuState): void {
  context.enqueue((encoder) => {
    for (const chunk of chunks) encoder.clearBuffer(chunk);
  });
}

/** Adds the images of slices of the state under strings to slices of the image. */
export async function addToSlices(
  context: GpuContext,
  slices: readonly ImageSlice[],
  { groups, strings, sizes }: SliceStrings,
  sliceQubits: number,
): Promise<void> {
  const numAmplitudes = 2 ** sliceQubits;
  const grid = gridOf(Math.ceil(numAmplitudes / WORKGROUP_SIZE));
  const pipeline = await context.pipeline('apply_paulis', { WORKGROUP_SIZE });
  const visits = (g: number) => numAmplitudes * sizes[g]!;
  const ranges = partsWithin([...sizes.keys()], [{ sizeOf: visits, most: MAX_VISITED }]);
  const dispatches = slices.flatMap((slice) => ranges.map((range) => ({ slice, range })));
  const submits = partsWithin(dispatches, [
    {
      sizeOf: ({ range }) => range.reduce((sum, g) => sum + visits(g), 0),
      most: MAX_VISITED,
    },
  ]);
  using shared = new ScratchBuffers(context);
  const groupList = await shared.words('groups', groups);
  const stringList = await shared.words('strings', strings);
  for (const submit of submits) {
    using scratch = new ScratchBuffers(context);
    const params = await scratch.params(
      'params',
      // Keep the field order of `Params` in apply_paulis.wgsl.
      submit.map(({ slice, range }) => {
        return [numAmplitudes, grid.rowLength, range[0]!, range.at(-1)! + 1, slice.sourceNumber];
      }),
    );
    context.enqueue((encoder) => {
      for (const [i, { slice }] of submit.entries()) {
        const buffers = [slice.source, groupList, params[i]!, slice.image, stringList];
        encodeKernel(context, encoder, pipeline, buffers, grid);
      }
    });
    await context.settle();
  }
}
