/**
 * Replaces the loss of qubits by operations on classical bits, which all methods have.
 *
 * A bit of its own holds whether a qubit is lost. A loss is a misreading of this bit, which makes a 0 a 1. Gates and
 * noise on several qubits then have the condition that it reads 0, so that a lost qubit meets no other one any more:
 * what is left of it does not matter, as if it had been traced out. A reset sets the bit to 0. A measurement copies the bit
 * beside its outcome, as its mark, and the outcome of a lost qubit is 0.
 *
 * The alternative, a channel with an ancilla as for Stim's heralds, needs one more qubit in every state.
 */
import {
  allOperations,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  type MeasureOperation,
  type NoiseOperation,
  notByStabilizers,
  operationQubits,
  type Qubit,
  type ResetOperation,
  type UnitaryOperation,
  type WhileOperation,
} from '../circuit.ts';
import { type Bit, type BitDiagram, bitsRead } from '../classical-expression.ts';
import type { Channel } from '../noise/channel.ts';
import { depolarizing } from '../noise/named-channels.ts';
import { anyOf, assignment, LossBits, under, unlessMarked } from './loss-bits.ts';
import { hasLoss } from './loss-facts.ts';
import { DEGRADED, type LossRule, ruleOf } from './loss-rule.ts';

/** Leaves nothing of a qubit's state. */
const FULLY_DEPOLARIZING: Channel = depolarizing(1, 3 / 4)!;

/** A gate on a qubit, lost or not, where a bit reads 1. */
const rotation = (
  gate: string,
  qubit: Qubit,
  bit: Bit,
  angles: readonly number[] = [],
): GateOperation => ({
  kind: 'gate',
  gate,
  controls: [],
  targets: [qubit],
  angles,
  condition: { bits: [bit], value: 1 },
});

/** How losses are lowered. */
export interface LossOptions {
  /** For gates on several qubits. */
  readonly rules: readonly LossRule[];
  /** Whether the state itself is read, and not outcomes alone. A lost qubit is then fully mixed. */
  readonly readsState: boolean;
}

/**
 * The circuit without losses, as operations on bits; itself if it has none.
 *
 * @param circuit - With its final measurement and its noise, before any pass.
 * @returns A circuit with `lossMarks`, whose outcomes have as many bits more.
 */
export function lowerLoss(circuit: DynamicCircuit, options: LossOptions): DynamicCircuit {
  return hasLoss(circuit) ? new LossWriter(circuit, options).write() : circuit;
}

class LossWriter {
  readonly #circuit: DynamicCircuit;
  readonly #options: LossOptions;
  readonly #bits: LossBits;
  /** Qubits that may be lost at this place; of all others the bit is 0. */
  readonly #mayBeLost = new Set<Qubit>();
  /** Measured bits that may still read 1 where they are marked. */
  readonly #unmasked = new Set<Bit>();
  #written: DynamicOperation[] = [];

  constructor(circuit: DynamicCircuit, options: LossOptions) {
    this.#circuit = circuit;
    this.#options = options;
    this.#bits = new LossBits(circuit);
  }

  write(): DynamicCircuit {
    return this.#bits.circuitOf(this.#body(this.#circuit.operations));
  }

