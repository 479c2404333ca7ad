/**
 * Values of parities in runs without errors, of circuits that are not Clifford: there they do not follow from the gates
 * alone, and a few runs are sampled.
 */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { StepsSpentError } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/errors.ts';
import { compileActive } from '../compiler/clifford/compile-active.ts';
import { FrameSampler, KeptParts } from '../engine/stabilizer/frame-sampler.ts';
import { openPlainKernels } from '../engine/stabilizer/plain-kernels.ts';
import { numOnes } from '../math/basis-index.ts';

/** Part of the runs that a value needs to be expected. */
const CLEAR = 0.75;
/** Runs that are sampled. */
const RUNS = 128;
/** Amplitudes that a run may compute. Runs that shared nothing took 12 ns for each, so that all take a second. */
const MAX_UPDATES = 600_000;
/** As `MAX_UPDATES`, in some 5 ms. */
const MAX_QUICK_UPDATES = 3000;
/** Most active qubits of a run. */
const MAX_ACTIVE_QUBITS = 16;

/** Values of parities without errors. */
export interface NoiselessParities {
  /** By parity: the value of at least three quarters of the runs, or 0. */
  readonly expected: Uint8Array;
  /** Parities that differ between runs, and the part of the runs that have a 1. */
  readonly varying: readonly { readonly parity: number; readonly ones: number }[];
}

/**
 * Samples runs of a circuit without its noise; a sentence if it has no such runs.
 *
 * @throws {StepsSpentError} if that takes long, and must not.
 */
export function noiselessParities(
  circuit: DynamicCircuit,
  parities: readonly (readonly number[])[],
  mayTakeLong: boolean,
): NoiselessParities | string {
  const operations = circuit.operations.filter(
    ({ kind }) => kind !== 'noise' && kind !== 'misread',
  );
  const program = compileActive({ ...circuit, operations }, { maxActiveQubits: MAX_ACTIVE_QUBITS });
  if ('kind' in program) {
    switch (program.kind) {
      case 'unsupported':
        return `Detectors of a circuit that is not Clifford do not work with ${program.what}.`;
      case 'wide':
        return `Detectors of a circuit that is not Clifford are read with up to ${counted(MAX_ACTIVE_QUBITS, 'active qubit')}; this circuit has more.`;
      case 'long':
        throw new Error('unreachable: no limit was given');
    }
  }
  const { updates, reference } = program.active;
  if (updates > MAX_UPDATES) {
    const [has, most] = [Math.round(updates), MAX_UPDATES].map((n) => n.toLocaleString('en'));
    return `Detectors of a circuit that is not Clifford are read if a run computes at most ${most} amplitudes; this one computes ${has}.`;
  }
  if (updates > MAX_QUICK_UPDATES && !mayTakeLong) throw new StepsSpentError();
  const kernels = openPlainKernels();
  const kept = new KeptParts(program);
  const sampler = new FrameSampler(kernels, program, { values: reference }, RUNS, kept);
  const { words, at, rowWords } = sampler.rowsAtOnce(0, 0);
  const ones = parities.map((bits) => {
    const row = new Int32Array(rowWords);
    for (const bit of bits) {
      for (let word = 0; word < rowWords; word++) row[word]! ^= words[at + bit * rowWords + word]!;
    }
    return row.reduce((sum, word) => sum + numOnes(word), 0) / RUNS;
  });
  return {
    expected: Uint8Array.from(ones, (part) => (part >= CLEAR ? 1 : 0)),
    varying: ones.flatMap((part, parity) => (part > 0 && part < 1 ? [{ parity, ones: part }] : [])),
  };
}
