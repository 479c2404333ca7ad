/** Circuits of the fuzzer: what a case holds, how it is written for the service, and what the oracle makes of it. */
import {
  type Channel,
  dagger,
  GATES,
  type Gate,
  identity,
  krausMatrices,
  type Matrix,
  product,
} from './matrices.ts';
import { type Branch, type Control, joined, measured, reset, State } from './state.ts';

/** An angle: a number, one computed from measured bits (OpenQASM alone), or one of an input. */
export type Angle =
  | number
  | { readonly offset: number; readonly bits: readonly (readonly [number, number])[] }
  | { readonly offset: number; readonly input: string; readonly scale: number };

/** Runs an operation only where these bits have this value. */
export interface Condition {
  readonly bits: readonly number[];
  readonly value: number;
  /** Bits of the input "flags" rather than measured ones; OpenQASM 3 alone. */
  readonly isInput?: boolean;
}

/** An operation of a case. */
export type Op = { readonly condition?: Condition | undefined } & (
  | {
      readonly op: 'gate';
      readonly gate: string;
      /** Controls of its own, then targets. */
      readonly qubits: readonly number[];
      readonly angles: readonly Angle[];
      /** Further controls; they stand before its own. */
      readonly extra: readonly Control[];
      /** `inv @`, or a whole power; OpenQASM 3 alone. */
      readonly modifier?: 'inv' | number;
    }
  | {
      readonly op: 'unitary';
      readonly matrix: Matrix;
      readonly qubits: readonly number[];
      readonly extra: readonly Control[];
    }
  | { readonly op: 'measure'; readonly qubits: readonly number[]; readonly bits: readonly number[] }
  | { readonly op: 'reset'; readonly qubits: readonly number[] }
  | { readonly op: 'barrier'; readonly qubits: readonly number[] }
  | { readonly op: 'noise'; readonly qubits: readonly number[]; readonly channel: Channel }
);

/** Width of the input "flags". */
export const FLAGS = 3;

/** A noise model as the service takes it. */
export interface NoiseModel {
  readonly gates?: readonly {
    readonly gates: readonly string[];
    readonly qubits?: readonly (readonly number[])[];
    readonly channel: Channel;
  }[];
  readonly readout?: readonly {
    readonly qubits?: readonly number[];
    readonly p1_given_0: number;
    readonly p0_given_1: number;
  }[];
  readonly idle?: readonly {
    readonly t1_us: number;
    readonly t2_us: number;
    readonly excited?: number;
    readonly durations_ns: Readonly<Record<string, number>>;
  }[];
}

/** A circuit, without what is asked of it. */
export interface Circuit {
  readonly form: 'json' | 'qasm2' | 'qasm3';
  readonly qubits: number;
  readonly ops: readonly Op[];
  readonly noise?: NoiseModel | undefined;
}

/** Numbers of the bits that a circuit writes: 0 to this. */
export function numBits({ ops }: Circuit): number {
  return Math.max(-1, ...ops.flatMap((op) => (op.op === 'measure' ? op.bits : []))) + 1;
}

/**
 * Whether a circuit has a measurement in the middle, a condition on measured bits, or a reset of a qubit in use: then its
 * state is mixed. A reset of a qubit that nothing has acted on does nothing.
 */
export function isDynamic({ ops }: Circuit): boolean {
  const touched = new Set<number>();
  const measuredQubits = new Set<number>();
  for (const op of ops) {
    if (op.op === 'barrier') continue;
    if (op.condition && !op.condition.isInput) return true;
    const isReset = op.op === 'reset';
    if (operands(op).some((q) => measuredQubits.has(q) || (isReset && touched.has(q)))) return true;
    for (const qubit of operands(op)) {
      if (op.op === 'measure') measuredQubits.add(qubit);
      else if (!isReset) touched.add(qubit);
    }
  }
  return false;
}

function operands(op: Op): readonly number[] {
  return 'extra' in op ? [...op.extra.map(({ qubit }) => qubit), ...op.qubits] : op.qubits;
}

// ---- Writing ----

