/**
 * Changes of a state on a GPU beside sweeps: the collapse of one qubit to an outcome, and mixing with another state.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { QubitMasses } from '../../state-operations.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, type Grid, gridOf, MAX_VISITED, partsWithin } from './dispatch.ts';
import { addMasses, assertNorm } from './masses.ts';

const WORKGROUP_SIZE = 256;

/** The masses of a physical qubit; both are 0 after a jump that cannot happen, and where the device lost the state. */
export async function qubitMasses(
  context: GpuContext,
  state: GpuState,
  qubit: Qubit,
): Promise<QubitMasses> {
  const bins = new Float64Array(2);
  await addMasses(context, state, [{ qubit, image: 1 }], bins);
  return { zero: bins[0]!, one: bins[1]! };
}

/**
 * Projects onto `outcome`, renormalises, and leaves the qubit as |left⟩.
 *
 * @param qubit - Physical.
 * @param mass - Mass of the outcome.
 * @throws {GpuFaultError} unless the mass is positive.
 */
export async function collapse(
  context: GpuContext,
  state: GpuState,
  qubit: Qubit,
  outcome: 0 | 1,
  left: 0 | 1,
  mass: number,
): Promise<void> {
  const { chunkQubits } = state;
  const isInside = qubit < chunkQubits;
  if (!isInside) {
    const isKept = (chunk: number) => bitOf(chunk, qubit - chunkQubits) === outcome;
    await keepChunks(context, state, isKept, mass);
    if (left !== outcome) exchangeChunks(state, 2 ** (qubit - chunkQubits));
    return;
  }
  const pipeline = await context.pipeline('collapse', { WORKGROUP_SIZE });
  await overChunks(context, state, pipeline, (numPairs, { rowLength }) => {
    // Keep the field order of `Params` in collapse.wgsl.
    return [numPairs, 2 ** qubit, outcome, left, factorOf(mass), rowLength];
  });
}

/**
 * Scales the kept chunks so that their mass becomes 1, and clears the others.
 *
 * @throws {GpuFaultError} unless the mass is positive.
 */
export async function keepChunks(
  context: GpuContext,
  state: GpuState,
  isKept: (chunk: number) => boolean,
  mass: number,
): Promise<void> {
  const pipeline = await context.pipeline('scale', { WORKGROUP_SIZE });
  // Keep the field order of `Params` in scale.wgsl.
  const params = (numPairs: number, { rowLength }: Grid) => [numPairs, rowLength, factorOf(mass)];
  await overChunks(context, state, pipeline, params, isKept);
}

/** Makes a state of a density matrix (1 − share)·state + share·other. */
export async function mixStates(
  context: GpuContext,
  state: GpuState,
  other: GpuState,
  share: number,
): Promise<void> {
  const pipeline = await context.pipeline('mix', { WORKGROUP_SIZE });
  // Keep the field order of `Params` in mix.wgsl.
  const params = (numPairs: number, { rowLength }: Grid) => [numPairs, rowLength, bitsOf(share)];
  await overChunks(context, state, pipeline, params, () => true, other);
}

/**
 * Runs a kernel on the pairs of amplitudes of the kept chunks, and clears the others.
 *
 * @param other - A state whose chunks the kernel reads, too.
 */
async function overChunks(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  pipeline: GPUComputePipeline,
  paramsOf: (numPairs: number, grid: Grid) => readonly number[],
  isKept: (chunk: number) => boolean = () => true,
  other?: GpuState,
): Promise<void> {
  const numPairs = 2 ** Math.max(0, chunkQubits - 1);
  const grid = gridOf(Math.ceil(numPairs / WORKGROUP_SIZE));
  using scratch = new ScratchBuffers(context);
  const [params] = await scratch.params('params', [paramsOf(numPairs, grid)]);
  const each = { sizeOf: () => 2 ** chunkQubits, most: MAX_VISITED };
  for (const [i, part] of partsWithin([...chunks.entries()], [each]).entries()) {
    if (i > 0) await context.settle();
    context.enqueue((encoder) => {
      for (const [number, chunk] of part) {
        if (!isKept(number)) encoder.clearBuffer(chunk);
        else encodeKernel(context, encoder, pipeline, [chunk, other?.chunks[number], params], grid);
      }
    });
  }
  // Nothing waits here: the next read of the state waits for this work, too.
  context.flush();
}

/** Exchanges the chunks whose numbers differ in a bit: X on a chunk qubit. */
function exchangeChunks({ chunks }: GpuState, bit: number): void {
  for (let zero = 0; zero < chunks.length; zero++) {
    if ((zero & bit) !== 0) continue;
    const one = zero | bit;
    [chunks[zero], chunks[one]] = [chunks[one]!, chunks[zero]!];
  }
}

function bitOf(index: number, bit: number): number {
  return (index >>> bit) & 1;
}

/** Scale that makes a mass 1, as the bits of a single-precision number. */
function factorOf(mass: number): number {
  assertNorm(mass);
  return bitsOf(1 / Math.sqrt(mass));
}

/** The bits of a number in single precision. */
function bitsOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0]!;
}
