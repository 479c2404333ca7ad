/** Random Clifford circuits whose qubits may be lost. */
import type { Condition, DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import { GATES_OF_RULE, LOSS_RULES, type LossRule } from '../../src/circuit/loss/loss-rule.ts';
import { depolarizing, loss } from '../../src/circuit/noise/named-channels.ts';
import { randomClifford } from './clifford-circuits.ts';
import { gate } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';

const NUM_QUBITS = 3;
const NUM_BITS = 4;

/**
 * What circuits have gates of: any Clifford gates; any, of which only Paulis have conditions; or of a CSS code, where all
 * but H may have conditions.
 */
export type LossyKind = 'any' | 'known conditions' | 'css';

/** A circuit of 3 qubits and 4 bits; most have each kind of operation. */
export function randomLossyCircuit(stream: RandomStream, kind: LossyKind = 'any'): DynamicCircuit {
  const operations: DynamicOperation[] = [gate('H', [0]), gate('CX', [1], [0])];
  // Qubits of which X is of the type of which Z is on the others.
  const turned = new Set([0]);
  if (kind === 'css') operations.splice(1, 1, gate('CZ', [1], [0]));
  // X by gates that are no Paulis, so that outcomes without noise are not all 0.
  if (kind === 'known conditions') {
    operations.unshift(gate('H', [2]), gate('S', [2]), gate('S', [2]), gate('H', [2]));
  }
  for (let i = 0; i < 14; i++) {
    const operation = randomOperation(stream);
    if (kind === 'any') operations.push(operation);
    else if (kind === 'css') operations.push(ofCss(operation, stream, turned));
    else operations.push(withKnownCondition(operation));
  }
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

const RULES_OF_ALL = LOSS_RULES.filter((rule) => GATES_OF_RULE[rule] === undefined);

/** Rules for some gates. */
export function randomRules(stream: RandomStream): readonly LossRule[] {
  const rule = RULES_OF_ALL[stream.below(RULES_OF_ALL.length)]!;
  const others: LossRule = { names: new Set(['*2']), rule };
  return stream.below(2) === 0
    ? [others]
    : [{ names: new Set(['SWAP']), rule: 'exchange' }, others];
}

/** The operation without its condition, unless it is noise or a misreading. */
function withKnownCondition(operation: DynamicOperation): DynamicOperation {
  if (operation.kind === 'misread' || !('condition' in operation)) return operation;
  if (operation.kind === 'noise' && operation.channel.kind !== 'loss') return operation;
  const { condition, ...free } = operation;
  // Checked: a condition may be absent from every operation but a loop's.
  const plain = free as DynamicOperation;
  if (operation.kind !== 'gate') return plain;
  return { ...gate('Y', operation.targets.slice(0, 1)), condition: condition! };
}

/** The operation, or in place of a gate one that keeps products of X and products of Z apart. */
function ofCss(
  operation: DynamicOperation,
  stream: RandomStream,
  turned: Set<number>,
): DynamicOperation {
  if (operation.kind !== 'gate') return operation;
  const under = operation.condition === undefined ? {} : { condition: operation.condition };
  const [a, b] = stream.distinct(2, NUM_QUBITS) as [number, number];
  switch (stream.below(4)) {
    case 0:
      return { ...gate(['X', 'Y', 'Z'][stream.below(3)]!, [a]), ...under };
    case 1:
      if (turned.has(a)) turned.delete(a);
      else turned.add(a);
      return gate('H', [a]);
    default:
      return { ...gate(turned.has(a) === turned.has(b) ? 'CX' : 'CZ', [b], [a]), ...under };
  }
}
