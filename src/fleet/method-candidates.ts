/** Estimates by stabilizers and matrix product states: the cost of a circuit by each, or why the method refuses it. */
import {
  allOperations,
  type DynamicCircuit,
  numOperationsOf,
  operationQubits,
  preparedState,
  type Qubit,
} from '../circuit/circuit.ts';
import { StepsSpentError } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/errors.ts';
import { factsOf, MAX_WRITTEN_QUBITS, type OutputName } from '../circuit/outputs.ts';
import { chainOrder } from '../compiler/chain/chain-order.ts';
import {
  compileMatrixProduct,
  DEFAULT_BOND_LIMITS,
} from '../compiler/chain/compile-matrix-product.ts';
import {
  chainCost,
  type MatrixProductCost,
  type MatrixProductMemory,
} from '../compiler/chain/matrix-product-cost.ts';
import { saturatesEveryCut } from '../compiler/chain/saturated-cuts.ts';
import { compileActive } from '../compiler/clifford/compile-active.ts';
import {
  compileNearClifford,
  MAX_ROTATIONS,
  type NotNearCliffordReason,
} from '../compiler/clifford/compile-near-clifford.ts';
import { compileStabilizer } from '../compiler/clifford/compile-stabilizer.ts';
import type {
  MatrixProductProgram,
  NearCliffordProgram,
  StabilizerProgram,
} from '../compiler/program.ts';
import { countingBytes } from '../engine/counts-builder.ts';
import { isLinear } from '../engine/stabilizer/backward-walk.ts';
import { MAX_STABILIZER_PROBABILITY_BITS } from '../engine/stabilizer/exact-outputs.ts';
import {
  MAX_NEAR_CLIFFORD_QUBITS,
  nearCliffordBytes,
} from '../engine/stabilizer/run-near-clifford.ts';
import { stabilizerBytes } from '../engine/stabilizer/run-stabilizer.ts';
import {
  countText,
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
import type { MethodFigures, RunMethod } from './schedule/scheduled-run.ts';

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

/** Refuses a state vector that a method does not write out. */
export function tooLongState(
  method: RunMethod,
  { circuit, outputs }: Pick<MethodQuestion, 'circuit' | 'outputs'>,
): Refusal | undefined {
  if (!outputs.includes('statevector') || circuit.numQubits <= MAX_WRITTEN_QUBITS) return undefined;
  const why = `${method} writes out state vectors of up to ${MAX_WRITTEN_QUBITS} qubits`;
  return { why, isLimit: true };
}

/** Gates, and swaps by which their qubits are apart, that are compiled in a few milliseconds. */
const MAX_QUICK_GATES = 2000;
const MAX_QUICK_SWAPS = 100;
/** Swaps beyond which a circuit is not compiled: a second of one core. */
const MAX_SWAPS = 200_000;

/** Part of the limit that likely bonds stay under where their bounds exceed it and the circuit counts as exact. */
const LIKELY_PART = 1 / 4;

/**
 * Estimate of a circuit by matrix product states.
 *
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function byChain(question: MethodQuestion, spec: ProcessorSpec): MethodCandidate | Refusal {
  const { work, outputs, shots, asked, typicalPoint } = question;
  const given = (name: OutputName) => factsOf(name).by.matrix_product_state;
  const missing = outputs.find((name) => given(name) === 'never');
  if (missing !== undefined) return { why: `matrix_product_state has no ${missing}` };
  const long = tooLongState('matrix_product_state', question);
  if (long !== undefined) return long;
  if (allOperations(question.circuit.operations).some(({ kind }) => kind === 'noise')) {
    return { why: 'matrix_product_state takes no noise but readout errors' };
  }
  if (preparedState(question.circuit) !== undefined) {
    return { why: 'matrix_product_state takes no initial state given by numbers' };
  }
  if (work.isBranching && outputs.some((name) => given(name) === 'of one state')) {
    return { why: 'matrix_product_state has no exact values after measurements in mid-circuit' };
  }
  const circuit = typicalPoint?.() ?? question.circuit;
  const numSwaps = swapsOf(circuit);
  if (numSwaps > MAX_SWAPS) {
    const why = `matrix_product_state takes up to ${MAX_SWAPS} swaps of neighbours, and the gates on distant qubits need about ${numSwaps}`;
    return { why, isLimit: true };
  }
  const bonds = { ...DEFAULT_BOND_LIMITS, ...question.bonds };
  const { maxBondDimension: limit } = bonds;
  const isQuick = circuit.operations.length <= MAX_QUICK_GATES;
  const widest = 2 ** Math.floor(circuit.numQubits / 2);
  // Most circuits that are refused need not be compiled for it.
  if (
    asked === 'automatic' &&
    widest > limit &&
    (isQuick || question.mayTakeLong !== false) &&
    saturatesEveryCut(circuit)
  ) {
    return { why: mayNeed(widest, limit) };
  }
  const isLong = numSwaps > MAX_QUICK_SWAPS || !isQuick;
  if (isLong && question.mayTakeLong === false) throw new StepsSpentError();
  const program = compileMatrixProduct(circuit, bonds);
  const cost = chainCost(program);
  const { largestBond, bondBound, mayTruncate } = cost;
  const numStates = work.isBranching ? 1 + Math.log2(Math.max(1, shots)) : 1;
  const bytesOf = ({ stateBytes, otherBytes }: MatrixProductMemory) =>
    numStates * stateBytes + otherBytes;
  const [likely, most] = [bytesOf(cost.likely), bytesOf(cost.most)];
  const available = stateBytesOf(spec);
  const bound = countText(bondBound);
  const isExact = !mayTruncate || largestBond <= LIKELY_PART * limit;
  if (isExact && likely > available && asked === 'automatic') {
    const why = `matrix_product_state needs ${roundedSize(likely)} for bonds of ${largestBond}, and there are ${roundedSize(available)}`;
    return { why, isLimit: true };
  }
  // The engine keeps to its memory if bonds turn out wider.
  const bytes = Math.min(most, available);
  const withOutcomes = roundedSize(likely + countingBytes(circuit.numBits, shots));
  const candidate = {
    method: 'matrix_product_state',
    figures: { bytes, ...timesOf(cost, program, shots) },
    bonds,
    what: `A matrix product state with bonds of about ${largestBond} in ${withOutcomes}`,
  } as const;
  if (isExact) {
    const isKnown = !mayTruncate && typicalPoint === undefined;
    const precision = !isKnown
      ? `Bonds are expected to stay below the limit of ${limit}, and truncation_error says whether they did.`
      : `No bond can exceed ${bound}, so that only weights below the threshold are cut off.`;
    return { ...candidate, isExact, precision };
  }
  return {
    ...candidate,
    isExact,
    precision: `Bonds of up to ${bound} are cut to ${limit}; truncation_error says what that leaves out.`,
    whyNotExact: mayNeed(bondBound, limit),
  };
}

/** Why `automatic` does not take bonds that are cut. */
const mayNeed = (bond: number, limit: number) =>
  `matrix_product_state may need bonds of ${countText(bond)}, and max_bond_dimension is ${limit}; asked for by name, it cuts them and states the error`;

/** Swaps of neighbours that bring the qubits of all gates together, if each gate found the qubits where they began. */
function swapsOf({ numQubits, operations }: DynamicCircuit): number {
  const couplings = new Map<Qubit, Map<Qubit, number>>();
  for (const operation of allOperations(operations)) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const [first, ...others] = operationQubits(operation);
    for (const other of others) {
      couple(couplings, first!, other);
      couple(couplings, other, first!);
    }
  }
  const sites = chainOrder(numQubits, couplings, false);
  let sum = 0;
  for (const [a, others] of couplings) {
    for (const [b, count] of others) {
      if (a < b) sum += count * (Math.abs(sites[a]! - sites[b]!) - 1);
    }
  }
  return sum;
}

function couple(couplings: Map<Qubit, Map<Qubit, number>>, from: Qubit, to: Qubit): void {
  let others = couplings.get(from);
  if (others === undefined) {
    others = new Map();
    couplings.set(from, others);
  }
  others.set(to, (others.get(to) ?? 0) + 1);
}

/** Logarithm of the most states that the shots of a run are taken to split into. */
export const MAX_SPLITS = 20;

function timesOf(
  { evolutionMs, msPerShot }: MatrixProductCost,
  { steps }: MatrixProductProgram,
  shots: number,
): Omit<MethodFigures, 'bytes'> {
  let numSplits = 0;
  for (const step of steps) {
    if (step.kind === 'measure' || step.kind === 'reset') numSplits += step.qubits.length;
  }
  const numStates = Math.min(Math.max(1, shots), 2 ** Math.min(numSplits, MAX_SPLITS));
  return { ms: numStates * evolutionMs, msPerShot };
}
