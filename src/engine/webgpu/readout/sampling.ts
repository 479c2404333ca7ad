/** Draws of basis states from a state on a GPU: a small one is read back, a large one is not. */
import type { Qubit } from '../../../circuit/circuit.ts';
import { type Pacer, UNITS_PER_CHUNK } from '../../pacer.ts';
import type { BasisSamples, SampleRequest } from '../../state-operations.ts';
import { sortedTerminalDraws, UNITS_PER_DRAW } from '../../terminal-draws.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { pickFromBlocks } from './block-sampling.ts';
import { logicalAmplitudes } from './final-state.ts';
import { assertNorm } from './masses.ts';

/** 2^12 amplitudes are 32 KiB. */
const MAX_READ_QUBITS = 12;

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * @param layout - Logical qubit → physical qubit.
 * @throws {GpuFaultError} if the buffer holds no state.
 */
export async function sampleBasisStates(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  request: SampleRequest,
  pacer: Pacer,
): Promise<BasisSamples> {
  const draws = await sortedTerminalDraws(request, pacer);
  const drawn =
    layout.length <= MAX_READ_QUBITS
      ? pickFromAmplitudes(await logicalAmplitudes(context, state, layout), draws)
      : await pickFromBlocks(context, state, layout, draws, pacer);
  return await countedRuns(drawn, pacer);
}

/**
 * The basis state of each draw, from amplitudes in logical order.
 *
 * @param draws - Ascending.
 */
export function pickFromAmplitudes(amplitudes: Float64Array, draws: Float64Array): Uint32Array {
  const masses = Float64Array.from({ length: amplitudes.length / 2 }, (_, i) => {
    return amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
  });
  const norm = masses.reduce((sum, mass) => sum + mass, 0);
  assertNorm(norm);
  const drawn = new Uint32Array(draws.length);
  let cumulative = 0;
  let next = 0;
  let lastPossible = 0;
  for (let i = 0; i < masses.length && next < draws.length; i++) {
    if (masses[i]! === 0) continue;
    cumulative += masses[i]!;
    lastPossible = i;
    while (next < draws.length && draws[next]! * norm < cumulative) drawn[next++] = i;
  }
  // A draw next to 1 times the norm may round up to the norm itself.
  return drawn.fill(lastPossible, next);
}

/** The distinct basis states of an ascending list, and how often each is there. */
async function countedRuns(drawn: Uint32Array, pacer: Pacer): Promise<BasisSamples> {
  const basisIndices = new Uint32Array(drawn.length);
  const occurrences = new Uint32Array(drawn.length);
  let numRuns = 0;
  const drawsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
  for (let from = 0; from < drawn.length; from += drawsPerChunk) {
    const to = Math.min(from + drawsPerChunk, drawn.length);
    for (let i = from; i < to; i++) {
      if (i === 0 || drawn[i] !== drawn[i - 1]) basisIndices[numRuns++] = drawn[i]!;
      occurrences[numRuns - 1]!++;
    }
    if (pacer.spend(to - from)) await pacer.pause();
  }
  return {
    basisIndices: basisIndices.slice(0, numRuns),
    occurrences: occurrences.slice(0, numRuns),
  };
}
