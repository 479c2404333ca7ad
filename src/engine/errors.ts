/** Expected failures of the engines. */
import { coded, type Fault, firstOf } from '../errors/coded-error.ts';

/** The program needs more qubits than the engine can hold. */
export class ProgramTooWideError extends coded(
  'ENGINE_PROGRAM_TOO_WIDE',
  (numQubits: number, maxQubits: number, engine: string) =>
    `The program needs ${numQubits} qubits; the ${engine} engine on this machine holds at most ${maxQubits}.`,
) {}

/** The density matrix needs more qubits than the engine can hold. */
export class DensityTooWideError extends coded(
  'ENGINE_DENSITY_TOO_WIDE',
  (numQubits: number, maxQubits: number, engine: string) =>
    `The circuit has ${numQubits} qubits; the ${engine} engine on this machine holds density matrices of at most ${maxQubits}.`,
) {}

/** An output was requested that exists only if no measurement or reset comes before the end. */
export class OutputNeedsFinalStateError extends coded(
  'ENGINE_OUTPUT_NEEDS_FINAL_STATE',
  (output: string) =>
    `${output} needs a circuit whose measurements are all last, without conditions and without resets of qubits in use.`,
) {}

/** The state vector of a density matrix was requested. */
export class OutputNeedsStateVectorError extends coded(
  'ENGINE_OUTPUT_NEEDS_STATE_VECTOR',
  () =>
    'A density matrix is no state vector; request the density matrix, or run the circuit without noise.',
) {}

/** A density matrix was requested of a method that has none. */
export class OutputNeedsDensityMatrixError extends coded(
  'ENGINE_OUTPUT_NEEDS_DENSITY_MATRIX',
  () => 'A density matrix needs the method density_matrix.',
) {}

/** An output was requested that a tableau does not give. */
export class OutputNeedsAmplitudesError extends coded(
  'ENGINE_OUTPUT_NEEDS_AMPLITUDES',
  (output: string) =>
    `The stabilizer method computes no amplitudes, and so not ${output}; request counts, probabilities or expectation values, or another method.`,
) {}

/** A mean over trajectories was requested without shots. */
export class OutputNeedsShotsError extends coded(
  'ENGINE_OUTPUT_NEEDS_SHOTS',
  () =>
    'Probabilities and expectation values over trajectories are means over the shots, of which there must be at least 1.',
) {}

/** The density matrix of more qubits was requested than is returned. */
export class DensityMatrixTooLargeError extends coded(
  'ENGINE_DENSITY_MATRIX_TOO_LARGE',
  (numQubits: number, maxQubits: number) =>
    `The density matrix of ${numQubits} qubits has 4^${numQubits} entries; it is returned of up to ${maxQubits} qubits. Expectation values and probabilities are computed of more.`,
) {}

/** Mid-circuit measurements or noise split the shots into more states than the engine may hold at once. */
export class TooManyBranchesError extends coded(
  'ENGINE_TOO_MANY_BRANCHES',
  (numQubits: number, stateBytes: number, maxStates: number) =>
    `Measurements in the middle of this ${numQubits}-qubit circuit, or noise, part its shots into branches, each with a state of ${mib(stateBytes)} MiB; memory here allows ${maxStates} at a time. Fewer qubits or fewer shots need less.`,
) {}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toPrecision(3);
}

/** The variance of a sum of Pauli strings needs a second state, for which there is no memory. */
export class NoRoomForVarianceError extends coded(
  'ENGINE_NO_ROOM_FOR_VARIANCE',
  (numQubits: number, stateBytes: number) =>
    `The variance of a sum of Pauli strings on ${numQubits} qubits needs two states of ${mib(stateBytes)} MiB; memory here allows one. Fewer qubits, or variances of single Pauli strings, need less.`,
) {}

/** A shot exceeded the limit of loop rounds. */
export class TooManyRoundsError extends coded(
  'ENGINE_TOO_MANY_ROUNDS',
  (maxRounds: number) =>
    `A shot went through more than ${maxRounds} rounds of the circuit's loops. A loop on measured bits ends when its condition no longer holds; QCS_MAX_LOOP_ROUNDS is the limit.`,
) {}

