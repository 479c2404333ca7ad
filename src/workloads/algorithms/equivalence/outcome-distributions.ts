/**
 * Compares the outcomes of two circuits with measurements anywhere, by exact distributions: measurements
 * are deferred to the end, initial states are random, and the remaining qubits are measured along random
 * axes.
 */
import type { Circuit, Operation } from '../../../circuit/circuit.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { Chance } from '../chance.ts';
import { type DeferredCircuit, deferredCircuit } from './deferred-circuit.ts';
import { asWritten, MAX_STATE_QUBITS, randomState, randomTurn } from './whole-unitary.ts';

/** Tolerance for probabilities; the rounding of both engine precisions stays below it. */
const TOLERANCE = 1e-4;
/** Most bits of a distribution. */
const MAX_BITS = 16;
const NUM_STATES = 3;

/** Options of a comparison of outcomes. */
export interface OutcomeOptions {
  readonly seed: number;
  /** Initial states: all, or |0…0⟩ alone. */
  readonly on: 'all' | 'zero';
  /** Whether the qubits' final states count, beside the classical bits. */
  readonly withQubits: boolean;
}

/** Result of a comparison. */
export interface ComparedOutcomes {
  readonly method: 'outcome_distributions';
  readonly states: number;
  /** The largest total variation distance. */
  readonly distance: number;
  readonly tolerance: number;
}

/** Compares two circuits of one width; undefined if that is not feasible. */
export async function compareOutcomes(
  a: Circuit,
  b: Circuit,
  { seed, on, withQubits }: OutcomeOptions,
  context: ProcedureContext,
): Promise<ComparedOutcomes | undefined> {
  const [first, second] = [deferredCircuit(a), deferredCircuit(b)];
  if (first === undefined || second === undefined) return undefined;
  const width = Math.max(first.numQubits, second.numQubits);
  if (width > Math.min(MAX_STATE_QUBITS, context.circuits.maxQubits)) return undefined;
  // A bit that only one of them writes stays 0 in the other.
  const bits = [...first.bits.keys()].filter(
    (bit) => first.bits[bit] !== undefined || second.bits[bit] !== undefined,
  );
  if (bits.length + (withQubits ? a.numQubits : 0) > MAX_BITS) return undefined;
  const numStates = on === 'zero' && !withQubits ? 1 : NUM_STATES;
  let distance = 0;
  for (let k = 0; k < numStates; k++) {
    const chance = new Chance(seed, k);
    const start = on === 'zero' ? [] : randomState(a.numQubits, chance).operations;
    const turns = withQubits ? a.numQubits : 0;
    const axes = Array.from({ length: turns }, () => randomTurn(0, chance));
    const [p, q] = [
      await distributionOf(first, start, axes, bits, context),
      await distributionOf(second, start, axes, bits, context),
    ];
    let apart = 0;
    for (let i = 0; i < p.length; i++) apart += Math.abs(p[i]! - q[i]!) / 2;
    distance = Math.max(distance, apart);
  }
  return { method: 'outcome_distributions', states: numStates, distance, tolerance: TOLERANCE };
}

async function distributionOf(
  deferred: DeferredCircuit,
  start: readonly Operation[],
  axes: readonly ReturnType<typeof randomTurn>[],
  bits: readonly number[],
  { circuits, signal }: ProcedureContext,
): Promise<Float64Array> {
  signal.throwIfAborted();
  const turned = axes.map((turn, i) => ({ ...turn, targets: [deferred.qubits[i]!] }));
  // A bit that nothing wrote reads a fresh qubit.
  let numQubits = deferred.numQubits;
  const read = [
    ...bits.map((bit) => deferred.bits[bit] ?? numQubits++),
    ...turned.flatMap(({ targets }) => targets),
  ];
  const { probabilities } = await circuits.run(
    {
      numQubits,
      numBits: read.length,
      operations: [
        ...start,
        ...asWritten([...deferred.operations, ...turned]),
        { kind: 'measure', qubits: read, bits: [...read.keys()] },
      ],
    },
    { probabilities: true },
  );
  if (probabilities === undefined) {
    throw new Error('unreachable: a run without what was asked for');
  }
  return probabilities;
}
