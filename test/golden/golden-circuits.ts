/** A few circuits whose results are known by heart. */
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { gate } from '../support/random-circuits.ts';

const circuit = (numQubits: number, ...operations: readonly Operation[]): Circuit => ({
  numQubits,
  numBits: 0,
  operations,
});

/** By name. */
export const GOLDEN_CIRCUITS = {
  'x-on-qubit-0-of-3': circuit(3, gate('X', [0])),
  bell: circuit(2, gate('H', [0]), gate('CX', [1], [0])),
  'ghz-3': circuit(3, gate('H', [2]), gate('CX', [0], [2]), gate('CX', [1], [2])),
  'w-3': circuit(
    3,
    gate('RY', [0], [], [2 * Math.acos(1 / Math.sqrt(3))]),
    gate('CH', [1], [0]),
    gate('CX', [2], [1]),
    gate('CX', [1], [0]),
    gate('X', [0]),
  ),
  'qft-3': circuit(
    3,
    gate('X', [0]),
    gate('H', [2]),
    gate('CP', [2], [1], [Math.PI / 2]),
    gate('CP', [2], [0], [Math.PI / 4]),
    gate('H', [1]),
    gate('CP', [1], [0], [Math.PI / 2]),
    gate('H', [0]),
    gate('SWAP', [0, 2]),
  ),
  'toffoli-on-110': circuit(3, gate('X', [1]), gate('X', [2]), gate('CCX', [0], [1, 2])),
} as const;
