/**
 * Functions of QIR that a program calls: gates, measurements and the runtime. Names are those of the specification, of
 * the Azure Quantum Development Kit, PyQIR and pytket.
 */
import { didYouMean } from '../../errors/nearest-names.ts';
import type { Qubit } from '../circuit.ts';
import { MAX_CLASSICAL_BITS } from '../circuit-limits.ts';
import { FLOAT_BITS } from '../classical-expression.ts';
import { gateNamed } from '../gates.ts';
import { ALWAYS, type BitFunction, NEVER } from '../openqasm/decision-diagram.ts';
import { always, type Cases, type Row, rowOf, type Value } from './classical-values.ts';
import { type Address, asAddress, asDouble } from './known-values.ts';
import type { TypedOperand } from './llvm-module.ts';
import { GATES, type GateStep } from './qir-gates.ts';
import type { QirState } from './qir-state.ts';
import type { RecordedOutput } from './recorded-output.ts';

const PREFIX = '__quantum__qis__';

/** Functions that mean nothing for a run, with what they begin with. */
const IGNORED = [
  '__quantum__rt__initialize',
  '__quantum__rt__result_update_reference_count',
  '__quantum__rt__message',
  'llvm.dbg.',
  'llvm.lifetime.',
  'llvm.assume',
];

const bitsOfDouble = (value: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0);
};

/** A function with the number of arguments that it needs; a label may follow. */
type KnownFunction = readonly [
  numArguments: number,
  run: (args: readonly TypedOperand[]) => Value | undefined,
];

/** Calls functions that have no body. */
export class QirFunctions {
  readonly #state: QirState;
  readonly #numStatic: number;
  #numDynamic = 0;
  readonly #free: Address[] = [];
  #numResults = 0;
  readonly recorded: RecordedOutput[] = [];
  readonly outcome: BitFunction[] = [];
  readonly #known: ReadonlyMap<string, KnownFunction>;

