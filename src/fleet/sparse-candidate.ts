/** Estimate by sparse states: the cost of a circuit, or why the method refuses it. */
import { allOperations, numOperationsOf, preparedState } from '../circuit/circuit.ts';
import { counted } from '../circuit/errors.ts';
import { factsOf, type OutputName } from '../circuit/outputs.ts';
import { supportBound } from '../compiler/sparse/support-bound.ts';
import { countingBytes } from '../engine/counts-builder.ts';
import { bytesOfAmplitude } from '../engine/sparse/sparse-state.ts';
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

/**
 * Milliseconds: for a run, for an operation, for an amplitude that a gate moves or multiplies, for one that it mixes with
 * others, and for a shot and a measured bit. Processor times of 100,000 gates on 20,000 qubits, and of 2,000 permutations
 * and up to 340 dense gates on 2^4 to 2^20 amplitudes of 160 qubits.
 */
const SPARSE_TIMES = {
  perRun: 0.1,
  perOperation: 5e-3,
  perMoved: 1.5e-5,
  perMixed: 5e-5,
  perShot: 3e-4,
  perShotAndBit: 2e-5,
};

/** Estimate of a circuit by the list of its non-zero amplitudes. */
export function bySparse(question: MethodQuestion, spec: ProcessorSpec): MethodCandidate | Refusal {
  const { work, outputs, shots, asked, typicalPoint } = question;
  const given = (name: OutputName) => factsOf(name).by.sparse;
  const missing = outputs.find((name) => given(name) === 'never');
  if (missing !== undefined) return { why: `sparse has no ${missing}` };
  const long = tooLongState('sparse', question);
  if (long !== undefined) return long;
  if (preparedState(question.circuit)?.kind === 'mixed') {
    return { why: 'sparse takes no mixed initial_state' };
  }
  const hasBranches = work.isBranching || work.noise !== undefined;
  if (hasBranches && outputs.some((name) => given(name) === 'of one state')) {
    return { why: 'sparse has no exact values under noise or after measurements in mid-circuit' };
  }
  const circuit = typicalPoint?.() ?? question.circuit;
  const available = stateBytesOf(spec);
  const bytesOfOne = bytesOfAmplitude(circuit.numQubits);
  const room = Math.floor(available / bytesOfOne);
  const { log2Most, moved, mixed } = supportBound(circuit, room);
  const most = 2 ** log2Most;
  if (most > room && asked === 'automatic') {
    const why = `sparse may need ${countText(most)} non-zero amplitudes, and has room for ${room}`;
    return { why, isLimit: true };
  }
  const { numEvolutions: numStates } = statesOfShots(question, outcomesOf(question));
  const { perRun, perOperation, perMoved, perMixed, perShot, perShotAndBit } = SPARSE_TIMES;
  const operationMs = numOperationsOf(circuit) * perOperation;
  const ms = perRun + numStates * (operationMs + moved * perMoved + mixed * perMixed);
  const msPerShot = perShot + circuit.numBits * perShotAndBit;
  // Branches that wait, the one that goes on, and its trial of a jump.
  const held = hasBranches ? 2 + Math.log2(Math.max(1, shots)) : 1;
  // The engine keeps to its memory if there are more amplitudes.
  const bytes = Math.min(most * bytesOfOne * held, available);
  const size = roundedSize(bytes + countingBytes(circuit.numBits, shots));
  return {
    method: 'sparse',
    figures: { bytes, ms, msPerShot },
    what: `A sparse state of at most ${counted(Math.min(most, room), 'non-zero amplitude')} at a time, in ${size}`,
    isExact: true,
    precision:
      most > room
        ? `The circuit may need ${countText(most)} of them, and fails if it does.`
        : 'Amplitudes that are 0 are left out, so that it is exact.',
  };
}

/** Outcomes at which the shots of a circuit may part before its end. */
function outcomesOf({ work, circuit }: MethodQuestion): number {
  if (!work.isBranching) return 0;
  return allOperations(circuit.operations).reduce(
    (sum, operation) =>
      operation.kind === 'measure' || operation.kind === 'reset'
        ? sum + operation.qubits.length
        : sum,
    0,
  );
}
