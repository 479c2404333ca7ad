/** Estimates by stabilizers: the cost of a circuit, or why the method refuses it. */
import { allOperations, type DynamicCircuit, numOperationsOf } from '../circuit/circuit.ts';
import { StepsSpentError } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/errors.ts';
import { factsOf, type OutputName } from '../circuit/outputs.ts';
import { compileActive } from '../compiler/clifford/compile-active.ts';
import {
  compileNearClifford,
  MAX_ROTATIONS,
  type NotNearCliffordReason,
} from '../compiler/clifford/compile-near-clifford.ts';
import { compileStabilizer } from '../compiler/clifford/compile-stabilizer.ts';
import type { NearCliffordProgram, StabilizerProgram } from '../compiler/program.ts';
import { countingBytes } from '../engine/counts-builder.ts';
import { isLinear } from '../engine/stabilizer/backward-walk.ts';
import { MAX_STABILIZER_PROBABILITY_BITS } from '../engine/stabilizer/exact-outputs.ts';
import {
  MAX_NEAR_CLIFFORD_QUBITS,
  nearCliffordBytes,
} from '../engine/stabilizer/run-near-clifford.ts';
import { stabilizerBytes } from '../engine/stabilizer/run-stabilizer.ts';
import {
  type MethodCandidate,
  type MethodQuestion,
  maxActiveQubits,
  maxCoreQubits,
  maxTableauQubits,
  type Refusal,
  roundedSize,
  stateBytesOf,
  tableauBytes,
} from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';
import type { MethodFigures } from './schedule/scheduled-run.ts';

/** Units of work, of about 1 ns, that an estimate of sums may take while the event loop waits. */
const MAX_QUICK_UNITS = 4e6;
/**
 * Milliseconds: for a run, for an operation that is compiled and applied to a tableau, and for a measured bit and a
 * qubit; on the frames of shots for an operation and a bit; and where each shot has a tableau, for that and its
 * operations.
 *
 * Fitted by least squares of relative deviations to compiling and running random Clifford circuits of 4 to 20,000
 * qubits, 2 to 50 layers and 1 to 100,000 shots, then to surface codes of distance 3 to 25, whose noise takes longer by
 * shot.
 *
 * Times of sums are fitted to 120 circuits of 8 to 24 qubits and to cores of 4 to 20 qubits, by the least time of
 * several runs (`bench/near-clifford.ts`): for a run, an operation, 32 qubits of a Pauli string, a rotation and an
 * amplitude of the core, and a shot.
 *
 * Times of active qubits, for a shot and an amplitude, are fitted to four published circuits with 20,000 shots and to
 * twelve random ones with 4,000, of 3 to 11 active qubits. They deviate by factors of up to 2.7: how much shots share is
 * not known before.
 */
const TIMES = {
  perRun: 0.08,
  perOperation: 3e-4,
  perBitAndQubit: 5e-6,
  perOperationAndShot: 2.5e-8,
  perBitAndShot: 1e-6,
  perTableau: 0.005,
  perOperationAndTableau: 7e-5,
  ofSums: 0.2,
  perSumOperation: 1e-3,
  perSumWord: 2e-6,
  perRotationAndAmplitude: 2.5e-6,
  perSumShot: 3e-4,
  perActiveShot: 3.1e-3,
  perActiveUpdate: 7.5e-7,
};

