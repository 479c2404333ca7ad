/**
 * Puts the noise of a model into a circuit, as operations: channels after gates and resets, before measurements and at
 * barriers, misread bits after measurements, and relaxation before operations that a qubit waits for.
 *
 * The circuit is as the caller wrote it, before any pass, and has its final measurement. Noise of a conditional
 * operation has its condition.
 */
import {
  type AssignOperation,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  type MeasureOperation,
  type MisreadOperation,
  type NoiseOperation,
  notByStabilizers,
  operationQubits,
  type Qubit,
  type ResetOperation,
  type UnitaryOperation,
} from '../circuit.ts';
import { DEFAULT_MAX_ROUNDS } from '../circuit-limits.ts';
import { type BitDiagram, FALSE_NODE, TRUE_NODE } from '../classical-expression.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../errors.ts';
import { LAYER_END, namesOfGate } from './gate-pattern.ts';
import { IdleClock } from './idle-clock.ts';
import type { NoiseModel } from './read-noise-model.ts';

/** Operations that the noise of a model may add to a circuit. */
const MAX_NOISE_OPERATIONS = 2_000_000;

/**
 * Returns the circuit with the noise of a model. A model without noise returns the circuit itself.
 *
 * Faults are reported where a channel has no form for the number of qubits of a gate, and where the noise would be too
 * many operations; the circuit is then of no use.
 *
 * @param circuit - With its final measurement, whose errors it should have.
 * @param path - Path of the model in messages.
 */
export function applyNoise(
  circuit: DynamicCircuit,
  model: NoiseModel,
  faults: FaultList,
  path = 'noise',
): DynamicCircuit {
  return new NoiseWriter(circuit, model, faults, path).write();
}

/** Probabilities that the two values of a bit are misread. */
export interface Confusion {
  readonly p1Given0: number;
  readonly p0Given1: number;
}

/** Errors of a qubit's readout by all rules of a model, one after the other. */
export function readoutErrorsOf({ readout }: NoiseModel, qubit: Qubit): Confusion {
  const matching = readout.filter(({ qubits }) => qubits?.has(qubit) ?? true);
  return matching.reduce<Confusion>(
    (first, then) => ({
      p1Given0: first.p1Given0 * (1 - then.p0Given1) + (1 - first.p1Given0) * then.p1Given0,
      p0Given1: first.p0Given1 * (1 - then.p1Given0) + (1 - first.p0Given1) * then.p0Given1,
    }),
    { p1Given0: 0, p0Given1: 0 },
  );
}

const roleOf = (operation: DynamicOperation) => ('role' in operation ? operation.role : undefined);

/** Whether noise follows a gate itself, and not the gate that it opens or closes. */
const hasOwnNoise = ({ role }: GateOperation | UnitaryOperation): boolean =>
  role === undefined || role === 'choice';

class NoiseWriter {
  readonly #circuit: DynamicCircuit;
  readonly #model: NoiseModel;
  readonly #faults: FaultList;
  readonly #path: string;
  readonly #clock: IdleClock | undefined;
  /** Noise after each gate by its name and operands; conditions are added later. */
  readonly #afterGate = new Map<string, readonly NoiseOperation[]>();
  readonly #confusions = new Map<Qubit, Confusion>();
  /** Rules by name, and by name and operands, in the order of the model. */
  readonly #rules = new Map<string, number[]>();
  #storesConditions = false;
  #numAdded = 0;

  constructor(circuit: DynamicCircuit, model: NoiseModel, faults: FaultList, path: string) {
    this.#circuit = circuit;
    this.#model = model;
    this.#faults = faults;
    this.#path = path;
    this.#clock =
      model.idle.length === 0 ? undefined : new IdleClock(circuit.numQubits, model.idle);
    for (const [i, { names, operands }] of model.gates.entries()) {
      for (const name of names) {
        const keys =
          operands === undefined ? [name] : [...operands].map((list) => `${name} ${list}`);
        for (const key of keys) {
          const others = this.#rules.get(key);
          if (others === undefined) this.#rules.set(key, [i]);
          else others.push(i);
        }
      }
    }
  }