  /** @param numStatic - Qubits that the program says it needs. */
  constructor(state: QirState, numStatic: number) {
    this.#state = state;
    this.#numStatic = numStatic;
    const row = (bit: BitFunction): Row => ({ kind: 'row', bits: [bit] });
    const read = ([result]: readonly TypedOperand[]) => row(this.#read(state.cases(result!)));
    const recorder = (
      type: RecordedOutput['type'],
      bitsOf: (value: TypedOperand) => readonly BitFunction[],
    ): [string, KnownFunction] => [
      `__quantum__rt__${type}_record_output`,
      [1, ([value, label]) => this.#record(type, label, () => bitsOf(value!))],
    ];
    const measure = (resets: boolean) => (args: readonly TypedOperand[]) =>
      this.#measure(args, resets);
    this.#known = new Map<string, KnownFunction>([
      ['__quantum__qis__m__body', [1, measure(false)]],
      ['__quantum__qis__mz__body', [1, measure(false)]],
      ['__quantum__qis__mresetz__body', [1, measure(true)]],
      ['__quantum__qis__reset__body', [1, ([qubit]) => this.#reset(qubit!)]],
      ['__quantum__qis__read_result__body', [1, read]],
      ['__quantum__rt__read_result', [1, read]],
      [
        '__quantum__rt__write_result',
        [2, ([value, result]) => this.#write(state.row(value!), state.cases(result!), state.holds)],
      ],
      ['__quantum__rt__result_get_zero', [0, () => always({ base: 'zero', index: 0 })]],
      ['__quantum__rt__result_get_one', [0, () => always({ base: 'one', index: 0 })]],
      [
        '__quantum__rt__result_equal',
        [
          2,
          ([left, right]) => {
            const [a, b] = [this.#read(state.cases(left!)), this.#read(state.cases(right!))];
            const { diagrams } = state.circuit;
            return row(diagrams.not(diagrams.xor(a, b)));
          },
        ],
      ],
      ['__quantum__rt__qubit_allocate', [0, () => this.#allocate()]],
      ['__quantum__rt__qubit_release', [1, ([qubit]) => this.#release(qubit!)]],
      ['__quantum__rt__tuple_record_output', [1, (args) => this.#recordSize('tuple', args)]],
      ['__quantum__rt__array_record_output', [1, (args) => this.#recordSize('array', args)]],
      recorder('result', (value) => [this.#read(state.cases(value))]),
      recorder('bool', (value) => state.row(value).bits),
      recorder('int', (value) => state.row(value).bits),
      recorder('double', (value) => {
        const width = FLOAT_BITS;
        return state.arithmetic.rowOfCases(state.cases(value), width, bitsOfDouble).bits;
      }),
    ]);
  }

  /** Calls a function where the current instruction runs. */
  call(name: string, args: readonly TypedOperand[]): Value | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) {
      const [numArguments, run] = known;
      if (args.length < numArguments) {
        throw this.#state.fault(`@${name} takes ${numArguments} arguments, not ${args.length}.`);
      }
      return run(args);
    }
    if (IGNORED.some((start) => name.startsWith(start))) return undefined;
    if (/^__quantum__qis__(?:barrier|group|order)\d*__body$/.test(name)) {
      this.#barrier(args);
      return undefined;
    }
    const [, gate = '', form = ''] = /^__quantum__qis__(\w+?)(?:__(body|adj))?$/.exec(name) ?? [];
    if (gate === 'rxxyyzz' && form === 'body') {
      const [x, y, z, ...qubits] = args;
      for (const [each, angle] of [
        ['RXX', x],
        ['RYY', y],
        ['RZZ', z],
      ] as const) {
        this.#gate(
          name,
          [each],
          false,
          [angle!, ...qubits].filter((one) => one !== undefined),
        );
      }
      return undefined;
    }
    const step = form === '' ? undefined : GATES.get(gate);
    if (step !== undefined) {
      this.#gate(name, step, form === 'adj', args);
      return undefined;
    }
    const names = [
      ...this.#known.keys(),
      ...[...GATES.keys()].map((each) => `${PREFIX}${each}__body`),
    ];
    throw this.#state.fault(`@${name} is not supported.${didYouMean(name, names)}`);
  }

  /** The results of a program that records nothing, by number; those that it does not measure are 0. */
  results(): readonly BitFunction[] {
    const bits: BitFunction[] = [];
    for (const [key, value] of this.#state.values) {
      if (!key.startsWith('#') || value.kind !== 'row') continue;
      const number = Number(key.slice(1));
      if (number >= MAX_CLASSICAL_BITS) {
        throw this.#state.fault(`result ${number}; the limit is ${MAX_CLASSICAL_BITS} results.`);
      }
      bits[number] = value.bits[0]!;
    }
    return Array.from(bits, (bit) => bit ?? NEVER);
  }

  #gate(
    name: string,
    [gate, ...fixed]: GateStep,
    isInverse: boolean,
    args: readonly TypedOperand[],
  ): void {
    const { circuit, arithmetic, holds: here } = this.#state;
    const definition = gateNamed(gate);
    const numAngles = fixed.length > 0 ? 0 : definition.parameters.length;
    const numQubits = definition.numControls + definition.numTargets;
    if (args.length !== numAngles + numQubits) {
      const needs = `${numAngles} angles and ${numQubits} qubits`;
      throw this.#state.fault(`@${name} takes ${needs}, not ${args.length} arguments.`);
    }
    const values = args.map((one) => this.#state.cases(one));
    for (const { holds, given } of arithmetic.combinations(values)) {
      const where = circuit.diagrams.and(here, holds);
      if (where === NEVER) continue;
      const angles = [...fixed, ...given.slice(0, numAngles).map(asDouble)];
      const bad = angles.find((angle) => !Number.isFinite(angle));
      if (bad !== undefined) throw this.#state.fault(`an angle is ${bad}; it has to be finite.`);
      const qubits = given.slice(numAngles).map((one) => this.#qubit(one));
      if (new Set(qubits).size < qubits.length) {
        throw this.#state.fault(`@${name} acts on distinct qubits, not on ${qubits.join(', ')}.`);
      }
      const targets = qubits.slice(definition.numControls);
      const inverse = isInverse ? definition.inverse(angles) : { gate, angles };
      circuit.pushWhere(where, {
        kind: 'gate',
        gate: inverse.gate,
        controls: qubits.slice(0, definition.numControls),
        targets: inverse.targetOrder?.map((place) => targets[place]!) ?? targets,
        angles: inverse.angles,
      });
    }
  }

  /** Number of a qubit in the circuit. */
  #qubit(value: number | Address): Qubit {
    const { base, index } = asAddress(value);
    const { circuit } = this.#state;
    if (base === 'qubit') return circuit.useQubit(this.#numStatic + index);
    if (base !== '') throw this.#state.fault('a qubit is needed here.');
    if (this.#numDynamic > 0 && index >= this.#numStatic) {
      throw this.#state.fault(
        `qubit ${index} is not one of the ${this.#numStatic} of required_num_qubits, in a program that allocates others.`,
      );
    }
    return circuit.useQubit(index);
  }

  #barrier(args: readonly TypedOperand[]): void {
    const { circuit } = this.#state;
    const named = args.map((one) => this.#qubit(this.#state.address(one)));
    const all = Array.from({ length: circuit.numQubits }, (_, qubit) => qubit);
    const qubits = args.length > 0 ? [...new Set(named)] : all;
    if (qubits.length > 0) circuit.push({ kind: 'barrier', qubits });
  }

  #measure([qubit, result]: readonly TypedOperand[], resets: boolean): Value | undefined {
    const { circuit, holds: here } = this.#state;
    const to =
      result === undefined
        ? always<Address>({ base: 'result', index: this.#numResults++ })
        : this.#state.cases(result);
    for (const { holds, given } of this.#state.arithmetic.combinations([
      this.#state.cases(qubit!),
      to,
    ])) {
      const where = circuit.diagrams.and(here, holds);
      if (where === NEVER) continue;
      const qubits = [this.#qubit(given[0]!)];
      const bits = circuit.newBits(1);
      circuit.pushWhere(where, { kind: 'measure', qubits, bits });
      if (resets) circuit.pushWhere(where, { kind: 'reset', qubits });
      const measured: Row = { kind: 'row', bits: [circuit.diagrams.bit(bits[0]!)] };
      this.#write(measured, always(asAddress(given[1]!)), where);
    }
    return result === undefined ? to : undefined;
  }

  #write(value: Row, { cases }: Cases, where: BitFunction): undefined {
    const { diagrams } = this.#state.circuit;
    for (const { holds, value: to } of cases) {
      const key = this.#resultKey(asAddress(to));
      if (!this.#state.values.has(key)) this.#state.values.set(key, rowOf(0n, 1));
      this.#state.set(key, value, diagrams.and(where, holds));
    }
  }

  #resultKey({ base, index }: Address): string {
    if (base === '' || base === 'result') return `${base}#${index}`;
    throw this.#state.fault('a result is needed here.');
  }

  /** Where a result is One. */
  #read({ cases }: Cases): BitFunction {
    const { diagrams } = this.#state.circuit;
    let one: BitFunction = NEVER;
    for (const { holds, value } of cases) {
      const address = asAddress(value);
      const isConstant = address.base === 'one' || address.base === 'zero';
      const found = isConstant ? undefined : this.#state.values.get(this.#resultKey(address));
      const bit = found?.kind === 'row' ? found.bits[0]! : address.base === 'one' ? ALWAYS : NEVER;
      one = diagrams.ifThenElse(holds, bit, one);
    }
    return this.#state.circuit.settled(one);
  }

  #reset(qubit: TypedOperand): undefined {
    const { circuit, holds: here } = this.#state;
    for (const { holds, value } of this.#state.cases(qubit).cases) {
      const where = circuit.diagrams.and(here, holds);
      if (where === NEVER) continue;
      circuit.pushWhere(where, { kind: 'reset', qubits: [this.#qubit(value)] });
    }
  }

  #allocate(): Value {
    const { circuit } = this.#state;
    if (circuit.isInLoop) {
      throw this.#state.fault('a qubit is allocated in a loop whose end depends on measurements.');
    }
    // A released qubit is used again where nothing else can have it.
    const free = this.#state.holds === ALWAYS ? this.#free.pop() : undefined;
    const address = free ?? { base: 'qubit', index: this.#numDynamic++ };
    const qubit = circuit.useQubit(this.#numStatic + address.index);
    if (free !== undefined) circuit.push({ kind: 'reset', qubits: [qubit] });
    return always(address);
  }

  #release(qubit: TypedOperand): undefined {
    const address = this.#state.address(qubit);
    if (address.base !== 'qubit') throw this.#state.fault('an allocated qubit is released.');
    if (this.#state.holds === ALWAYS && !this.#state.circuit.isInLoop) this.#free.push(address);
  }

  #recordSize(type: 'tuple' | 'array', [size, label]: readonly TypedOperand[]): undefined {
    const row = this.#state.row(size!);
    if (row.bits.some(({ kind }) => kind !== 'constant')) {
      throw this.#state.fault(
        `the size of ${type === 'array' ? 'an array' : 'a tuple'} depends on measurements.`,
      );
    }
    const value = row.bits.reduce((sum, bit, i) => sum + (bit === ALWAYS ? 2 ** i : 0), 0);
    return this.#record(type, label, () => [], value);
  }

  #record(
    type: RecordedOutput['type'],
    label: TypedOperand | undefined,
    read: () => readonly BitFunction[],
    size?: number,
  ): undefined {
    if (this.#state.holds !== ALWAYS || this.#state.circuit.isInLoop) {
      throw this.#state.fault('whether a value is recorded depends on measurements.');
    }
    const text = label === undefined ? '' : this.#state.text(label);
    const first = this.outcome.length;
    const functions = read();
    this.outcome.push(...functions);
    const place = size === undefined ? { bit: first, width: functions.length } : { size };
    this.recorded.push({ type, label: text, ...place });
  }
}
