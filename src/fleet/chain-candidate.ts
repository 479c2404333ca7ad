/** Estimate by matrix product states: the cost of a circuit, or why the method refuses it. */
import {
  allOperations,
  type DynamicCircuit,
  hasChannels,
  type NoiseOperation,
  operationQubits,
  preparedState,
  type Qubit,
} from '../circuit/circuit.ts';
import { StepsSpentError } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/errors.ts';
import { factsOf, isMean, type OutputName } from '../circuit/outputs.ts';
import { chainOrder } from '../compiler/chain/chain-order.ts';
import {
  compileGates,
  DEFAULT_BOND_LIMITS,
  takesChannel,
} from '../compiler/chain/compile-matrix-product.ts';
import {
  chainCost,
  type MatrixProductCost,
  type MatrixProductMemory,
} from '../compiler/chain/matrix-product-cost.ts';
import { saturatesEveryCut } from '../compiler/chain/saturated-cuts.ts';
import type { MatrixProductProgram } from '../compiler/program.ts';
import { countingBytes } from '../engine/counts-builder.ts';
import {
  countText,
  type MethodCandidate,
  type MethodQuestion,
  type Refusal,
  roundedSize,
  stateBytesOf,
  statesOfShots,
  tooLongState,
} from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';
import type { MethodFigures } from './schedule/scheduled-run.ts';

/** Gates, and swaps by which their qubits are apart, that are compiled in a few milliseconds. */
const MAX_QUICK_GATES = 2000;
const MAX_QUICK_SWAPS = 100;
/** Swaps beyond which a circuit is not compiled: a second of one core. */
const MAX_SWAPS = 200_000;

/** Part of the limit that likely bonds stay under where their bounds exceed it and the circuit counts as exact. */
const LIKELY_PART = 1 / 4;

/**
 * Estimate of a circuit by matrix product states; under noise, by a sample of their trajectories.
 *
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function byChain(question: MethodQuestion, spec: ProcessorSpec): MethodCandidate | Refusal {
  const { work, outputs, shots, asked, typicalPoint } = question;
  const isNoisy = hasChannels(question.circuit);
  const method = isNoisy ? 'matrix_product_trajectories' : 'matrix_product_state';
  const refused = refusal(question, method);
  if (refused !== undefined) return refused;
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
  const program = compileGates(circuit, bonds);
  // Jumps of other channels on two qubits may entangle them.
  const jumpsEntangle = channelsOf(circuit).some(
    ({ kind, numQubits }) => kind === 'kraus' && numQubits > 1,
  );
  const cost = chainCost(program, jumpsEntangle);
  const { largestBond, bondBound, mayTruncate } = cost;
  const isBranching = work.isBranching || isNoisy;
  // Branches that wait, the one that goes on, and its trial of a jump.
  const numHeld = isBranching ? (isNoisy ? 2 : 1) + Math.log2(Math.max(1, shots)) : 1;
  const bytesOf = ({ stateBytes, otherBytes }: MatrixProductMemory) =>
    numHeld * stateBytes + otherBytes;
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
  const { numStates, ...times } = timesOf(cost, program, question);
  const states = isNoisy
    ? `Trajectories: about ${counted(Math.round(numStates), 'matrix product state')} for ${counted(shots, 'shot')},`
    : 'A matrix product state';
  const candidate = {
    method,
    figures: { bytes, ...times },
    bonds,
    what: `${states} with bonds of about ${largestBond} in ${withOutcomes}`,
  } as const;
  const means = isNoisy && outputs.some(isMean) ? ' Values are means over trajectories.' : '';
  if (isExact) {
    const isKnown = !mayTruncate && typicalPoint === undefined;
    const precision = !isKnown
      ? `Bonds are expected to stay below the limit of ${limit}, and truncation_error says whether they did.`
      : `No bond can exceed ${bound}, so that only weights below the threshold are cut off.`;
    return { ...candidate, isExact, precision: precision + means };
  }
  return {
    ...candidate,
    isExact,
    precision: `Bonds of up to ${bound} are cut to ${limit}; truncation_error says what that leaves out.${means}`,
    whyNotExact: mayNeed(bondBound, limit),
  };
}

/** Why the method does not take a circuit, whatever its bonds. */
function refusal(
  question: MethodQuestion,
  method: 'matrix_product_state' | 'matrix_product_trajectories',
): Refusal | undefined {
  const { circuit, outputs, work } = question;
  const given = (name: OutputName) => factsOf(name).by[method];
  const missing = outputs.find((name) => given(name) === 'never');
  if (missing !== undefined) {
    const under = factsOf(missing).by.matrix_product_state === 'never' ? '' : ' under noise';
    return { why: `matrix_product_state has no ${missing}${under}` };
  }
  const wide = channelsOf(circuit).find((channel) => !takesChannel(channel));
  if (wide !== undefined) {
    const why = `matrix_product_state takes any noise on up to 2 qubits, but on ${wide.numQubits} only Pauli errors of which none is likelier than no error`;
    return { why };
  }
  if (preparedState(circuit)?.kind === 'mixed') {
    return { why: 'matrix_product_state takes no mixed initial_state' };
  }
  if (work.isBranching && outputs.some((name) => given(name) === 'of one state')) {
    return { why: 'matrix_product_state has no exact values after measurements in mid-circuit' };
  }
  return tooLongState('matrix_product_state', question);
}

function channelsOf({ operations }: DynamicCircuit): readonly NoiseOperation['channel'][] {
  const noise = allOperations(operations).filter((operation) => operation.kind === 'noise');
  return [...new Set(noise.map(({ channel }) => channel))];
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

/**
 * Time of the gates of trajectories whose errors are found by trials of norms, relative to that of a state without noise. And
 * milliseconds of a trajectory beside its gates, for each site. From processor times of 200 shots of 60 qubits and 8 layers with
 * noise after each CX, relative to those of the same circuit without noise.
 */
const TRAJECTORIES = { byNorms: 2, msPerSite: 0.015 };

function timesOf(
  { evolutionMs, msPerShot }: MatrixProductCost,
  { numQubits, steps }: MatrixProductProgram,
  question: MethodQuestion,
): Omit<MethodFigures, 'bytes'> & { readonly numStates: number } {
  let numSplits = 0;
  for (const step of steps) {
    if (step.kind === 'measure' || step.kind === 'reset') numSplits += step.qubits.length;
  }
  const { numStates, numEvolutions } = statesOfShots(question, numSplits);
  const ofStates = numEvolutions * evolutionMs;
  const { noise } = question.work;
  if (noise === undefined) return { numStates, ms: ofStates, msPerShot };
  const { byNorms, msPerSite } = TRAJECTORIES;
  const ms = ofStates * (noise.needsNorms ? byNorms : 1) + numStates * numQubits * msPerSite;
  return { numStates, ms, msPerShot };
}