  #body(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
    const outer = this.#written;
    this.#written = [];
    for (const operation of operations) this.#add(operation);
    this.#maskAll();
    const written = this.#written;
    this.#written = outer;
    return written;
  }

  #add(operation: DynamicOperation): void {
    if (this.#readsUnmasked(operation)) this.#maskAll();
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        break;
      case 'noise':
        this.#addNoise(operation);
        break;
      case 'measure':
        this.#addMeasurement(operation);
        break;
      case 'reset':
        this.#addReset(operation);
        break;
      case 'while':
        this.#addLoop(operation);
        break;
      case 'assign':
        this.#assign(this.#clearedMarks(operation.bits), operation.condition);
        this.#written.push(operation);
        break;
      case 'misread':
        this.#written.push(operation);
        for (const bit of operation.bits) if (this.#bits.hasMark(bit)) this.#unmasked.add(bit);
        break;
      case 'track':
      case 'repeat':
        throw notByStabilizers(operation);
      case 'initialize':
      case 'save':
      case 'barrier':
        this.#written.push(operation);
    }
  }

  #assign(
    parts: readonly (readonly [Bit, BitDiagram])[],
    condition: Condition | undefined = undefined,
  ): void {
    this.#written.push(...assignment(parts, condition));
  }

  #lostOf(qubits: readonly Qubit[]): readonly Qubit[] {
    return this.#mayBeLost.size === 0 ? [] : qubits.filter((qubit) => this.#mayBeLost.has(qubit));
  }

  /** The condition of an operation, and that none of its qubits is lost. */
  #present(
    condition: Condition | undefined,
    qubits: readonly Qubit[],
  ): { readonly condition?: Condition } {
    const lost = this.#lostOf(qubits);
    if (lost.length === 0) return under(condition);
    const { bits = [], value = 0 } = condition ?? {};
    return {
      condition: { bits: [...bits, ...lost.map((qubit) => this.#bits.lost(qubit))], value },
    };
  }

  #addGate(operation: GateOperation | UnitaryOperation): void {
    const { condition } = operation;
    const qubits = operationQubits(operation);
    const lost = this.#lostOf(qubits);
    // A gate on a lost qubit alone changes nothing: the qubit meets no other one, and stays fully mixed.
    if (lost.length === 0 || qubits.length === 1) {
      this.#written.push(operation);
      return;
    }
    const rule = ruleOf(this.#options.rules, operation);
    if (rule === 'exchange') {
      this.#written.push(operation);
      const [a, b] = qubits.map((qubit) => this.#bits.lost(qubit)) as [Bit, Bit];
      this.#assign(
        [
          [a, b],
          [b, a],
        ],
        condition,
      );
      for (const qubit of qubits) this.#mayBeLost.add(qubit);
      return;
    }
    this.#written.push({ ...operation, ...this.#present(condition, qubits) });
    switch (rule) {
      case 'skip':
        break;
      case 'propagate': {
        const any = anyOf(lost.map((qubit) => this.#bits.lost(qubit)));
        this.#assign(
          qubits.map((qubit) => [this.#bits.lost(qubit), any]),
          condition,
        );
        for (const qubit of qubits) this.#setLost(qubit);
        break;
      }
      case 'depolarize':
        this.#toPartners(qubits, lost, condition, (qubit, bit) => this.#depolarize(qubit, bit));
        break;
      case 'residual_s_dagger':
        this.#toPartners(qubits, lost, condition, (qubit, bit) =>
          this.#written.push(rotation('SDG', qubit, bit)),
        );
        break;
      case 'degrade': {
        const gate = operation.kind === 'gate' ? DEGRADED.get(operation.gate) : undefined;
        if (operation.kind !== 'gate' || gate === undefined) {
          throw new Error('unreachable: a rule of other gates');
        }
        this.#toPartners(qubits, lost, condition, (qubit, bit) =>
          this.#written.push(rotation(gate, qubit, bit, operation.angles)),
        );
        break;
      }
    }
  }

  /** Notes that a qubit may be lost from here on, and mixes it if its state may be read. */
  #setLost(qubit: Qubit): void {
    this.#mayBeLost.add(qubit);
    if (this.#options.readsState) this.#depolarize(qubit, this.#bits.lost(qubit));
  }

  /** @param bit - Reads 1 where it happens. */
  #depolarize(qubit: Qubit, bit: Bit): void {
    this.#written.push({
      kind: 'noise',
      qubits: [qubit],
      channel: FULLY_DEPOLARIZING,
      condition: { bits: [bit], value: 1 },
    });
  }

  /** Writes something for each qubit of a gate under a bit that reads 1 if another one of them is lost. */
  #toPartners(
    qubits: readonly Qubit[],
    lost: readonly Qubit[],
    condition: Condition | undefined,
    write: (qubit: Qubit, bit: Bit) => void,
  ): void {
    for (const qubit of qubits) {
      const others = lost.filter((other) => other !== qubit).map((other) => this.#bits.lost(other));
      if (others.length === 0) continue;
      const happens = this.#bits.scratch();
      // The condition may have as many bits as a value has room for, so it is stored by an assignment.
      if (condition !== undefined) this.#assign([[happens, false]]);
      this.#assign([[happens, anyOf(others)]], condition);
      write(qubit, happens);
    }
  }

  /** Noise on several qubits of which one is lost is left out: that is no gate that they did together. */
  #addNoise(operation: NoiseOperation): void {
    const { channel, qubits, condition } = operation;
    if (channel.kind !== 'loss') {
      // On one qubit it does not matter either, unless it is read: noise need not leave it fully mixed.
      const isFree = qubits.length === 1 && !this.#options.readsState;
      this.#written.push({ ...operation, ...(!isFree && this.#present(condition, qubits)) });
      return;
    }
    for (const qubit of qubits) {
      this.#written.push({
        kind: 'misread',
        bits: [this.#bits.lost(qubit)],
        p1Given0: channel.probability,
        p0Given1: 0,
        ...under(condition),
      });
      this.#setLost(qubit);
    }
  }

  #addMeasurement(operation: MeasureOperation): void {
    const { qubits, bits, condition } = operation;
    const lost = (i: number): BitDiagram => {
      const qubit = qubits[i]!;
      return this.#mayBeLost.has(qubit) && this.#bits.lost(qubit);
    };
    if (operation.readsLoss) {
      this.#assign(this.#clearedMarks(bits), condition);
      this.#assign(
        bits.map((bit, i) => [bit, lost(i)]),
        condition,
      );
      return;
    }
    const marked = [...bits.keys()].filter(
      (i) => lost(i) !== false || this.#bits.hasMark(bits[i]!),
    );
    // Before the measurement, which may overwrite bits that its condition reads.
    this.#assign(
      marked.map((i) => [this.#bits.mark(bits[i]!), lost(i)]),
      condition,
    );
    this.#written.push(operation);
    for (const i of marked) this.#unmasked.add(bits[i]!);
  }

  #clearedMarks(bits: readonly Bit[]): readonly (readonly [Bit, BitDiagram])[] {
    return bits
      .filter((bit) => this.#bits.hasMark(bit))
      .map((bit) => [this.#bits.mark(bit), false]);
  }

  #readsUnmasked(operation: DynamicOperation): boolean {
    if (this.#unmasked.size === 0 || operation.kind === 'barrier') return false;
    if (operation.kind === 'while') return true;
    const isUnmasked = (bit: Bit) => this.#unmasked.has(bit);
    if (operation.condition?.bits.some(isUnmasked)) return true;
    if (operation.kind !== 'assign') return false;
    return operation.bits.some(isUnmasked) || [...bitsRead(operation.value)].some(isUnmasked);
  }

  /** Sets marked bits to 0. That waits until bits are read, so that misreadings of a measured bit come before. */
  #maskAll(): void {
    const bits = [...this.#unmasked];
    this.#unmasked.clear();
    this.#assign(bits.map((bit) => [bit, unlessMarked(bit, this.#bits.mark(bit))]));
  }

  #addReset(operation: ResetOperation): void {
    this.#written.push(operation);
    const { condition } = operation;
    const loaded = this.#lostOf(operation.qubits);
    this.#assign(
      loaded.map((qubit) => [this.#bits.lost(qubit), false]),
      condition,
    );
    if (condition === undefined) for (const qubit of loaded) this.#mayBeLost.delete(qubit);
  }

  /** A qubit that is lost in one round is lost in the next ones. */
  #addLoop({ condition, body }: WhileOperation): void {
    const inner = allOperations(body);
    for (const operation of inner) {
      const isLoss = operation.kind === 'noise' && operation.channel.kind === 'loss';
      const mayPass = operation.kind === 'gate' || operation.kind === 'unitary';
      if (!isLoss && !(mayPass && this.#options.rules.length > 0)) continue;
      for (const qubit of operationQubits(operation)) this.#mayBeLost.add(qubit);
    }
    for (const operation of inner) {
      if (operation.kind !== 'measure' || operation.readsLoss) continue;
      for (const [i, bit] of operation.bits.entries()) {
        if (this.#mayBeLost.has(operation.qubits[i]!)) this.#bits.mark(bit);
      }
    }
    const before = [...this.#mayBeLost];
    const written = this.#body(body);
    for (const qubit of before) this.#mayBeLost.add(qubit);
    this.#written.push({ kind: 'while', condition, body: written });
  }
}