function jsonOp(op: Op): object {
  const condition = op.condition && { condition: op.condition };
  if (op.op === 'measure') return { gate: 'M', qubits: op.qubits, bits: op.bits, ...condition };
  if (op.op === 'reset') return { gate: 'RESET', qubits: op.qubits, ...condition };
  if (op.op === 'barrier') return { gate: 'BARRIER', qubits: op.qubits };
  if (op.op === 'noise') {
    return { gate: 'NOISE', qubits: op.qubits, channel: op.channel, ...condition };
  }
  const extra = op.extra.map(({ qubit }) => qubit);
  if (op.op === 'unitary') {
    const controls = extra.length > 0 && { controls: extra };
    return { gate: 'UNITARY', qubits: op.qubits, matrix: op.matrix, ...controls, ...condition };
  }
  const { controls: own, angles } = gateOf(op.gate);
  const controls = [...extra, ...op.qubits.slice(0, own)];
  const targets = op.qubits.slice(own);
  const values = angles.map((name, i) => [name, op.angles[i]]);
  return {
    gate: op.gate,
    ...(controls.length > 0 && { controls }),
    ...(targets.length > 0 && { targets }),
    ...Object.fromEntries(values),
    ...condition,
  };
}

function angleText(angle: Angle): string {
  if (typeof angle === 'number') return String(angle);
  if ('input' in angle) return `${angle.scale} * ${angle.input} + ${angle.offset}`;
  const terms = angle.bits.map(([bit, factor]) => `${factor} * c[${bit}]`);
  return [...(angle.offset === 0 ? [] : [String(angle.offset)]), ...terms].join(' + ');
}

const named = (qubits: readonly number[]) => qubits.map((qubit) => `q[${qubit}]`).join(', ');

function qasmOp(op: Op, version: 2 | 3): string {
  if (op.condition) {
    const { bits, value, isInput } = op.condition;
    const from = isInput ? 'flags' : 'c';
    const tests = bits.map((bit, i) => `${(value >> i) & 1 ? '' : '!'}${from}[${bit}]`);
    return `if (${tests.join(' && ')}) { ${qasmOp({ ...op, condition: undefined }, version)} }`;
  }
  switch (op.op) {
    case 'measure':
      return op.qubits
        .map((qubit, i) => {
          const bit = `c[${op.bits[i]}]`;
          return version === 2 ? `measure q[${qubit}] -> ${bit};` : `${bit} = measure q[${qubit}];`;
        })
        .join(' ');
    case 'reset':
      return op.qubits.map((qubit) => `reset q[${qubit}];`).join(' ');
    case 'barrier':
      return op.qubits.length > 0 ? `barrier ${named(op.qubits)};` : '';
    case 'noise':
      throw new Error('a channel has no OpenQASM here');
    case 'unitary': {
      // Braket's first qubit is the most significant bit of an index.
      const rows = op.matrix.map((row) =>
        row.map(([re, im]) => `${re}${im < 0 ? '-' : '+'}${Math.abs(im)}im`).join(', '),
      );
      const text = rows.map((row) => `[${row}]`).join(', ');
      return `#pragma braket unitary([${text}]) ${named([...op.qubits].reverse())}\n`;
    }
    case 'gate': {
      const { qasm } = gateOf(op.gate);
      const angles = op.angles.length > 0 ? `(${op.angles.map(angleText).join(', ')})` : '';
      const extra = op.extra.map(({ value }) => `${value ? 'ctrl' : 'negctrl'} @ `).join('');
      const power = typeof op.modifier === 'number' ? `pow(${op.modifier}) @ ` : '';
      const inverse = op.modifier === 'inv' ? 'inv @ ' : '';
      return `${extra}${power}${inverse}${qasm}${angles} ${named(operands(op))};`;
    }
  }
}

