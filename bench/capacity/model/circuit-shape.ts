/** Demand of a circuit on a GPU that is not there, found by compiling the circuit for one. */
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { findGate } from '../../../src/circuit/gates.ts';
import { compile } from '../../../src/compiler/compile.ts';
import type { TargetProfile } from '../../../src/compiler/program.ts';
import { AMPLITUDE_BYTES } from '../../../src/fleet/memory-shares.ts';
import { type CircuitShape, FLOPS_OF_A_GATE } from './hardware.ts';

/** Tiles of 2^12 amplitudes in workgroup memory, chunks of 1 GiB, four of which a kernel binds. */
const LARGE_GPU: TargetProfile = {
  maxQubits: 34,
  tileQubits: 12,
  contiguousQubits: 4,
  maxDenseQubits: 6,
  chunkQubits: 27,
  tileChunkQubits: 2,
  precision: 'f32',
};

/** A shape, and how long compiling took here. */
interface CompiledShape {
  readonly shape: CircuitShape;
  readonly compileMs: number;
}

/**
 * Compiles for a large GPU. Every gate that is left counts as a general 2×2 one unless it is diagonal or a
 * permutation, and reading the outcome as one more trip through the state.
 */
export function shapeOnGpu(circuit: Circuit): CompiledShape {
  const begin = performance.now();
  const { report, circuit: optimized } = compile(circuit, LARGE_GPU, { keepState: false });
  const compileMs = performance.now() - begin;
  const bytesOfATrip = 2 * AMPLITUDE_BYTES.f32 * 2 ** circuit.numQubits;
  const shape = {
    numQubits: circuit.numQubits,
    numSweeps: Math.round(report.bytesMoved / bytesOfATrip) + 1,
    flopsPerAmplitude: FLOPS_OF_A_GATE * optimized.operations.filter(isGeneral).length,
  };
  return { shape, compileMs };
}

function isGeneral(operation: Operation): boolean {
  if (operation.kind === 'unitary') return true;
  if (operation.kind !== 'gate') return false;
  const traits = findGate(operation.gate)?.traits ?? [];
  return !traits.includes('diagonal') && !traits.includes('permutation');
}
