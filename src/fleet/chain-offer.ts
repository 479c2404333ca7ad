/** Matrix product states as a method: what a circuit would need by it, or why it does not take a circuit. */
import {
  allOperations,
  type DynamicCircuit,
  operationQubits,
  type Qubit,
} from '../circuit/circuit.ts';
import { StepsSpentError } from '../circuit/openqasm/circuit-builder.ts';
import { factsOf, type OutputName } from '../circuit/outputs.ts';
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
import type { MatrixProductProgram } from '../compiler/program.ts';
import { countingBytes } from '../engine/counts-builder.ts';
import {
  type MethodQuestion,
  type Offer,
  type Refusal,
  roundedSize,
  stateBytesOf,
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
 * The offer of matrix product states for a circuit.
 *
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function byChain(question: MethodQuestion, spec: ProcessorSpec): Offer | Refusal {
  const { work, outputs, shots, asked, typicalPoint } = question;
  const given = (name: OutputName) => factsOf(name).by.matrix_product_state;
  const missing = outputs.find((name) => given(name) === 'never');
  if (missing !== undefined) return { why: `matrix_product_state has no ${missing}` };
  if (allOperations(question.circuit.operations).some(({ kind }) => kind === 'noise')) {
    return { why: 'matrix_product_state takes no noise but readout errors' };
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
  const bound = bondText(bondBound);
  const isExact = !mayTruncate || largestBond <= LIKELY_PART * limit;
  if (isExact && likely > available && asked === 'automatic') {
    const why = `matrix_product_state needs ${roundedSize(likely)} for bonds of ${largestBond}, and there are ${roundedSize(available)}`;
    return { why, isLimit: true };
  }
  // The engine keeps to its memory if bonds turn out wider.
  const bytes = Math.min(most, available);
  const withOutcomes = roundedSize(likely + countingBytes(circuit.numBits, shots));
  const offer = {
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
    return { ...offer, isExact, precision };
  }
  return {
    ...offer,
    isExact,
    precision: `Bonds of up to ${bound} are cut to ${limit}; truncation_error says what that leaves out.`,
    whyNotExact: mayNeed(bondBound, limit),
  };
}

/** Why `automatic` does not take bonds that are cut. */
const mayNeed = (bond: number, limit: number) =>
  `matrix_product_state may need bonds of ${bondText(bond)}, and max_bond_dimension is ${limit}; asked for by name, it cuts them and states the error`;

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
const MAX_SPLITS = 20;

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

/** `256`, or `2^30` for large bonds. */
function bondText(bond: number): string {
  return bond < 2 ** 16 ? `${bond}` : `2^${Math.round(Math.log2(bond))}`;
}
