/** Shorthand for gate operations. */
import type { GateOperation } from '../../circuit/circuit.ts';

/**
 * Makes a gate operation.
 *
 * @param name - Name in the gate table.
 * @param angles - Radians; none unless given.
 * @param controls - None unless given.
 */
export function gateOperation(
  name: string,
  targets: readonly number[],
  angles: readonly number[] = [],
  controls: readonly number[] = [],
): GateOperation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}
