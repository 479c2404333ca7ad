/** Gate operations written in one line. */
import type { GateOperation } from '../../circuit/circuit.ts';

/**
 * A gate operation.
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