/** The fields of a request that hold the circuit. */
export function written(circuit: Circuit): Record<string, unknown> {
  const { form, qubits, ops, noise } = circuit;
  const more = noise && { noise };
  if (form === 'json') return { circuit: ops.map(jsonOp), qubits, ...more };
  const bits = numBits(circuit);
  const inputs = new Set(
    ops.flatMap((op) =>
      op.op === 'gate'
        ? op.angles.flatMap((a) => (typeof a === 'object' && 'input' in a ? [a.input] : []))
        : [],
    ),
  );
  const lines =
    form === 'qasm2'
      ? [
          'OPENQASM 2.0;',
          'include "qelib1.inc";',
          `qreg q[${qubits}];`,
          bits > 0 ? `creg c[${bits}];` : '',
        ]
      : [
          'OPENQASM 3.0;',
          'include "stdgates.inc";',
          ...[...inputs].map((name) => `input float ${name};`),
          ops.some((op) => op.condition?.isInput) ? `input bit[${FLAGS}] flags;` : '',
          `qubit[${qubits}] q;`,
          bits > 0 ? `bit[${bits}] c;` : '',
        ];
  const statements = ops.map((op) => qasmOp(op, form === 'qasm2' ? 2 : 3));
  return { qasm: [...lines, ...statements].filter((line) => line !== '').join('\n'), ...more };
}

// ---- The oracle ----

function gateOf(name: string): Gate {
  const gate = GATES.get(name);
  if (!gate) throw new Error(`the oracle has no gate ${name}`);
  return gate;
}

/** Name of the gate that further controls make, as noise models match it; undefined where it has none. */
function madeName(base: string, controls: number): string | undefined {
  if (base === 'GPHASE' && controls > 0) return madeName('P', controls - 1);
  return [...GATES].find(([, gate]) => gate.base === base && gate.controls === controls)?.[0];
}

function nameOf(op: Op): string | undefined {
  if (op.op === 'measure') return 'M';
  if (op.op === 'reset') return 'RESET';
  if (op.op === 'unitary') return op.extra.length > 0 ? undefined : 'UNITARY';
  if (op.op !== 'gate') return undefined;
  const { base, controls } = gateOf(op.gate);
  return madeName(base, controls + op.extra.length);
}

function channelSize(channel: Channel, operandCount: number): number {
  if (channel.type === 'pauli') {
    return Object.keys(channel['probabilities'] as object)[0]?.length ?? 1;
  }
  if (channel.type === 'depolarizing') return Number(channel['num_qubits'] ?? operandCount);
  if (channel.type === 'kraus') return Math.log2((channel['matrices'] as Matrix[])[0]!.length);
  return 1;
}

function applyChannel(state: State, channel: Channel, qubits: readonly number[]): void {
  const size = channelSize(channel, qubits.length);
  const kraus = krausMatrices(channel, size);
  const places = size === 1 ? qubits.map((qubit) => [qubit]) : [qubits];
  for (const place of places) {
    if (place.length !== size) throw new Error('a channel of another size');
    state.channel(kraus, place);
  }
}

function angleValue(
  angle: Angle,
  bits: readonly number[],
  inputs: Readonly<Record<string, number>>,
): number {
  if (typeof angle === 'number') return angle;
  if ('input' in angle) return angle.offset + angle.scale * inputs[angle.input]!;
  return (
    angle.offset + angle.bits.reduce((sum, [bit, factor]) => sum + factor * (bits[bit] ?? 0), 0)
  );
}

/** The matrix of a gate on its targets. */
function matrixOf(
  op: Op & { readonly op: 'gate' },
  bits: readonly number[],
  inputs: Readonly<Record<string, number>>,
): Matrix {
  const matrix = gateOf(op.gate).matrix(
    ...op.angles.map((angle) => angleValue(angle, bits, inputs)),
  );
  if (op.modifier === undefined) return matrix;
  if (op.modifier === 'inv') return dagger(matrix);
  const factor = op.modifier < 0 ? dagger(matrix) : matrix;
  return Array.from({ length: Math.abs(op.modifier) }).reduce<Matrix>(
    (power) => product(power, factor),
    identity(matrix.length),
  );
}

