/** Random circuits with every kind of operation and every field. They have the form of circuits, and need make no sense. */
import type {
  Condition,
  DynamicCircuit,
  DynamicOperation,
  Operation,
  StatementRole,
} from '../../src/circuit/circuit.ts';
import type { BitDiagram, ClassicalExpression } from '../../src/circuit/classical-expression.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { CHANNELS } from './noisy-circuits.ts';
import { randomUnitary, randomUse } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';
import { channelOf } from './textbook-channels.ts';

/** Kinds that a circuit may have beside gates. */
interface Kinds {
  /** Explicit matrices, noise, misreadings, assignments and loops. */
  readonly all: boolean;
}

/** A circuit: half of them narrow, half of up to 20,000 qubits and bits; half with scratch bits. */
export function randomWireCircuit(stream: RandomStream, { all }: Kinds): DynamicCircuit {
  const isWide = stream.below(2) === 0;
  const numQubits = isWide ? 300 + stream.below(19_700) : 5 + stream.below(4);
  const numBits = isWide ? 1 + stream.below(20_000) : stream.below(9);
  const hasScratch = stream.below(2) === 0;
  const numScratchBits = hasScratch ? 1 + stream.below(70) : 0;
  const numRegisterBits = Math.max(1, numBits + numScratchBits);
  const makers = new Makers(stream, Math.min(numQubits, 9), numQubits, numRegisterBits);
  return {
    numQubits,
    numBits,
    ...(hasScratch && { control: { numScratchBits, maxRounds: stream.below(2 ** 31) * 2 ** 20 } }),
    operations: makers.operations(stream.below(20), all, 2),
  };
}

class Makers {
  readonly #stream: RandomStream;
  readonly #numNear: number;
  readonly #numQubits: number;
  readonly #numBits: number;

  /** @param numNear - Operands of gates are among so many qubits at either end. */
  constructor(stream: RandomStream, numNear: number, numQubits: number, numBits: number) {
    this.#stream = stream;
    this.#numNear = numNear;
    this.#numQubits = numQubits;
    this.#numBits = numBits;
  }

  operations(count: number, all: boolean, depth: number): readonly DynamicOperation[] {
    return Array.from({ length: count }, () =>
      all && this.#stream.below(2) === 0 ? this.#dynamic(depth) : this.#plain(),
    );
  }

  #plain(): Operation {
    const stream = this.#stream;
    switch (stream.below(6)) {
      case 0:
        return { ...this.#measure(), ...this.#condition(), ...this.#role() };
      case 1:
        return { kind: 'reset', qubits: this.#qubits(), ...this.#condition(), ...this.#role() };
      case 2: {
        const duration = stream.pick([null, 0, 12.5, 1e-3, 1e12]);
        return {
          kind: 'barrier',
          qubits: this.#qubits(),
          ...(duration !== null && { duration }),
        };
      }
      default: {
        const use = randomUse(stream, stream.pick(GATES), this.#numNear);
        const [controls, targets] = [use.controls.map(this.#far), use.targets.map(this.#far)];
        const marks = { ...this.#verbatim(), ...this.#role() };
        return { ...use, controls, targets, ...marks, ...this.#condition() };
      }
    }
  }

  #dynamic(depth: number): DynamicOperation {
    const stream = this.#stream;
    switch (stream.below(5)) {
      case 0: {
        const numTargets = 1 + stream.below(3);
        const [first = 0, ...qubits] = stream
          .distinct(numTargets + 1, this.#numNear)
          .map(this.#far);
        const controls = stream.below(2) === 0 ? [first] : [];
        const matrix = randomUnitary(stream, numTargets);
        const unitary = { kind: 'unitary', controls, targets: qubits, matrix } as const;
        return { ...unitary, ...this.#verbatim(), ...this.#role(), ...this.#condition() };
      }
      case 1: {
        const channel = stream.pick(CHANNELS);
        const qubits = stream.distinct(channel.numQubits, this.#numNear).map(this.#far);
        return { kind: 'noise', qubits, channel: channelOf(channel), ...this.#condition() };
      }
      case 2: {
        const [p1Given0, p0Given1] = [stream.uniform(), stream.uniform()];
        return { kind: 'misread', bits: this.#bits(), p1Given0, p0Given1, ...this.#condition() };
      }
      case 3:
        return { kind: 'assign', bits: this.#bits(), value: this.#value(3), ...this.#condition() };
      default: {
        const body = depth === 0 ? [] : this.operations(stream.below(5), true, depth - 1);
        return { kind: 'while', condition: this.#someCondition(), body };
      }
    }
  }

  #measure() {
    const qubits = this.#qubits().slice(0, this.#numBits);
    return { kind: 'measure', qubits, bits: qubits.map(() => this.#bit()) } as const;
  }

  /** The qubits at both ends of the register. */
  readonly #far = (qubit: number): number =>
    this.#numQubits > 9 && qubit % 2 === 1 ? this.#numQubits - 1 - qubit : qubit;

  #qubits(): readonly number[] {
    const count = 1 + this.#stream.below(this.#numNear);
    return this.#stream.distinct(count, this.#numNear).map(this.#far);
  }

  #bit(): number {
    return this.#stream.below(this.#numBits);
  }

  #bits(): readonly number[] {
    return Array.from({ length: 1 + this.#stream.below(4) }, () => this.#bit());
  }

  #condition(): { readonly condition?: Condition } {
    return this.#stream.below(3) === 0 ? { condition: this.#someCondition() } : {};
  }

  #role(): { readonly role?: StatementRole } {
    if (this.#stream.below(3) > 0) return {};
    return { role: this.#stream.pick(['opening', 'closing', 'choice']) };
  }

  #someCondition(): Condition {
    const bits = Array.from({ length: 1 + this.#stream.below(53) }, () => this.#bit());
    return { bits, value: Math.floor(this.#stream.uniform() * 2 ** bits.length) };
  }

  #verbatim(): { readonly isVerbatim?: true } {
    return this.#stream.below(4) === 0 ? { isVerbatim: true } : {};
  }

  #diagram(): BitDiagram {
    const choices: readonly BitDiagram[] = [
      this.#bit(),
      this.#stream.below(2) === 0,
      {
        nodes: [
          [this.#bit(), -1, -2],
          [this.#bit(), 0, -2],
        ],
      },
    ];
    return this.#stream.pick(choices);
  }

  #value(depth: number): ClassicalExpression {
    const stream = this.#stream;
    const part = () => this.#value(depth - 1);
    const type = stream.pick(['int', 'uint', 'float', 'angle', 'bool'] as const);
    switch (stream.below(depth === 0 ? 2 : 5)) {
      case 0: {
        const width = stream.pick([null, 8, 20]);
        const value = stream.pick([0, -0, 1, -3.25, 2 ** 53 - 1, stream.angle()]);
        return { kind: 'scalar', type, value, ...(width !== null && { width }) };
      }
      case 1: {
        const encoding = stream.pick(['uint', 'int', 'float'] as const);
        return { kind: 'read', bits: [this.#diagram(), this.#diagram()], encoding, type };
      }
      case 2:
        return {
          kind: 'apply',
          operator: stream.pick(['+', '<<', 'rotl']),
          operands: [part(), part()],
        };
      case 3:
        return { kind: 'select', test: part(), whenTrue: part(), whenFalse: part() };
      default: {
        const width = stream.below(2) === 0 ? undefined : 4;
        return { kind: 'convert', type, width, isCast: stream.below(2) === 0, operand: part() };
      }
    }
  }
}
