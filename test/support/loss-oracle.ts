/**
 * The oracle of loss: the exact distribution of outcomes of a small circuit whose qubits may be lost, as it was written.
 * It follows a density matrix for each set of lost qubits and each value of the register, and replaces a qubit that is
 * lost by a fully mixed one.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  operationQubits,
  type Qubit,
} from '../../src/circuit/circuit.ts';
import { type LossRule, ruleOf } from '../../src/circuit/loss/loss-rule.ts';
import { depolarizing } from '../../src/circuit/noise/named-channels.ts';
import {
  type DensityMatrix,
  embedded,
  sumOfDensities,
  throughKraus,
  traceOf,
  zeroDensity,
} from './density-matrix.ts';
import { type Complex, type Entries, operationEntries } from './kronecker-oracle.ts';
import { krausOf } from './noise-oracle.ts';

/** Shots whose qubits are lost alike and whose bits read alike. */
interface Part {
  /** A digit for each qubit: 1 where it is lost. */
  readonly lost: string;
  /** A digit for each bit, bit 0 first: 2 where its qubit was lost. */
  readonly bits: string;
  readonly rho: DensityMatrix;
}

/** Probability of each outcome, its highest bit first. The circuit has no loops and no assignments. */
export function exactLossRun(
  { numQubits, numBits, operations }: DynamicCircuit,
  rules: readonly LossRule[] = [],
): ReadonlyMap<string, number> {
  const oracle = new LossOracle(numQubits, rules);
  const start = { lost: '0'.repeat(numQubits), bits: '0'.repeat(numBits) };
  const parts = operations.reduce<readonly Part[]>(
    (before, operation) => joined(before.flatMap((part) => oracle.after(operation, part))),
    [{ ...start, rho: zeroDensity(numQubits) }],
  );
  const outcomes = new Map<string, number>();
  for (const { bits, rho } of parts) {
    const label = [...bits].reverse().join('');
    outcomes.set(label, (outcomes.get(label) ?? 0) + traceOf(rho));
  }
  return outcomes;
}

function joined(parts: readonly Part[]): readonly Part[] {
  const byKey = new Map<string, Part>();
  for (const part of parts) {
    if (traceOf(part.rho) < 1e-15) continue;
    const key = `${part.lost} ${part.bits}`;
    const other = byKey.get(key);
    byKey.set(
      key,
      other === undefined ? part : { ...part, rho: sumOfDensities(other.rho, part.rho) },
    );
  }
  return [...byKey.values()];
}

const withDigit = (digits: string, at: number, digit: number | string): string =>
  `${digits.slice(0, at)}${digit}${digits.slice(at + 1)}`;

class LossOracle {
  readonly #numQubits: number;
  readonly #rules: readonly LossRule[];

  constructor(numQubits: number, rules: readonly LossRule[]) {
    this.#numQubits = numQubits;
    this.#rules = rules;
  }

