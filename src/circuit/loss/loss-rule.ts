/** Rules for gates on several qubits of which one is lost. */
import type { GateOperation, UnitaryOperation } from '../circuit.ts';
import { namesOfGate } from '../noise/gate-pattern.ts';

/**
 * Names of the rules. Except for `exchange` the gate is left out if a qubit of it is lost. Then `skip` does nothing else, `propagate`
 * loses the other qubits, too, and `depolarize` leaves nothing of their state. `exchange`, for SWAP alone, moves what is
 * there and what is lost.
 */
export const LOSS_RULES = ['skip', 'propagate', 'depolarize', 'exchange'] as const;
export type LossRuleName = (typeof LOSS_RULES)[number];

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