/** Measured bits that an operation's condition or angles read. */
function bitsRead(op: Op): readonly number[] {
  const conditions = op.condition?.isInput ? [] : (op.condition?.bits ?? []);
  const angles = op.op === 'gate' ? op.angles : [];
  return [
    ...conditions,
    ...angles.flatMap((angle) =>
      typeof angle === 'object' && 'bits' in angle ? angle.bits.map(([bit]) => bit) : [],
    ),
  ];
}

/** The circuit without its final measurements, those of qubits and bits that nothing later uses; the waits for them stay. */
export function withoutFinalMeasures(circuit: Circuit): Circuit {
  const used = new Set<number>();
  const read = new Set<number>();
  const kept: Op[] = [];
  for (const op of circuit.ops.toReversed()) {
    if (op.op === 'measure' && op.condition === undefined) {
      const places = [...op.qubits.keys()].filter(
        (i) => used.has(op.qubits[i]!) || read.has(op.bits[i]!),
      );
      const some = (list: readonly number[]) => places.map((i) => list[i]!);
      if (places.length > 0) {
        kept.unshift({ ...op, qubits: some(op.qubits), bits: some(op.bits) });
      }
      kept.unshift({ op: 'barrier', qubits: op.qubits });
    } else kept.unshift(op);
    if (op.op !== 'barrier') for (const qubit of operands(op)) used.add(qubit);
    for (const bit of bitsRead(op)) read.add(bit);
  }
  return { ...circuit, ops: kept };
}

/** When qubits wait, by the rules of docs/noise-models.md, "Idle qubits". */
class Clock {
  readonly #idle: NonNullable<NoiseModel['idle']>[number] | undefined;
  readonly #free: number[];
  readonly #written: number[] = [];
  readonly #touched = new Set<number>();

  constructor(noise: NoiseModel | undefined, qubits: number) {
    this.#idle = noise?.idle?.[0];
    this.#free = new Array<number>(qubits).fill(0);
  }