  write(): DynamicCircuit {
    const operations = this.#body(this.#circuit.operations);
    if (this.#numAdded === 0) return this.#circuit;
    const { control } = this.#circuit;
    if (!this.#storesConditions) return { ...this.#circuit, operations };
    const { numScratchBits, maxRounds } = control ?? {
      numScratchBits: 0,
      maxRounds: DEFAULT_MAX_ROUNDS,
    };
    return {
      ...this.#circuit,
      control: { numScratchBits: numScratchBits + 1, maxRounds },
      operations,
    };
  }

  #body(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
    const written: DynamicOperation[] = [];
    /** Noise of a gate whose closing operations may follow. */
    let held: readonly NoiseOperation[] = [];
    const release = () => {
      // A call takes some 100,000 arguments, and a model may have more entries.
      for (const noise of held) written.push(noise);
      held = [];
    };
    for (const operation of operations) {
      if (this.#numAdded > MAX_NOISE_OPERATIONS) break;
      if (roleOf(operation) !== 'closing') release();
      const waits = this.#clock?.before(operation) ?? [];
      this.#numAdded += waits.length;
      for (const wait of waits) written.push(wait);
      switch (operation.kind) {
        case 'gate':
        case 'unitary':
          written.push(operation);
          if (hasOwnNoise(operation)) held = this.#gateNoise(operation);
          break;
        case 'measure':
          for (const noise of this.#noiseOnEach('M', operation)) written.push(noise);
          for (const part of this.#misread(operation)) written.push(part);
          break;
        case 'while': {
          const body = this.#body(operation.body);
          const rests = this.#clock?.endRound() ?? [];
          this.#numAdded += rests.length;
          written.push({ ...operation, body: [...body, ...rests] });
          break;
        }
        case 'reset':
          written.push(operation);
          for (const noise of this.#noiseOnEach('RESET', operation)) written.push(noise);
          break;
        case 'barrier':
          written.push(operation);
          if (operation.duration !== undefined) break;
          for (const noise of this.#layerNoise(operation.qubits)) written.push(noise);
          break;
        case 'initialize':
        case 'save':
        case 'assign':
        case 'noise':
        case 'misread':
          written.push(operation);
          break;
        case 'track':
        case 'repeat':
          throw notByStabilizers(operation);
      }
    }
    release();
    if (this.#numAdded > MAX_NOISE_OPERATIONS) this.#reportSize();
    return written;
  }

  #reportSize(): void {
    // An inner body may have reported it.
    if (this.#faults.kept.some(({ code }) => code === LIMIT_EXCEEDED)) return;
    const limit = `the limit is ${MAX_NOISE_OPERATIONS}`;
    const message = `The model adds too many channels to this circuit; ${limit}.`;
    this.#faults.add(this.#path, message, LIMIT_EXCEEDED);
  }

  #gateNoise(operation: GateOperation | UnitaryOperation): readonly NoiseOperation[] {
    const qubits = operationQubits(operation);
    const name = operation.kind === 'gate' ? operation.gate : '';
    const key = `${name} ${operation.controls.length} ${qubits.join()}`;
    let noise = this.#afterGate.get(key);
    if (noise === undefined) {
      noise = this.#channelsAfter(operation, qubits);
      this.#afterGate.set(key, noise);
    }
    this.#numAdded += noise.length;
    const { condition } = operation;
    return condition === undefined ? noise : noise.map((each) => ({ ...each, condition }));
  }

  #channelsAfter(
    operation: GateOperation | UnitaryOperation,
    qubits: readonly Qubit[],
  ): readonly NoiseOperation[] {
    const operands = qubits.join();
    const matching = namesOfGate(operation)
      .flatMap((name) => [name, `${name} ${operands}`])
      .flatMap((key) => this.#rules.get(key) ?? []);
    return this.#channelsOf(matching, qubits);
  }

  /** Channels of rules, each applied once and in the order of the model: on all of the qubits, or on each. */
  #channelsOf(rules: readonly number[], qubits: readonly Qubit[]): readonly NoiseOperation[] {
    return [...new Set(rules)]
      .toSorted((a, b) => a - b)
      .flatMap((rule): readonly NoiseOperation[] => {
        const channel = this.#model.gates[rule]!.channelFor(qubits.length, this.#faults);
        if (channel === undefined) return [];
        if (channel.numQubits === qubits.length) return [{ kind: 'noise', qubits, channel }];
        return qubits.map((qubit) => ({ kind: 'noise', qubits: [qubit], channel }));
      });
  }

  /** Channels of a measurement or reset, each on one qubit. */
  #noiseOnEach(
    name: 'M' | 'RESET',
    { qubits, condition }: MeasureOperation | ResetOperation,
  ): readonly NoiseOperation[] {
    const noise = qubits.flatMap((qubit) => {
      const rules = [name, `${name} ${qubit}`].flatMap((key) => this.#rules.get(key) ?? []);
      return this.#channelsOf(rules, [qubit]);
    });
    this.#numAdded += noise.length;
    return condition === undefined ? noise : noise.map((each) => ({ ...each, condition }));
  }

  /** Channels of the layer that a barrier ends, in the order of the model: on listed qubits, or on each of its own. */
  #layerNoise(qubits: readonly Qubit[]): readonly NoiseOperation[] {
    const own = new Set(qubits);
    const noise = this.#model.gates.flatMap(({ names, operands }, rule) => {
      if (!names.has(LAYER_END)) return [];
      const lists =
        operands === undefined
          ? qubits.map((qubit) => [qubit])
          : [...operands].map((list) => list.split(',').map(Number));
      return lists
        .filter((list) => list.every((qubit) => own.has(qubit)))
        .flatMap((list) => this.#channelsOf([rule], list));
    });
    this.#numAdded += noise.length;
    return noise;
  }

  /** A measurement and its readout errors. */
  #misread(measurement: MeasureOperation): readonly DynamicOperation[] {
    const { qubits, bits } = measurement;
    /** Bits by their errors, which most share. */
    const groups = new Map<string, MisreadOperation>();
    for (const [i, qubit] of qubits.entries()) {
      const { p1Given0, p0Given1 } = this.#confusionOf(qubit);
      if (p1Given0 === 0 && p0Given1 === 0) continue;
      const key = `${p1Given0} ${p0Given1}`;
      const others = groups.get(key)?.bits ?? [];
      groups.set(key, { kind: 'misread', bits: [...others, bits[i]!], p1Given0, p0Given1 });
    }
    this.#numAdded += groups.size;
    const { condition } = measurement;
    if (groups.size === 0 || condition === undefined) return [measurement, ...groups.values()];
    if (!condition.bits.some((bit) => bits.includes(bit))) {
      return [measurement, ...[...groups.values()].map((each) => ({ ...each, condition }))];
    }
    // The measurement overwrites bits that its own condition reads, so the condition is kept in a bit.
    const { stored, isStored } = this.#storedCondition(condition);
    const kept = [...groups.values()].map((each) => ({ ...each, condition: isStored }));
    return [stored, measurement, ...kept];
  }

  #confusionOf(qubit: Qubit): Confusion {
    let found = this.#confusions.get(qubit);
    if (found === undefined) {
      found = readoutErrorsOf(this.#model, qubit);
      this.#confusions.set(qubit, found);
    }
    return found;
  }

  #storedCondition({ bits, value }: Condition): {
    readonly stored: AssignOperation;
    readonly isStored: Condition;
  } {
    this.#storesConditions = true;
    const { numBits, control } = this.#circuit;
    const scratch = numBits + (control?.numScratchBits ?? 0);
    let next = TRUE_NODE;
    const nodes = bits.map((bit, i): readonly [number, number, number] => {
      const isSet = Math.floor(value / 2 ** i) % 2 === 1;
      const node = isSet ? ([bit, FALSE_NODE, next] as const) : ([bit, next, FALSE_NODE] as const);
      next = i;
      return node;
    });
    const diagram: BitDiagram = { nodes };
    return {
      stored: {
        kind: 'assign',
        bits: [scratch],
        value: { kind: 'read', bits: [diagram], encoding: 'uint', type: 'uint' },
      },
      isStored: { bits: [scratch], value: 1 },
    };
  }
}
