/** Stabilizers as a method: what a Clifford circuit would need by it, or why it does not take a circuit. */
import { type DynamicCircuit, numOperationsOf } from '../circuit/circuit.ts';
import { counted } from '../circuit/fault-list.ts';
import { StepsSpentError } from '../circuit/openqasm/circuit-builder.ts';
import { factsOf, type OutputName } from '../circuit/outputs.ts';
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
  type MethodQuestion,
  maxCoreQubits,
  maxTableauQubits,
  type Offer,
  type Refusal,
  roundedSize,
  stateBytesOf,
  tableauBytes,
} from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';
import type { MethodFigures } from './schedule/scheduled-run.ts';

/** Units of work, of about 1 ns, that an offer of sums may take while the event loop waits. */
const MAX_QUICK_UNITS = 4e6;
/**
 * Milliseconds: for a run, for an operation that is compiled and applied to a tableau, and for a measured bit and a qubit;
 * on the frames of shots for an operation and a bit; and where each shot has a tableau, for that and its operations.
 *
 * Fitted by least squares of relative deviations to compiling and running random Clifford circuits of 4 to 20,000 qubits,
 * 2 to 50 layers and 1 to 100,000 shots, then to surface codes of distance 3 to 25, whose noise takes longer by shot.
 *
 * Times of sums are fitted to 120 circuits of 8 to 24 qubits and to cores of 4 to 20 qubits, by the least time of several
 * runs (`bench/near-clifford.ts`): for a run, an operation, 32 qubits of a Pauli string, a rotation and an amplitude of the
 * core, and a shot.
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
};

/**
 * The offer of stabilizers for a circuit. Where they are named, they take circuits that are Clifford but for a few gates,
 * too.
 *
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function byStabilizers(question: MethodQuestion, spec: ProcessorSpec): Offer | Refusal {
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
    if (question.asked !== 'stabilizer') return { why, isNotClifford: true };
    const sums = byStabilizerSums(question, spec);
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
 * The offer of sums over stabilizer states for a circuit that `byStabilizers` refused because of a gate.
 *
 * @param mostMs - Circuits that take longer than this are refused early.
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function byStabilizerSums(
  { circuit, outputs, shots, mayTakeLong = true }: MethodQuestion,
  spec: ProcessorSpec,
  mostMs = Number.POSITIVE_INFINITY,
): Offer | Refusal {
  const missing = outputs.find((name) => factsOf(name).needs === 'parities');
  if (missing !== undefined) return { why: `sums over stabilizer states have no ${missing}` };
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
    return whyNoSums(program, most);
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

function whyNoSums({ kind }: NotNearCliffordReason, maxCoreQubits: number): Refusal {
  switch (kind) {
    case 'long':
      throw new StepsSpentError();
    case 'unsupported-operation': {
      const what = 'one-qubit, controlled and diagonal gates and measurements after them';
      return {
        why: `sums over stabilizer states take ${what}, without noise, resets and conditions`,
      };
    }
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

function figuresOf(
  circuit: DynamicCircuit,
  { numQubits, numBits, framesSuffice }: StabilizerProgram,
): Omit<MethodFigures, 'bytes'> {
  const numOperations = numOperationsOf(circuit);
  const ofBits = numBits * numQubits * TIMES.perBitAndQubit;
  const ms = TIMES.perRun + numOperations * TIMES.perOperation;
  if (!framesSuffice) {
    const ofOperations = TIMES.perTableau + numOperations * TIMES.perOperationAndTableau;
    return { ms, msPerShot: ofOperations + ofBits };
  }
  const msPerShot = numOperations * TIMES.perOperationAndShot + numBits * TIMES.perBitAndShot;
  return { ms: ms + ofBits, msPerShot };
}