/**
 * Estimate of a circuit by stabilizers. If the caller names them, they also take circuits that are Clifford but for a
 * few gates.
 *
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function stabilizerCandidate(
  question: MethodQuestion,
  spec: ProcessorSpec,
): MethodCandidate | Refusal {
  const { circuit, outputs, shots, typicalPoint } = question;
  const given = (name: OutputName) => factsOf(name).by.stabilizer;
  const { numQubits } = circuit;
  const missing = outputs.find((name) => given(name) === 'never');
  if (missing === 'amplitudes') {
    return { why: 'stabilizer has no amplitudes, because it does not keep their global phase' };
  }
  if (missing !== undefined) return { why: `stabilizer has no ${missing}` };
  if (typicalPoint !== undefined) {
    return { why: 'stabilizer takes no circuit whose angles differ between points' };
  }
  const most = maxTableauQubits(stateBytesOf(spec));
  if (numQubits > most) {
    const size = roundedSize(tableauBytes(numQubits));
    const why = `stabilizer needs ${size} and takes up to ${counted(most, 'qubit')}`;
    return { why, isLimit: true };
  }
  const program = compileStabilizer(circuit);
  if ('kind' in program) {
    const why = `stabilizer takes Clifford gates and Pauli noise, and ${program.operation} is neither`;
    const needsClifford = outputs.includes('reference_sample');
    if (question.asked !== 'stabilizer' || needsClifford) return { why, isNotClifford: true };
    const sums = stabilizerSums(question, spec);
    return 'why' in sums ? { ...sums, why: `${why}; ${sums.why}` } : sums;
  }
  if (outputs.some((name) => given(name) === 'unconditional') && !isLinear(program)) {
    return { why: 'stabilizer has no exact values of a circuit with conditions or loops' };
  }
  const outcomeBytes = countingBytes(circuit.numBits, shots);
  // Outcomes do not decide whether there is room, nor which engine a run needs, as they do not by other methods.
  const bytes = stabilizerBytes(program, shots) - outcomeBytes;
  if (bytes > stateBytesOf(spec)) return noRoom(bytes, spec);
  return {
    method: 'stabilizer',
    figures: { bytes, ...figuresOf(circuit, program) },
    what: `Stabilizers of ${counted(numQubits, 'qubit')} in ${roundedSize(bytes + outcomeBytes)}`,
    isExact: true,
    precision: 'The circuit has Clifford gates and Pauli noise alone, so that they are exact.',
  };
}

/**
 * Estimate by sums over stabilizer states of a circuit that `stabilizerCandidate` refused because of a gate.
 *
 * @param mostMs - Circuits that take longer than this are refused early.
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function stabilizerSums(
  question: MethodQuestion,
  spec: ProcessorSpec,
  mostMs = Number.POSITIVE_INFINITY,
): MethodCandidate | Refusal {
  const { circuit, outputs, shots, mayTakeLong = true } = question;
  if (circuit.numQubits > MAX_NEAR_CLIFFORD_QUBITS) {
    const why = `sums over stabilizer states take up to ${counted(MAX_NEAR_CLIFFORD_QUBITS, 'qubit')}`;
    return { why, isLimit: true };
  }
  const most = maxCoreQubits(stateBytesOf(spec));
  const program = compileNearClifford(circuit, {
    maxCoreQubits: most,
    maxUpdates: mostMs / TIMES.perRotationAndAmplitude,
    ...(!mayTakeLong && { maxUnits: MAX_QUICK_UNITS }),
  });
  if ('kind' in program) {
    return program.kind === 'unsupported-operation'
      ? byActiveQubits(question, spec)
      : whyNoSums(program.kind, most);
  }
  const probabilities = outputs.includes('probabilities');
  if (probabilities && program.numBits > MAX_STABILIZER_PROBABILITY_BITS) {
    const why = `stabilizer lists the outcomes of up to ${MAX_STABILIZER_PROBABILITY_BITS} bits`;
    return { why, isLimit: true };
  }
  const outcomeBytes = countingBytes(circuit.numBits, shots);
  const bytes = nearCliffordBytes(program, { shots, probabilities }) - outcomeBytes;
  if (bytes > stateBytesOf(spec)) return noRoom(bytes, spec);
  const { coreQubits, rotations } = program;
  const numStates = counted(2 ** coreQubits.length, 'stabilizer state');
  return {
    method: 'stabilizer',
    figures: { bytes, ...figuresOfSums(circuit, program) },
    what: `Stabilizers of ${counted(circuit.numQubits, 'qubit')}, ${counted(rotations.length, 'rotation')} and sums over ${numStates}, in ${roundedSize(bytes + outcomeBytes)}`,
    isExact: true,
    precision: 'The circuit is Clifford but for these rotations, and the sums are exact.',
  };
}

function whyNoSums(
  kind: Exclude<NotNearCliffordReason['kind'], 'unsupported-operation'>,
  maxCoreQubits: number,
): Refusal {
  switch (kind) {
    case 'long':
      throw new StepsSpentError();
    case 'wide-core': {
      const why = `sums over stabilizer states have up to 2^${maxCoreQubits} terms, and the gates that are not Clifford need more`;
      return { why, isLimit: true };
    }
    case 'many-rotations': {
      const why = `sums over stabilizer states take up to ${MAX_ROTATIONS} rotations, and the gates that are not Clifford need more`;
      return { why, isLimit: true };
    }
  }
}

/** Estimate by stabilizers around a state of active qubits, which take noise, resets and conditions. */
function byActiveQubits(
  { circuit, outputs, shots, mayTakeLong = true }: MethodQuestion,
  spec: ProcessorSpec,
): MethodCandidate | Refusal {
  const most = maxActiveQubits(stateBytesOf(spec));
  const program = compileActive(circuit, {
    maxActiveQubits: most,
    ...(!mayTakeLong && { maxUnits: MAX_QUICK_UNITS }),
  });
  if ('kind' in program) {
    switch (program.kind) {
      case 'long':
        throw new StepsSpentError();
      case 'unsupported':
        return { why: `beside other gates it takes no ${program.what}` };
      case 'wide': {
        const why = `gates that are not Clifford make more than ${counted(most, 'qubit')} active at a time`;
        return { why, isLimit: true };
      }
    }
  }
  if (outputs.some((name) => factsOf(name).by.stabilizer === 'unconditional')) {
    const what = 'circuit with noise, resets or conditions beside gates that are not Clifford';
    return { why: `it has no exact values of a ${what}` };
  }
  const outcomeBytes = countingBytes(circuit.numBits, shots);
  const bytes = stabilizerBytes(program, shots) - outcomeBytes;
  if (bytes > stateBytesOf(spec)) return noRoom(bytes, spec);
  const { width, rotations, updates } = program.active!;
  const { ms, msPerShot } = figuresOf(circuit, program);
  return {
    method: 'stabilizer',
    figures: {
      bytes,
      ms,
      msPerShot: msPerShot + TIMES.perActiveShot + updates * TIMES.perActiveUpdate,
    },
    what: `Stabilizers of ${counted(circuit.numQubits, 'qubit')} around a state of up to ${counted(width, 'active qubit')}, with ${counted(rotations.length, 'rotation')}, in ${roundedSize(bytes + outcomeBytes)}`,
    isExact: true,
    precision: 'The circuit is Clifford but for these rotations, and its shots are exact samples.',
  };
}

