/** Random Clifford circuits whose qubits may be lost. */
import type { Condition, DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import { LOSS_RULES, type LossRule } from '../../src/circuit/loss/loss-rule.ts';
import { depolarizing, loss } from '../../src/circuit/noise/named-channels.ts';
import { randomClifford } from './clifford-circuits.ts';
import { gate } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';

const NUM_QUBITS = 3;
const NUM_BITS = 4;

/** A circuit of 3 qubits and 4 bits; most have each kind of operation. */
export function randomLossyCircuit(stream: RandomStream): DynamicCircuit {
  const operations: DynamicOperation[] = [gate('H', [0]), gate('CX', [1], [0])];
  for (let i = 0; i < 14; i++) operations.push(randomOperation(stream));
  operations.push({ kind: 'measure', qubits: [0, 1, 2], bits: [0, 1, 2] });
  if (stream.below(2) === 0) {
    operations.push({ kind: 'misread', bits: [0, 2], p1Given0: 0.1, p0Given1: 0.2 });
  }
  return { numQubits: NUM_QUBITS, numBits: NUM_BITS, operations };
}

function randomOperation(stream: RandomStream): DynamicOperation {
  const [qubit, other] = stream.distinct(2, NUM_QUBITS) as [number, number];
  const [bit, second] = stream.distinct(2, NUM_BITS) as [number, number];
  const condition: Condition = { bits: [bit, second], value: stream.below(4) };
  const under = stream.below(4) === 0 ? { condition } : {};
  switch (stream.below(10)) {
    case 0:
    case 1: {
      const channel = loss(stream.below(6) === 0 ? 1 : 0.3)!;
      return { kind: 'noise', qubits: [qubit], channel, ...under };
    }
    case 2:
      return { kind: 'noise', qubits: [qubit, other], channel: depolarizing(2, 0.2)!, ...under };
    case 3:
      return { kind: 'noise', qubits: [qubit], channel: depolarizing(1, 0.2)!, ...under };
    case 4:
      return { kind: 'reset', qubits: [qubit], ...under };
    case 5: {
      const readsLoss = stream.below(3) === 0 ? ({ readsLoss: true } as const) : {};
      return {
        kind: 'measure',
        qubits: [qubit, other],
        bits: [bit, second],
        ...readsLoss,
        ...under,
      };
    }
    case 6:
      return { kind: 'misread', bits: [bit], p1Given0: 0.2, p0Given1: 0.1, ...under };
    default:
      return { ...randomClifford(stream, NUM_QUBITS), ...under };
  }
}

/** Rules for some gates. */
export function randomRules(stream: RandomStream): readonly LossRule[] {
  const rule = LOSS_RULES[stream.below(3)]!;
  const others: LossRule = { names: new Set(['*2']), rule };
  return stream.below(2) === 0
    ? [others]
    : [{ names: new Set(['SWAP']), rule: 'exchange' }, others];
}
