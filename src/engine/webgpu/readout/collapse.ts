/** Measuring one qubit of a state on a GPU: its masses, and what is left afterwards. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { QubitMasses } from '../../state-operations.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, ScratchBuffers } from './dispatch.ts';
import { addMasses, assertNorm } from './masses.ts';

const WORKGROUP_SIZE = 256;

/**
 * The masses of a physical qubit.
 *
 * @throws {GpuFaultError} if the buffer holds no state.
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
  const pipeline = await context.pipeline('collapse', { WORKGROUP_SIZE });
  const numPairs = 2 ** (state.numQubits - 1);
  const grid = gridOf(Math.ceil(numPairs / WORKGROUP_SIZE));
  // Keep the field order of `Params` in collapse.wgsl.
  const words = Uint32Array.of(numPairs, 2 ** qubit, outcome, left, 0, grid.rowLength, 0, 0);
  new Float32Array(words.buffer)[4] = 1 / Math.sqrt(mass);
  using scratch = new ScratchBuffers(context);
  const params = scratch.params('params', words);
  await context.submit((encoder) =>
    encodeKernel(context, encoder, pipeline, [state.chunks[0]!, undefined, params], grid),
  );
}