function noRoom(bytes: number, spec: ProcessorSpec): Refusal {
  const has = roundedSize(stateBytesOf(spec));
  return { why: `stabilizer needs ${roundedSize(bytes)}, and there are ${has}`, isLimit: true };
}

function figuresOfSums(
  circuit: DynamicCircuit,
  { coreQubits, rotations, measured, tableau }: NearCliffordProgram,
): Omit<MethodFigures, 'bytes'> {
  const numMeasured = measured.length;
  // Each core qubit takes at most one rotation for the readout.
  const numRotations = rotations.length + Math.min(coreQubits.length, numMeasured);
  const ms =
    TIMES.ofSums +
    numOperationsOf(circuit) * (TIMES.perSumOperation + tableau.numWords * TIMES.perSumWord) +
    numRotations * 2 ** coreQubits.length * TIMES.perRotationAndAmplitude +
    numMeasured ** 2 * tableau.numWords * TIMES.perSumWord;
  const wordsPerShot = numMeasured * Math.ceil(numMeasured / 32);
  return { ms, msPerShot: TIMES.perSumShot + wordsPerShot * TIMES.perSumWord };
}

/** Time of a shot whose reference sample depends on the pattern of losses, as a part of that by a tableau; at most. */
const PATTERN_PART = 1 / 4;

function figuresOf(
  circuit: DynamicCircuit,
  { numQubits, numBits, reference }: StabilizerProgram,
): Omit<MethodFigures, 'bytes'> {
  const numOperations = numOperationsOf(circuit);
  const ofBits = numBits * numQubits * TIMES.perBitAndQubit;
  // Loops are compiled once, and on a tableau most of their rounds are copies of others.
  const numWritten = allOperations(circuit.operations).length;
  const ms = TIMES.perRun + numWritten * TIMES.perOperation;
  if (reference === 'none' || reference === 'pattern') {
    const ofTableau = TIMES.perTableau + numOperations * TIMES.perOperationAndTableau + ofBits;
    return { ms, msPerShot: reference === 'none' ? ofTableau : PATTERN_PART * ofTableau };
  }
  const msPerShot = numOperations * TIMES.perOperationAndShot + numBits * TIMES.perBitAndShot;
  return { ms: ms + ofBits, msPerShot };
}
