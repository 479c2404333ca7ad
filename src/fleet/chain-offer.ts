/** Matrix product states as a method: what a circuit would need by it, or why it does not take a circuit. */
import { allOperations } from '../circuit/circuit.ts';
import {
  compileMatrixProduct,
  DEFAULT_BOND_LIMITS,
} from '../compiler/chain/compile-matrix-product.ts';
import {
  chainCost,
  type MatrixProductCost,
  type MatrixProductMemory,
} from '../compiler/chain/matrix-product-cost.ts';
import type { MatrixProductProgram } from '../compiler/program.ts';
import {
  type MethodQuestion,
  type Offer,
  type Refusal,
  roundedSize,
  stateBytesOf,
} from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';

/** Outputs that matrix product states do not have. */
const MISSING: readonly string[] = ['gradient', 'adjoint_gradient', 'density_matrix', 'purity'];
/** Outputs that are read off one final state. */
const OF_FINAL_STATE: readonly string[] = ['statevector', 'state_vector', 'amplitude'];

/** Part of the limit that likely bonds stay under where their bounds exceed it and the circuit counts as exact. */
const LIKELY_PART = 1 / 4;

/** The offer of matrix product states for a circuit. */
export function byChain(question: MethodQuestion, spec: ProcessorSpec): Offer | Refusal {
  const { circuit, work, outputs, wantsExact, shots, asked } = question;
  const missing = outputs.find((name) => MISSING.includes(name));
  if (missing !== undefined) return { why: `matrix_product_state has no ${missing}` };
  if (allOperations(circuit.operations).some(({ kind }) => kind === 'noise')) {
    return { why: 'matrix_product_state takes no noise but misread bits' };
  }
  const readsState = wantsExact || outputs.some((name) => OF_FINAL_STATE.includes(name));
  if (readsState && work.isBranching) {
    return { why: 'matrix_product_state has no exact values after measurements in mid-circuit' };
  }
  const bonds = { ...DEFAULT_BOND_LIMITS, ...question.bonds };
  const { maxBondDimension: limit } = bonds;
  const program = compileMatrixProduct(circuit, bonds);
  const cost = chainCost(program);
  const { largestBond, bondBound, mayTruncate } = cost;
  const numStates = work.isBranching ? 1 + Math.log2(Math.max(1, shots)) : 1;
  const bytesOf = ({ stateBytes, otherBytes }: MatrixProductMemory) =>
    numStates * stateBytes + otherBytes;
  const [likely, most] = [bytesOf(cost.likely), bytesOf(cost.most)];
  const available = stateBytesOf(spec);
  const isExact = !mayTruncate || largestBond <= LIKELY_PART * limit;
  if (isExact && likely > available && asked === 'automatic') {
    const why = `matrix_product_state needs ${roundedSize(likely)} for bonds of ${largestBond}, and there are ${roundedSize(available)}`;
    return { why, isLimit: true };
  }
  // The engine keeps to its memory if bonds turn out wider.
  const bytes = Math.min(most, available);
  const offer = {
    method: 'matrix_product_state',
    figures: { bytes, ms: chainMs(cost, program, shots) },
    bonds,
    what: `A matrix product state with bonds of about ${largestBond} in ${roundedSize(likely)}`,
  } as const;
  const bound = bondText(bondBound);
  if (isExact) {
    const precision = mayTruncate
      ? `Bonds are expected to stay below the limit of ${limit}, and truncation_error says whether they did.`
      : `No bond can exceed ${bound}, so that only rounding errors are cut off.`;
    return { ...offer, isExact, precision };
  }
  return {
    ...offer,
    isExact,
    precision: `Bonds of up to ${bound} are cut to ${limit}; truncation_error says what that leaves out.`,
    whyNotExact: `matrix_product_state may need bonds of ${bound}, and max_bond_dimension is ${limit}; asked for by name, it cuts them and states the error`,
  };
}

/** Logarithm of the most states that the shots of a run are taken to split into. */
const MAX_SPLITS = 20;

function chainMs(
  { evolutionMs, msPerShot }: MatrixProductCost,
  { steps }: MatrixProductProgram,
  shots: number,
): number {
  let numSplits = 0;
  for (const step of steps) {
    if (step.kind === 'measure' || step.kind === 'reset') numSplits += step.qubits.length;
  }
  const numStates = Math.min(Math.max(1, shots), 2 ** Math.min(numSplits, MAX_SPLITS));
  return numStates * evolutionMs + shots * msPerShot;
}

/** `256`, or `2^30` for large bonds. */
function bondText(bond: number): string {
  return bond < 2 ** 16 ? `${bond}` : `2^${Math.round(Math.log2(bond))}`;
}
