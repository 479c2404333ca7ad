/** Measuring one qubit of a state on a GPU: its masses, and what is left afterwards. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { QubitMasses } from '../../state-operations.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin } from './dispatch.ts';
import { addMasses, assertNorm } from './masses.ts';
import { ScratchBuffers } from './scratch-buffers.ts';

const WORKGROUP_SIZE = 256;

/**
 * The masses of a physical qubit.
 *
 * @throws {GpuFaultError} if the buffers hold no state.
 */
export async function qubitMasses(
  context: GpuContext,
  state: GpuState,
  qubit: Qubit,
): Promise<QubitMasses> {
  const bins = new Float64Array(2);
  await addMasses(context, state, [{ qubit, image: 1 }], bins);
  const [zero, one] = [bins[0]!, bins[1]!];
  assertNorm(zero + one);
  return { zero, one };
}

/**
 * Keeps what agrees with `outcome`, renormalised, and leaves the qubit as |left⟩.
 *
 * @param qubit - Physical.
 * @param mass - The outcome's; positive.
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
  const pipeline = await context.pipeline(isInside ? 'collapse' : 'scale', { WORKGROUP_SIZE });
  const numPairs = 2 ** Math.max(0, chunkQubits - 1);
  const grid = gridOf(Math.ceil(numPairs / WORKGROUP_SIZE));
  const factor = floatBits(1 / Math.sqrt(mass));
  using scratch = new ScratchBuffers(context);
  const [params] = scratch.params('params', [
    isInside
      ? // Keep the field order of `Params` in collapse.wgsl.
        [numPairs, 2 ** qubit, outcome, left, factor, grid.rowLength]
      : // Keep the field order of `Params` in scale.wgsl.
        [numPairs, grid.rowLength, factor],
  ]);
  const isKept = (number: number) => isInside || bitOf(number, qubit - chunkQubits) === outcome;
  const each = { sizeOf: () => 2 ** chunkQubits, most: MAX_VISITED };
  for (const [i, part] of partsWithin([...state.chunks.entries()], [each]).entries()) {
    if (i > 0) await context.settle();
    context.enqueue((encoder) => {
      for (const [number, chunk] of part) {
        if (!isKept(number)) encoder.clearBuffer(chunk);
        else encodeKernel(context, encoder, pipeline, [chunk, undefined, params], grid);
      }
    });
  }
  // Nothing is read: whoever looks at the state next waits for this, too.
  context.flush();
  if (!isInside && left !== outcome) exchangeChunks(state, 2 ** (qubit - chunkQubits));
}

/** Has the chunks whose numbers differ in a bit change places: X on a chunk qubit. */
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

/** The bits of a number in single precision. */
function floatBits(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0]!;
}