/** A classical expression has no value for the measured bits. */
export class ClassicalValueError extends coded(
  'ENGINE_CLASSICAL_VALUE',
  (problem: string) =>
    `A classical value computed while the circuit ran does not exist: ${problem}`,
) {}

/** The exact distribution was requested over more classical bits than can be listed. */
export class TooManyOutcomesError extends coded(
  'ENGINE_TOO_MANY_OUTCOMES',
  (numBits: number, maxBits: number) =>
    `The exact distribution over ${numBits} classical bits has 2^${numBits} entries; at most 2^${maxBits} are computed.`,
) {}

/** The state vector of more qubits was requested than is written out. */
export class StateVectorTooLongError extends coded(
  'ENGINE_STATE_VECTOR_TOO_LONG',
  (numQubits: number, maxQubits: number) =>
    `The state vector of ${numQubits} qubits has 2^${numQubits} amplitudes; this method writes it out up to ${maxQubits} qubits. Amplitudes of given basis states are computed of more.`,
) {}

/** A sparse state has more amplitudes that are not 0 than it may. */
export class TooManyAmplitudesError extends coded(
  'ENGINE_TOO_MANY_AMPLITUDES',
  (limit: number, bytes: number) =>
    `The circuit makes more than ${limit} amplitudes non-zero at a time, over all branches of its shots; the method sparse holds that many here, at ${bytes} bytes each.`,
) {}

/** Pauli propagation has more strings than it may. */
export class TooManyTermsError extends coded(
  'ENGINE_TOO_MANY_TERMS',
  (maxTerms: number) =>
    `An observable becomes a sum of more than ${maxTerms} Pauli strings on its way back through the circuit. max_terms sets the limit; with "approximate": true the smallest are left out, and truncation_error bounds the error.`,
) {}

/** A thread of the engine ended while it worked on a program. */
export class HelperLostError extends coded(
  'ENGINE_HELPER_LOST',
  () => 'A thread of the engine ended while it worked on the program.',
) {}

/**
 * The engine cannot allocate the states of a program: the system lacks memory, or 32-bit addresses
 * end.
 */
export class StateMemoryError extends coded(
  'ENGINE_STATE_MEMORY',
  (bytes: number, options?: ErrorOptions) => ({
    message: `The program needs ${Math.ceil(bytes / 2 ** 20)} MiB more, and there is not as much memory for the engine.`,
    ...options,
  }),
) {}

/** A batch request does not fit the shape of its circuits. */
export class InvalidBatchError extends coded('ENGINE_BATCH_INVALID', (faults: readonly Fault[]) => {
  const { path, message } = firstOf(faults);
  return { message: `${path}: ${message}`, faults };
}) {}

/** The engine, or a program compiled for it, has been closed. */
export class ClosedError extends coded(
  'ENGINE_CLOSED',
  () => 'The engine has been closed, or the program that it prepared has.',
) {}

/** WebGPU could not open an adapter. */
export class NoAdapterError extends coded('ENGINE_NO_ADAPTER', (options?: ErrorOptions) => ({
  message: 'WebGPU found no adapter that it can open.',
  ...options,
})) {}

/** The GPU device was lost: its driver reset it, or it was removed. */
export class DeviceLostError extends coded(
  'ENGINE_DEVICE_LOST',
  (message: string) => `The GPU device was lost: ${message || 'no reason was given'}.`,
) {}

/** The GPU rejected work, or ran out of memory while doing it. */
export class GpuFaultError extends coded(
  'ENGINE_GPU_FAULT',
  (message: string) => `The GPU refused its work: ${message}.`,
) {}

/** The result of an engine breaks an invariant. It is a fault of the service, and the result is not answered. */
export class InvariantError extends coded(
  'ENGINE_INVARIANT',
  (fault: string) =>
    `The result cannot be right, and is not given: ${fault}. It is a fault of the service, which has been logged.`,
) {}
