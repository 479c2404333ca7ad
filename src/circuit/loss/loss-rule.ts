/** Rules for gates on several qubits of which one is lost. */
import type { GateOperation, UnitaryOperation } from '../circuit.ts';
import { namesOfGate } from '../noise/gate-pattern.ts';

/**
 * Names of the rules. Except for `exchange` the gate is left out if a qubit of it is lost. Then `skip` does nothing else, `propagate`
 * loses the other qubits, too, `depolarize` leaves nothing of their state, `residual_s_dagger` applies S† to each of them,
 * and `degrade` rotates the one that is left about the same axis by the same angle. `exchange` moves what is there and
 * what is lost.
 */
export const LOSS_RULES = [
  'skip',
  'propagate',
  'depolarize',
  'degrade',
  'residual_s_dagger',
  'exchange',
] as const;
export type LossRuleName = (typeof LOSS_RULES)[number];

/** Gates of the rule `degrade`, with what is left of them. */
export const DEGRADED: ReadonlyMap<string, string> = new Map([
  ['RXX', 'RX'],
  ['RYY', 'RY'],
  ['RZZ', 'RZ'],
]);

/** The gates that a rule is for; absent for all. */
export const GATES_OF_RULE: Readonly<Partial<Record<LossRuleName, readonly string[]>>> = {
  degrade: [...DEGRADED.keys()],
  exchange: ['SWAP'],
};

/** The rule for gates of some names. */
export interface LossRule {
  /** Canonical names, and `*` with or without a number of qubits. */
  readonly names: ReadonlySet<string>;
  readonly rule: LossRuleName;
}

/** The first rule that names a gate; `skip` where none does. */
export function ruleOf(
  rules: readonly LossRule[],
  operation: GateOperation | UnitaryOperation,
): LossRuleName {
  if (rules.length === 0) return 'skip';
  const names = namesOfGate(operation);
  return rules.find((rule) => names.some((name) => rule.names.has(name)))?.rule ?? 'skip';
}
