/** Gates as operations, in one line. */
import type { Operation } from '../../circuit/circuit.ts';

/**
 * A gate as an operation.
 *
 * @param name - As the gate table has it.
 * @param angles - Radians; none unless given. Nor are there controls.
 */
export function gateOperation(
  name: string,
  targets: readonly number[],
  angles: readonly number[] = [],
  controls: readonly number[] = [],
): Operation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}