  after(operation: DynamicOperation, part: Part): readonly Part[] {
    if (operation.kind === 'barrier' || !holds(operation.condition, part.bits)) return [part];
    const isLost = (qubit: Qubit) => part.lost[qubit] === '1';
    switch (operation.kind) {
      case 'gate':
      case 'unitary': {
        const qubits = operationQubits(operation);
        const acted = () => throughKraus(part.rho, [operationEntries(operation, this.#numQubits)]);
        if (!qubits.some(isLost)) return [{ ...part, rho: acted() }];
        const others = qubits.filter((qubit) => !isLost(qubit));
        switch (ruleOf(this.#rules, operation)) {
          case 'skip':
            return [part];
          case 'propagate':
            return [others.reduce((lost, qubit) => this.#losing(lost, qubit), part)];
          case 'depolarize':
            return [others.reduce((mixed, qubit) => this.#mixed(mixed, qubit), part)];
          case 'residual_s_dagger':
            return [others.reduce((acted, qubit) => this.#rotated(acted, 'SDG', qubit, []), part)];
          case 'degrade': {
            if (operation.kind !== 'gate')
              throw new Error('unreachable: a unitary is not degraded');
            const name = operation.gate.slice(0, 2);
            return [
              others.reduce(
                (acted, qubit) => this.#rotated(acted, name, qubit, operation.angles),
                part,
              ),
            ];
          }
          case 'exchange': {
            const [a, b] = qubits as [Qubit, Qubit];
            const lost = withDigit(withDigit(part.lost, a, part.lost[b]!), b, part.lost[a]!);
            return [{ ...part, lost, rho: acted() }];
          }
        }
        break;
      }
      case 'noise': {
        const { channel, qubits } = operation;
        if (qubits.some(isLost)) return [part];
        if (channel.kind === 'loss') {
          const { probability } = channel;
          return [
            scaled(part, 1 - probability),
            this.#losing(scaled(part, probability), qubits[0]!),
          ];
        }
        const kraus = krausOf(channel).map((matrix) => embedded(matrix, qubits, this.#numQubits));
        return [{ ...part, rho: throughKraus(part.rho, kraus) }];
      }
      case 'reset':
        return [operation.qubits.reduce((reset, qubit) => this.#reset(reset, qubit), part)];
      case 'measure':
        return operation.qubits.reduce<readonly Part[]>(
          (parts, qubit, i) => {
            const bit = operation.bits[i]!;
            if (operation.readsLoss) {
              return parts.map((each) => withBit(each, bit, each.lost[qubit]!));
            }
            if (isLost(qubit)) return parts.map((each) => withBit(each, bit, 2));
            return parts.flatMap((each) =>
              [0, 1].map((value) =>
                withBit(this.#through(each, [this.#unit(value, value, qubit)]), bit, value),
              ),
            );
          },
          [part],
        );
      case 'misread':
        return operation.bits.reduce<readonly Part[]>(
          (parts, bit) => parts.flatMap((each) => misread(each, bit, operation)),
          [part],
        );
      case 'assign':
      case 'while':
        throw new Error('The oracle of loss has no classical computation.');
    }
    return [part];
  }

  #through(part: Part, kraus: readonly Entries[]): Part {
    return { ...part, rho: throughKraus(part.rho, kraus) };
  }

  #rotated(part: Part, gate: string, qubit: Qubit, angles: readonly number[]): Part {
    const operation = { kind: 'gate', gate, controls: [], targets: [qubit], angles } as const;
    return this.#through(part, [operationEntries(operation, this.#numQubits)]);
  }

  #mixed(part: Part, qubit: Qubit): Part {
    const kraus = krausOf(depolarizing(1, 3 / 4)!);
    return this.#through(
      part,
      kraus.map((matrix) => embedded(matrix, [qubit], this.#numQubits)),
    );
  }

  #losing(part: Part, qubit: Qubit): Part {
    return { ...this.#mixed(part, qubit), lost: withDigit(part.lost, qubit, 1) };
  }

  #reset(part: Part, qubit: Qubit): Part {
    const onto = [this.#unit(0, 0, qubit), this.#unit(0, 1, qubit)];
    return { ...this.#through(part, onto), lost: withDigit(part.lost, qubit, 0) };
  }

  /** |to⟩⟨from| on one qubit. */
  #unit(to: number, from: number, qubit: Qubit): Entries {
    const rows = [0, 1].map((i) => [0, 1].map((j): Complex => [i === to && j === from ? 1 : 0, 0]));
    return embedded(rows, [qubit], this.#numQubits);
  }
}

const withBit = (part: Part, bit: number, digit: number | string): Part => ({
  ...part,
  bits: withDigit(part.bits, bit, digit),
});

const scaled = (part: Part, factor: number): Part => ({
  ...part,
  rho: part.rho.map((entry) => factor * entry),
});

/** A bit of a lost qubit reads 0 in conditions. */
function holds(condition: Condition | undefined, bits: string): boolean {
  if (condition === undefined) return true;
  return condition.bits.every(
    (bit, i) => (bits[bit] === '1' ? 1 : 0) === Math.floor(condition.value / 2 ** i) % 2,
  );
}

function misread(
  part: Part,
  bit: number,
  { p1Given0, p0Given1 }: { readonly p1Given0: number; readonly p0Given1: number },
): readonly Part[] {
  const digit = part.bits[bit];
  if (digit === '2') return [part];
  const chance = digit === '1' ? p0Given1 : p1Given0;
  const flipped = withBit(scaled(part, chance), bit, digit === '1' ? 0 : 1);
  return [scaled(part, 1 - chance), flipped];
}

/** The label of an outcome of a lowered circuit, from that of all its bits, the highest bit first. */
export function labelWithLoss(label: string, lossMarks: readonly number[]): string {
  const bits = [...label].reverse();
  const numBits = bits.length - lossMarks.length;
  const digits = bits.slice(0, numBits);
  for (const [i, bit] of lossMarks.entries()) {
    if (bits[numBits + i] !== '1') continue;
    if (digits[bit] !== '0') throw new Error('A bit of a lost qubit reads 1.');
    digits[bit] = '2';
  }
  return digits.reverse().join('');
}
