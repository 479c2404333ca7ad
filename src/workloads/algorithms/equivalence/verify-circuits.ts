/** Verifies that one circuit may replace another, by simulation as far as that is feasible. */
import {
  type Circuit,
  hasMidCircuitMeasurement,
  measuredQubits,
  type Operation,
  operationQubits,
} from '../../../circuit/circuit.ts';
import { onPlaces } from '../../../compiler/routing/route-circuit.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { compareOutcomes } from './outcome-distributions.ts';
import {
  compareUnitaries,
  EquivalenceError,
  isComparable,
  MAX_STATE_QUBITS,
} from './whole-unitary.ts';

/**
 * Property of a circuit that must be preserved: its unitary and measurements on any state; the state that
 * it makes from |0…0⟩; or the distribution of its classical bits.
 */
export const PRESERVED = ['unitary', 'state', 'outcomes'] as const;
/** Name of a property that two circuits share. */
export type Preserved = (typeof PRESERVED)[number];

/** Explanation of each method, for readers. */
const METHODS = {
  whole_unitary:
    'Both circuits were run on one half of Bell pairs, which compares every entry of their unitaries up to one phase, and up to one for each outcome of qubits measured at the end.',
  random_states:
    'Both circuits were run on random entangled states and their final states compared, up to a phase, and up to one for each outcome of qubits measured at the end.',
  state_from_zero:
    'Both circuits were run on |0…0⟩ and their final states compared, up to a phase, and up to one for each outcome of qubits measured at the end.',
  outcome_distributions:
    'The exact distributions of the classical bits were compared, measurements deferred to the end; where more than those is preserved, from random states, and together with measurements of all qubits along random axes.',
} as const;

/**
 * Compares two circuits of one width.
 *
 * @returns `equivalent` is true, or null if no method was feasible.
 * @throws {EquivalenceError} if they differ.
 */
export async function verifyCircuits(
  a: Circuit,
  b: Circuit,
  { preserve, seed }: { readonly preserve: Preserved; readonly seed: number },
  context: ProcedureContext,
): Promise<JsonObject> {
  const [first, second] = onUsedQubits([a, b]);
  if (first === undefined || second === undefined) throw new Error('unreachable: two circuits');
  const on = preserve === 'unitary' ? 'all' : 'zero';
  const isDynamic = hasMidCircuitMeasurement(first) || hasMidCircuitMeasurement(second);
  if (isDynamic || preserve === 'outcomes') {
    const options = { seed, on, withQubits: preserve !== 'outcomes' } as const;
    const compared = await compareOutcomes(first, second, options, context);
    if (compared === undefined) return unverified(first.numQubits);
    const { distance, tolerance, ...rest } = compared;
    if (!(distance <= tolerance)) throw new EquivalenceError('distance', distance, tolerance);
    return {
      equivalent: true,
      ...rest,
      description: METHODS[compared.method],
      total_variation_distance: distance,
      tolerance,
      seed,
    };
  }
  if (!isComparable(first.numQubits, context)) return unverified(first.numQubits);
  const [readFirst, readSecond] = [measuredQubits(first), measuredQubits(second)];
  if (String(readFirst) !== String(readSecond)) {
    throw new EquivalenceError('number of bits that are measured otherwise', 1, 0);
  }
  const measured = readFirst.reduce<number>((mask, q) => (q === null ? mask : mask | (1 << q)), 0);
  const compared = await compareUnitaries(
    withoutMeasurements(first),
    withoutMeasurements(second),
    { seed, on, measured },
    context,
  );
  const { method, states, fidelity, distance, tolerance } = compared;
  if (!compared.isEqual) throw new EquivalenceError('distance', distance, tolerance);
  return {
    equivalent: true,
    method,
    description: METHODS[method],
    states,
    fidelity,
    distance,
    tolerance,
    seed,
  };
}

function unverified(numQubits: number): JsonObject {
  return {
    equivalent: null,
    method: 'none',
    description: `Not verified by simulation: the circuits use ${numQubits} qubits, measurements and resets before their end counted as more; up to ${MAX_STATE_QUBITS} can be compared, and no measurements under conditions. Each step that made the result keeps what the circuit does, but nothing checked this one.`,
  };
}

function withoutMeasurements(circuit: Circuit): Circuit {
  const operations = circuit.operations.filter(({ kind }) => kind !== 'measure');
  return { ...circuit, numBits: 0, operations };
}

/** Both circuits restricted to the qubits that either uses; at least one. */
function onUsedQubits(circuits: readonly Circuit[]): readonly Circuit[] {
  const used = new Set<number>();
  for (const { operations } of circuits) {
    for (const operation of operations) {
      if (operation.kind === 'barrier') continue;
      for (const qubit of operationQubits(operation)) used.add(qubit);
    }
  }
  const order = [...used].sort((a, b) => a - b);
  const place = new Map(order.map((qubit, i) => [qubit, i]));
  return circuits.map((circuit) => ({
    ...circuit,
    numQubits: Math.max(1, order.length),
    operations: circuit.operations.flatMap((operation): readonly Operation[] => {
      if (operation.kind === 'barrier') return [];
      return [
        onPlaces(
          operation,
          operationQubits(operation).map((q) => place.get(q)!),
        ),
      ];
    }),
  }));
}