  /** Nanoseconds that each operand waits before the operation; moves the time on. */
  waits(op: Op): (readonly [number, Channel])[] {
    const idle = this.#idle;
    const qubits = operands(op);
    if (!idle || qubits.length === 0) return [];
    if (op.op === 'noise' && qubits.length > 1 && channelSize(op.channel, qubits.length) === 1) {
      // Each qubit by itself.
      return qubits.flatMap((qubit) => this.waits({ ...op, qubits: [qubit] }));
    }
    const ready = bitsRead(op).map((bit) => this.#written[bit] ?? 0);
    const start = Math.max(...qubits.map((qubit) => this.#free[qubit]!), ...ready);
    const table = idle.durations_ns;
    const isGate = op.op === 'gate' || op.op === 'unitary';
    const width = isGate ? (table[`*${qubits.length}`] ?? table['*']) : undefined;
    const duration = table[nameOf(op) ?? ''] ?? width ?? 0;
    const waits = qubits.flatMap((qubit) => {
      const wait = start - this.#free[qubit]!;
      const isWarm = (idle.excited ?? 0) > 0;
      this.#free[qubit] = start + duration;
      const relaxes = wait > 0 && (isWarm || this.#touched.has(qubit));
      if (op.op !== 'barrier') this.#touched.add(qubit);
      const { t1_us, t2_us, excited = 0 } = idle;
      const channel = { type: 'thermal_relaxation', t1_us, t2_us, excited, duration_ns: wait };
      return relaxes ? [[qubit, channel] as const] : [];
    });
    if (op.op === 'measure') for (const bit of op.bits) this.#written[bit] = start + duration;
    return waits;
  }
}

/** What a circuit does: the histories of its outcomes, each with its bits. */
export function run(
  circuit: Circuit,
  mixed: boolean,
  inputs: Readonly<Record<string, number>> = {},
): Branch<number[]>[] {
  const { qubits, ops, noise } = circuit;
  const clock = new Clock(noise, qubits);
  const bits = new Array<number>(numBits(circuit)).fill(0);
  let branches: Branch<number[]>[] = [{ state: new State(qubits, mixed), memory: bits }];
  for (const op of ops) {
    if (operands(op).some((qubit) => qubit >= qubits)) throw new Error('no such qubit');
    if (op.op === 'measure' && (op.qubits.length === 0 || op.bits.length !== op.qubits.length)) {
      throw new Error('a measurement of nothing');
    }
    for (const [qubit, channel] of clock.waits(op)) {
      for (const { state } of branches) applyChannel(state, channel, [qubit]);
    }
    branches = joined(branches.flatMap((branch) => stepped(branch, op, noise, inputs)));
  }
  return branches;
}

function stepped(
  branch: Branch<number[]>,
  op: Op,
  noise: NoiseModel | undefined,
  inputs: Readonly<Record<string, number>>,
): Branch<number[]>[] {
  const { state, memory } = branch;
  const { condition } = op;
  const bitOf = (bit: number) => (condition?.isInput ? (inputs['flags']! >> bit) & 1 : memory[bit]);
  const holds = condition?.bits.every((bit, i) => bitOf(bit) === ((condition.value >> i) & 1));
  if (holds === false) return [branch];
  switch (op.op) {
    case 'barrier':
      return [branch];
    case 'noise':
      applyChannel(state, op.channel, op.qubits);
      return [branch];
    case 'reset':
      return op.qubits.reduce((all, qubit) => all.flatMap((each) => reset(each, qubit)), [branch]);
    case 'measure':
      return op.qubits.reduce(
        (all, qubit, i) =>
          all.flatMap((each) =>
            measured(each, qubit, (m, out) => m.with(op.bits[i]!, out), readoutOf(noise, qubit)),
          ),
        [branch],
      );
    case 'unitary':
      state.apply(op.matrix, op.qubits, op.extra);
      break;
    case 'gate': {
      const own = gateOf(op.gate).controls;
      const controls = op.qubits.slice(0, own).map((qubit) => ({ qubit, value: 1 }));
      const matrix = matrixOf(op, memory, inputs);
      state.apply(matrix, op.qubits.slice(own), [...op.extra, ...controls]);
    }
  }
  const places = operands(op);
  for (const entry of noise?.gates ?? []) {
    const names = [nameOf(op), `*${places.length}`, '*'];
    const isThere = entry.qubits?.some((list) => String(list) === String(places)) ?? true;
    if (places.length === 0 || !isThere || !entry.gates.some((name) => names.includes(name)))
      continue;
    applyChannel(state, entry.channel, places);
  }
  return [branch];
}

function readoutOf(noise: NoiseModel | undefined, qubit: number): [number, number] {
  let [up, down] = [0, 0];
  for (const entry of noise?.readout ?? []) {
    if (entry.qubits && !entry.qubits.includes(qubit)) continue;
    const { p1_given_0: p, p0_given_1: q } = entry;
    [up, down] = [up * (1 - q) + (1 - up) * p, down * (1 - p) + (1 - down) * q];
  }
  return [up, down];
}

/** The circuit with the measurement that is added where it has none: one of all qubits. */
export function withMeasurement(circuit: Circuit): Circuit {
  if (circuit.ops.some((op) => op.op === 'measure')) return circuit;
  const all = Array.from({ length: circuit.qubits }, (_, qubit) => qubit);
  return { ...circuit, ops: [...circuit.ops, { op: 'measure', qubits: all, bits: all }] };
}

/** Exact probabilities of the classical register; of all qubits, without errors of readout, where the circuit measures none. */
export function distribution(
  circuit: Circuit,
  branches: readonly Branch<number[]>[],
): Map<string, number> {
  const found = new Map<string, number>();
  const count = (bits: readonly number[], probability: number) => {
    const label = [...bits].reverse().join('');
    found.set(label, (found.get(label) ?? 0) + probability);
  };
  if (circuit.ops.some((op) => op.op === 'measure')) {
    for (const { state, memory } of branches) count(memory, state.weight());
    return found;
  }
  for (const { state } of branches) {
    state.diagonal().forEach((probability, index) => {
      const bits = Array.from({ length: circuit.qubits }, (_, qubit) => (index >> qubit) & 1);
      if (probability > 0) count(bits, probability);
    });
  }
  return found;
}
