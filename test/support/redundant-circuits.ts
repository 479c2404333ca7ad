/** Circuits with much for passes to find: few kinds of gates, few angles, inverses near by. */
import type { Operation } from '../../src/circuit/circuit.ts';
import { GATES, gateNamed } from '../../src/circuit/gates.ts';
import { adjoint } from '../../src/math/complex-matrix.ts';
import {
  gate,
  randomDiagonal,
  randomMonomial,
  randomUnitary,
  randomUnitaryUse,
  randomUse,
} from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';

type GateLike = Operation & { kind: 'gate' | 'unitary' };

const COMMON = ['X', 'H', 'S', 'TDG', 'T', 'Z', 'RZ', 'RX', 'CX', 'CZ', 'CP', 'CRX', 'SWAP', 'RZZ'];
const EIGHTH_TURN = Math.PI / 4;

/** The operation that undoes one, by the gate table. */
export function inverseOf(operation: GateLike): GateLike {
  if (operation.kind === 'unitary') return { ...operation, matrix: adjoint(operation.matrix) };
  const { gate: name, angles, targetOrder } = gateNamed(operation.gate).inverse(operation.angles);
  const targets = targetOrder?.map((i) => operation.targets[i]!) ?? operation.targets;
  return { ...operation, gate: name, angles, targets };
}

/** Gates of which many repeat or undo an earlier one, and some barriers. */
export function redundantGates(
  stream: RandomStream,
  numQubits: number,
  numOperations: number,
): readonly Operation[] {
  const operations: GateLike[] = [];
  const barriers: Operation[] = [];
  const withBarriers: Operation[] = [];
  const fitting = GATES.filter((g) => g.numControls + g.numTargets <= numQubits);
  const common = fitting.filter(({ name }) => COMMON.includes(name));
  const makers = [randomUnitary, randomDiagonal, randomMonomial];
  while (withBarriers.length < numOperations) {
    const choice = stream.below(20);
    const recent = operations.slice(-4);
    let next: GateLike;
    if (choice === 0) {
      barriers.push({ kind: 'barrier', qubits: stream.distinct(2, numQubits) });
      withBarriers.push(...barriers.slice(-1));
      continue;
    }
    if (choice < 8 && recent.length > 0) next = inverseOf(stream.pick(recent));
    else if (choice < 9 && recent.length > 0) next = stream.pick(recent);
    else if (choice < 10) {
      const matrix = stream.pick(makers)(stream, 1 + stream.below(2));
      next = randomUnitaryUse(stream, matrix, numQubits);
    } else {
      const used = randomUse(stream, stream.pick(choice < 12 ? fitting : common), numQubits);
      const angles = used.angles.map((angle) => Math.round(angle / EIGHTH_TURN) * EIGHTH_TURN);
      next = gate(used.gate, used.targets, used.controls, angles);
    }
    operations.push(next);
    withBarriers.push(next);
  }
  return withBarriers;
}
