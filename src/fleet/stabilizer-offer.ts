/** Stabilizers as a method: what a Clifford circuit would need by it, or why it does not take a circuit. */
import { type DynamicCircuit, numOperationsOf } from '../circuit/circuit.ts';
import { counted } from '../circuit/fault-list.ts';
import { compileStabilizer } from '../compiler/clifford/compile-stabilizer.ts';
import type { StabilizerProgram } from '../compiler/program.ts';
import { countingBytes } from '../engine/counts-builder.ts';
import { isLinear } from '../engine/stabilizer/backward-walk.ts';
import { stabilizerBytes } from '../engine/stabilizer/run-stabilizer.ts';
import {
  type MethodQuestion,
  maxTableauQubits,
  type Offer,
  type Refusal,
  roundedSize,
  stateBytesOf,
  tableauBytes,
} from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';
import type { MethodFigures } from './schedule/scheduled-run.ts';

/** Outputs that stabilizers have. */
const OUTPUTS: readonly string[] = [
  'counts',
  'memory',
  'detection_events',
  'detector_error_model',
  'sample',
  'expectation',
  'variance',
  'probabilities',
  'probability',
];

/**
 * Milliseconds: for a run, for an operation that is compiled and applied to a tableau, and for a measured bit and a qubit;
 * on the frames of shots for an operation and a bit; and where each shot has a tableau, for that and its operations.
 *
 * Fitted by least squares of relative deviations to compiling and running random Clifford circuits of 4 to 20,000 qubits,
 * 2 to 50 layers and 1 to 100,000 shots, then to surface codes of distance 3 to 25, whose noise takes longer by shot.
 */
const TIMES = {
  perRun: 0.08,
  perOperation: 3e-4,
  perBitAndQubit: 5e-6,
  perOperationAndShot: 2.5e-8,
  perBitAndShot: 1e-6,
  perTableau: 0.005,
  perOperationAndTableau: 7e-5,
};

/** The offer of stabilizers for a circuit. */
export function byStabilizers(question: MethodQuestion, spec: ProcessorSpec): Offer | Refusal {
  const { circuit, outputs, wantsExact, shots, typicalPoint } = question;
  const { numQubits } = circuit;
  const missing = outputs.find((name) => !OUTPUTS.includes(name));
  if (missing?.startsWith('amplitude')) {
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
    return { why };
  }
  if (wantsExact && !isLinear(program)) {
    return { why: 'stabilizer has no exact values of a circuit with conditions or loops' };
  }
  const bytes = stabilizerBytes(program, shots);
  if (bytes > stateBytesOf(spec)) {
    const has = roundedSize(stateBytesOf(spec));
    return { why: `stabilizer needs ${roundedSize(bytes)}, and there are ${has}`, isLimit: true };
  }
  return {
    method: 'stabilizer',
    // Outcomes do not decide which engine a run needs, as they do not by other methods.
    figures: {
      bytes: bytes - countingBytes(circuit.numBits, shots),
      ...figuresOf(circuit, program),
    },
    what: `Stabilizers of ${counted(numQubits, 'qubit')} in ${roundedSize(bytes)}`,
    isExact: true,
    precision: 'The circuit has Clifford gates and Pauli noise alone, so that they are exact.',
  };
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
