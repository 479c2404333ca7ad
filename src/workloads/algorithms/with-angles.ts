/** A circuit's shape with other angles. */
import type { Circuit, Operation } from '../../circuit/circuit.ts';

/** The circuit with those angles in place of the shape's, in the order of its operations. */
export function withAngles(shape: Circuit, angles: ArrayLike<number>): Circuit {
  let next = 0;
  const operations = shape.operations.map((operation): Operation => {
    if (operation.kind !== 'gate' || operation.angles.length === 0) return operation;
    return { ...operation, angles: operation.angles.map(() => angles[next++]!) };
  });
  return { ...shape, operations };
}
