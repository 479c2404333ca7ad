/**
 * Lists the parts of a device's state that go to another device: runs of memory in which some
 * qubits have fixed values.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import type { ChunkShape } from '../sweep/index-bits.ts';

/** A range of a buffer, in bytes. */
export interface Run {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A range of a chunk, in amplitudes. */
export interface ChunkRun {
  readonly chunk: number;
  readonly first: number;
  readonly length: number;
}

/** A qubit with its value in a part of the state. */
export interface FixedQubit {
  readonly qubit: Qubit;
  readonly isOne: boolean;
}

/**
 * Splits the part of a state in which some qubits have fixed values into windows of `windowSize`
 * amplitudes, or one smaller window. Parts that fix the same qubits have corresponding windows, run
 * by run, whatever the values.
 *
 * @param windowSize - A power of two.
 */
export function* windowsWhere(
  { numQubits, chunkQubits }: ChunkShape,
  fixed: readonly FixedQubit[],
  windowSize: number,
): Generator<readonly ChunkRun[]> {
  const inside = fixed.filter(({ qubit }) => qubit < chunkQubits);
  const ofChunks = fixed.filter(({ qubit }) => qubit >= chunkQubits);
  const lowest = Math.min(chunkQubits, Math.log2(windowSize), ...inside.map(({ qubit }) => qubit));
  const length = 2 ** lowest;
  const numRuns = windowSize / length;
  let window: ChunkRun[] = [];
  for (let chunk = 0; chunk < 2 ** (numQubits - chunkQubits); chunk++) {
    if (!agrees(chunk, ofChunks, chunkQubits)) continue;
    for (let run = 0; run < 2 ** (chunkQubits - lowest); run++) {
      if (!agrees(run, inside, lowest)) continue;
      window.push({ chunk, first: run * length, length });
      if (window.length < numRuns) continue;
      yield window;
      window = [];
    }
  }
  if (window.length > 0) yield window;
}

/** @param lowest - Qubit of the number's lowest bit. */
function agrees(number: number, fixed: readonly FixedQubit[], lowest: number): boolean {
  return fixed.every(({ qubit, isOne }) => (((number >> (qubit - lowest)) & 1) === 1) === isOne);
}

/** Locates runs of a state in its buffers. */
export function runsIn({ chunks }: GpuState, runs: readonly ChunkRun[]): readonly Run[] {
  return runs.map(({ chunk, first, length }) => ({
    buffer: chunks[chunk]!,
    offset: AMPLITUDE_BYTES * first,
    size: AMPLITUDE_BYTES * length,
  }));
}
