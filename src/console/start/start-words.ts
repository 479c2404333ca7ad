/** What the first page says: a Bell pair gate by gate, and the state of the service. */
import type { Routes } from '../../client/api-types.ts';
import { grouped, listed, numberOf } from '../numbers.ts';

type Status = Routes['GET /status']['data'];

const HEALTH = {
  operational: 'All is well.',
  degraded: 'Something is not available.',
  down: 'No simulator is available, so nothing runs.',
} as const satisfies Record<Status['status'], string>;

/** Health, devices and queues: "All is well. 48 of 48 devices are in service, 3 of them busy. 2 circuits wait." */
export function statusInWords({ status, processors }: Status): string {
  const devices = processors.find((each) => each.devices !== undefined)?.devices;
  const waiting = processors.reduce((sum, { queue_depth: depth }) => sum + depth, 0);
  const busy = devices === undefined || devices.busy === 0 ? 'none' : grouped(devices.busy);
  return [
    HEALTH[status],
    ...(devices === undefined
      ? []
      : [`${devices.available} of ${devices.total} devices are in service, ${busy} of them busy.`]),
    waiting === 0 ? 'No circuit waits.' : `${numberOf(waiting, 'circuit waits', 'circuits wait')}.`,
  ].join(' ');
}

/** Names of parts that are not available; undefined if the service is operational. Hardware does not count. */
export function troubles({ status, processors, agents, models }: Status): string | undefined {
  if (status === 'operational') return undefined;
  const counted = processors.filter(({ execution }) => execution !== 'hardware');
  const names = [...counted, ...agents, ...models]
    .filter(({ available }) => !available)
    .map(({ id }) => id);
  return names.length === 0 ? undefined : `Not available: ${listed(names)}.`;
}

/** A gate on one of two qubits; `cx` has a control, too. */
export type BellGate =
  | { readonly gate: 'h'; readonly qubit: 0 | 1 }
  | { readonly gate: 'cx'; readonly control: 0 | 1; readonly qubit: 0 | 1 };

/** Gates that make a Bell pair of two qubits in state 0. */
export const BELL_GATES: readonly BellGate[] = [
  { gate: 'h', qubit: 0 },
  { gate: 'cx', control: 0, qubit: 1 },
];

/** Labels of the outcomes in the order of the probabilities; qubit 0 is the right one. */
export const OUTCOMES = ['00', '01', '10', '11'] as const;

/** Explanation of the state after 0, 1 and 2 gates. */
export const STEP_WORDS: readonly string[] = [
  'Both qubits are 0.',
  'H puts qubit 0 in a superposition: measured, it is 0 or 1, each half of the time.',
  'CX ties qubit 1 to it: measured, both are 0 or both are 1. Neither had a value before.',
];

/**
 * Probabilities of the four outcomes after some gates on two qubits in state 0. Amplitudes are real, since both
 * gates are.
 */
export function probabilitiesAfter(gates: readonly BellGate[]): readonly number[] {
  let amplitudes: readonly number[] = [1, 0, 0, 0];
  for (const gate of gates) {
    const from = amplitudes;
    const bit = 1 << gate.qubit;
    const at = (index: number) => from[index] ?? 0;
    amplitudes = from.map((amplitude, index) => {
      const isOne = (index & bit) !== 0;
      if (gate.gate === 'cx') return index & (1 << gate.control) ? at(index ^ bit) : amplitude;
      return ((isOne ? -amplitude : amplitude) + at(index ^ bit)) * Math.SQRT1_2;
    });
  }
  return amplitudes.map((amplitude) => amplitude ** 2);
}
