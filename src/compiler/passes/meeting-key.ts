/**
 * A key that two operations share if they might be taken as one: gates of one family, or unitaries,
 * on the same qubits and under the same condition.
 *
 * Almost always a number, the digits of which are the family and the qubits: a circuit has many
 * gates, and text costs more than everything else that is done with a gate.
 */
import type { Condition, Qubit } from '../../circuit/circuit.ts';
import { factsNamed, PHASE_GATE, UNITARY_FAMILY } from './gate-facts.ts';
import type { GateLike } from './gate-like.ts';

/** Equal keys are equal by `===`. */
export type MeetingKey = number | string;

const BASE = 64;
/** So many digits stay exact. */
const MAX_QUBITS_IN_NUMBER = 7;
const PHASE_FAMILY = factsNamed(PHASE_GATE).family;

/** @param writes - How often each classical bit was written so far. */
export function meetingKey(operation: GateLike, writes: Uint32Array): MeetingKey {
  const { targets, controls, condition } = operation;
  const family =
    operation.kind === 'unitary'
      ? UNITARY_FAMILY + targets.length
      : factsNamed(operation.gate).family;
  // A phase acts on its qubits alike; on others, who is a control matters.
  const first = ascending(family === PHASE_FAMILY ? [...targets, ...controls] : targets);
  const second = family === PHASE_FAMILY ? [] : ascending(controls);
  const key = numberOf(family, first, second) ?? `${family}|${first}|${second}`;
  return condition === undefined ? key : `${key}${conditionKey(condition, writes)}`;
}

function numberOf(
  family: number,
  first: readonly Qubit[],
  second: readonly Qubit[],
): number | undefined {
  if (first.length + second.length > MAX_QUBITS_IN_NUMBER || family >= BASE - 1) return undefined;
  let key = family + 1;
  for (const qubits of [first, second]) {
    for (const qubit of qubits) {
      if (qubit >= BASE - 1) return undefined;
      key = key * BASE + qubit + 1;
    }
  }
  return key;
}

function ascending(qubits: readonly Qubit[]): readonly Qubit[] {
  if (qubits.length < 2) return qubits;
  if (qubits.length > 2) return [...qubits].sort((a, b) => a - b);
  return qubits[0]! < qubits[1]! ? qubits : [qubits[1]!, qubits[0]!];
}

/** A condition means the same only as long as nothing writes its bits. */
function conditionKey({ bits, value }: Condition, writes: Uint32Array): string {
  return `?${bits.map((bit) => `${bit}.${writes[bit]}`)}=${value}`;
}
