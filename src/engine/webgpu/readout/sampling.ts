/** Draws basis states from a state on a GPU. A small state is read back for few shots. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { BasisSamples, SampleRequest } from '../../state-operations.ts';
import { mergedSamples, sortedTerminalDraws } from '../../terminal-measurement.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { drawFromBlocks, samplesOf } from './block-sampling.ts';
import { logicalAmplitudes } from './final-state.ts';
import { assertNorm } from './masses.ts';

/** Widest state that is read back: 2^12 amplitudes take 32 KiB. */
const MAX_READ_QUBITS = 12;
const MAX_READ_SHOTS = 2 ** 13;

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * @param layout - Logical qubit → physical qubit.
 * @throws {GpuFaultError} if the buffers hold no state.
 */
export async function sampleBasisStates(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
): Promise<BasisSamples> {
  if (!isReadBack(layout.length, request))
    return await sampleOnDevice(context, state, layout, request, slicer);
  const draws = await sortedTerminalDraws(request, slicer);
  return pickFromAmplitudes(await logicalAmplitudes(context, state, layout), draws);
}

/**
 * Whether the state is small enough, and the shots few enough, to draw from amplitudes read back.
 */
export function isReadBack(numQubits: number, { shots }: SampleRequest): boolean {
  return numQubits <= MAX_READ_QUBITS && shots.count <= MAX_READ_SHOTS;
}

/** Draws on the device, whatever the width of the state. */
export async function sampleOnDevice(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
  windowBits?: number,
): Promise<BasisSamples> {
  let samples: BasisSamples | undefined;
  await drawFromBlocks(
    context,
    state,
    layout,
    request,
    slicer,
    (batch) => {
      const more = samplesOf(batch);
      samples = samples === undefined ? more : mergedSamples(samples, more);
    },
    windowBits,
  );
  if (samples === undefined) throw new Error('unreachable: samples of no shots');
  return samples;
}

/**
 * Finds the basis states of draws.
 *
 * @param amplitudes - In logical order.
 * @param draws - Ascending.
 */
export function pickFromAmplitudes(amplitudes: Float64Array, draws: Float64Array): BasisSamples {
  const masses = new Float64Array(amplitudes.length / 2);
  let norm = 0;
  for (let i = 0; i < masses.length; i++) {
    masses[i] = amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
    norm += masses[i]!;
  }
  assertNorm(norm);
  const counts = new Uint32Array(masses.length);
  let cumulative = 0;
  let next = 0;
  let lastPossible = 0;
  for (let i = 0; i < masses.length && next < draws.length; i++) {
    if (masses[i]! === 0) continue;
    cumulative += masses[i]!;
    lastPossible = i;
    const first = next;
    while (next < draws.length && draws[next]! * norm < cumulative) next++;
    counts[i] = next - first;
  }
  // A draw just below 1, times the norm, may round up to the norm.
  counts[lastPossible]! += draws.length - next;
  const numDrawn = counts.reduce((number, count) => number + (count > 0 ? 1 : 0), 0);
  const basisIndices = new Uint32Array(numDrawn);
  let at = 0;
  for (const [i, count] of counts.entries()) if (count > 0) basisIndices[at++] = i;
  return { basisIndices, occurrences: basisIndices.map((i) => counts[i]!) };
}
