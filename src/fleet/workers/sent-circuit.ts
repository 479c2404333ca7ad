/**
 * Forms in which circuits cross to a worker: bytes in shared memory for a large circuit, and text with
 * angles for a small one.
 *
 * Cloning a circuit of 100,000 operations costs the sending thread some 80 ms; the bytes are written
 * once, by any thread that has time, and passed on for nothing. The format is that of structured clone,
 * so the worker gets the same either way. Operations are cloned some thousands at a time, because a clone
 * keeps a record of each object, which makes a million at once take three times as long.
 *
 * The text of a small circuit also identifies its shape, so a worker that has prepared the shape does not
 * read it. Cloning the same circuit as objects takes several times as long as writing, cloning and
 * reading the text, and most circuits are never read, because their shape was met before.
 */
import { deserialize, serialize } from 'node:v8';
import {
  type ClassicalControl,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type MisreadOperation,
  type NoiseOperation,
  numOperationsOf,
  type RepeatOperation,
  type StatementRole,
  type WhileOperation,
} from '../../circuit/circuit.ts';
import { GATES } from '../../circuit/gates.ts';
import type { Channel } from '../../circuit/noise/channel.ts';
import {
  type CircuitRequest,
  type CircuitWork,
  circuitWork,
  methodOf,
  type RunMethod,
} from '../schedule/scheduled-run.ts';

/** Operations of one clone. */
const RUN_LENGTH = 4096;
/** Bytes of the length of a clone, which stands before it. */
const LENGTH_BYTES = 4;

/** A circuit as bytes: in shared memory, until it leaves the process. */
export interface SerializedCircuit extends Pick<DynamicCircuit, 'numQubits' | 'numBits'> {
  /** All but the strengths of noise: the same for circuits that differ in these alone. */
  readonly bytes: Uint8Array;
  /** The different channels and misreadings, whose numbers stand in the operations. */
  readonly strengths: Uint8Array;
  /** Sent too, so that the run time can be estimated without reading the bytes. */
  readonly work: CircuitWork;
}

/**
 * The array in memory that threads share: itself, or a copy. An array that came from another process is a view of the
 * whole message, and a clone of it would be a clone of the message.
 */
export function inSharedMemory<T extends Uint8Array | Uint32Array | Float64Array>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  // The cast is safe: these types are made of a buffer.
  const Type = array.constructor as new (buffer: SharedArrayBuffer) => T;
  const copy = new Type(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

/** How strong noise is: a channel, or how often bits are misread. */
type Strength = Channel | Pick<MisreadOperation, 'p1Given0' | 'p0Given1'>;

/** An operation with the number of its strength in place of it. */
type NumberedOperation =
  | Exclude<DynamicOperation, NoiseOperation | MisreadOperation | WhileOperation | RepeatOperation>
  | (Omit<NoiseOperation, 'channel'> & { readonly strength: number })
  | (Omit<MisreadOperation, 'p1Given0' | 'p0Given1'> & { readonly strength: number })
  | (Omit<WhileOperation, 'body'> & { readonly body: readonly NumberedOperation[] })
  | (Omit<RepeatOperation, 'body'> & { readonly body: readonly NumberedOperation[] });

/** Numbers the different strengths of a circuit. */
class Strengths {
  readonly all: Strength[] = [];
  readonly #byText = new Map<string, number>();
  readonly #byChannel = new Map<Strength, number>();

  numberOf(strength: Strength): number {
    let number = this.#byChannel.get(strength);
    if (number !== undefined) return number;
    const text = JSON.stringify(strength);
    number = this.#byText.get(text) ?? this.all.push(strength) - 1;
    this.#byText.set(text, number);
    if ('kind' in strength) this.#byChannel.set(strength, number);
    return number;
  }

  numbered(operations: readonly DynamicOperation[]): readonly NumberedOperation[] {
    return operations.map((operation) => {
      switch (operation.kind) {
        case 'noise': {
          const { channel, ...rest } = operation;
          return { ...rest, strength: this.numberOf(channel) };
        }
        case 'misread': {
          const { p1Given0, p0Given1, ...rest } = operation;
          return { ...rest, strength: this.numberOf({ p1Given0, p0Given1 }) };
        }
        case 'while':
        case 'repeat':
          return { ...operation, body: this.numbered(operation.body) };
        default:
          return operation;
      }
    });
  }
}

/** The operations with their strengths. */
function withStrengths(
  operations: readonly NumberedOperation[],
  strengths: readonly Strength[],
): DynamicOperation[] {
  return operations.map((operation): DynamicOperation => {
    if ('body' in operation) {
      return { ...operation, body: withStrengths(operation.body, strengths) };
    }
    if (!('strength' in operation)) return operation;
    const { strength: number, ...rest } = operation;
    const strength = strengths[number]!;
    // Checked: the strength of an operation has its kind.
    return (
      'kind' in strength ? { ...rest, channel: strength } : { ...rest, ...strength }
    ) as DynamicOperation;
  });
}

/** Writes a circuit into shared memory. */
export function serializeCircuit(circuit: DynamicCircuit): SerializedCircuit {
  const { operations, ...rest } = circuit;
  const clones = [serialize(rest)];
  const strengths = new Strengths();
  for (let from = 0; from < operations.length; from += RUN_LENGTH) {
    clones.push(serialize(strengths.numbered(operations.slice(from, from + RUN_LENGTH))));
  }
  const length = clones.reduce((sum, clone) => sum + LENGTH_BYTES + clone.length, 0);
  const bytes = new Uint8Array(new SharedArrayBuffer(length));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const clone of clones) {
    view.setUint32(at, clone.length);
    bytes.set(clone, at + LENGTH_BYTES);
    at += LENGTH_BYTES + clone.length;
  }
  const { numQubits, numBits } = circuit;
  const ofNoise = inSharedMemory(new Uint8Array(serialize(strengths.all)));
  return { numQubits, numBits, bytes, strengths: ofNoise, work: circuitWork(circuit) };
}

/** The circuit in any form as objects. */
export function circuitOf(
  circuit: DynamicCircuit | SerializedCircuit | WrittenCircuit,
): DynamicCircuit {
  if ('shape' in circuit) return readCircuit(circuit);
  return 'bytes' in circuit ? deserialized(circuit) : circuit;
}

function deserialized({ bytes, strengths: ofNoise }: SerializedCircuit): DynamicCircuit {
  // Copies, for the reader refuses shared memory. Checked: serializeCircuit wrote the bytes.
  const strengths = deserialize(Uint8Array.from(ofNoise)) as readonly Strength[];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const next = (): unknown => {
    const start = at + LENGTH_BYTES;
    at = start + view.getUint32(at);
    return deserialize(Uint8Array.from(bytes.subarray(start, at)));
  };
  const rest = next() as Omit<DynamicCircuit, 'operations'>;
  const operations: DynamicOperation[] = [];
  while (at < bytes.length) {
    const some = withStrengths(next() as readonly NumberedOperation[], strengths);
    for (const each of some) operations.push(each);
  }
  return { ...rest, operations };
}

/** Approximate bytes of memory of a circuit while it waits. */
export function sizeOfCircuit(circuit: DynamicCircuit): number {
  const BYTES_PER_OPERATION = 300;
  return numOperationsOf(circuit) * BYTES_PER_OPERATION;
}

/** Method of a run of a sent circuit; one in writing has no noise. */
export function methodOfSent(
  circuit: DynamicCircuit | SerializedCircuit | WrittenCircuit,
  request: Pick<CircuitRequest, 'method'>,
): RunMethod {
  if ('shape' in circuit) return request.method ?? 'statevector';
  return methodOf('bytes' in circuit ? circuit.work : circuitWork(circuit), request);
}

/** Operations of a sent circuit, those of a loop as one. */
export function numOperationsOfSent(
  circuit: DynamicCircuit | SerializedCircuit | WrittenCircuit,
): number {
  if ('bytes' in circuit) return circuit.work.numOperations;
  return 'shape' in circuit ? circuit.numOperations : circuit.operations.length;
}

/** A circuit without explicit matrices. */
export interface WrittenCircuit {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Everything but the values of the angles, packed. */
  readonly shape: string;
  /** Angles of all gates, in the order of the operations; none of a shape, which is read with zeros. */
  readonly angles: readonly number[];
}

// A shape is written as 32-bit words in the characters of a string, a byte each: strings are compared, kept as keys
// and cloned without looking into them. Text of names and numbers takes five times as long to make.
//
// One description of the fields (CIRCUIT, FORMS) is run by the writer and by the reader. A field of a circuit or an
// operation that it leaves out does not compile.

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
/** The fields that every value of the type has. */
type RequiredFields<T> = Pick<T, Exclude<keyof T, OptionalKey<T>>>;
/** All its other fields, each undefined where it is absent. */
type OptionalFields<T> = { readonly [K in OptionalKey<T>]-?: T[K] | undefined };

/** One end of the wire. Its methods write and return their argument, or ignore it and return the value read. */
export interface Wire {
  /** A whole number below 2^32. */
  word(value: number): number;
  /** Any number. */
  double(value: number): number;
  /** Whole numbers below 2^32. */
  list(values: readonly number[]): readonly number[];
  gate(name: string): string;
  /** One of the values, which both ends number alike. */
  oneOf<T>(values: readonly T[], value: T): T;
  angles(values: readonly number[]): readonly number[];
  operations(values: DynamicCircuit['operations']): DynamicCircuit['operations'];
  /** A field that may be absent. An operation has at most 28 of them. */
  optional<T>(value: T | undefined, form: Form<T>): T | undefined;
  whole<T extends object>(required: RequiredFields<T>, optional: OptionalFields<T>): T;
}

/** Passes a value over the wire, field by field; nothing but the wire may look at the fields. */
export type Form<T> = (wire: Wire, of: T) => T;

const CIRCUIT: Form<DynamicCircuit> = (wire, of) =>
  wire.whole<DynamicCircuit>(
    {
      numQubits: wire.word(of.numQubits),
      numBits: wire.word(of.numBits),
      operations: wire.operations(of.operations),
    },
    {
      control: wire.optional(of.control, CONTROL),
      givesOutputs: wire.optional(of.givesOutputs, SET),
      lossMarks: wire.optional(of.lossMarks, LIST),
    },
  );

const CONTROL: Form<ClassicalControl> = (wire, of) =>
  wire.whole<ClassicalControl>(
    { numScratchBits: wire.word(of.numScratchBits), maxRounds: wire.double(of.maxRounds) },
    {},
  );

const CONDITION: Form<Condition> = (wire, of) =>
  wire.whole<Condition>({ bits: wire.list(of.bits), value: wire.double(of.value) }, {});

const NUMBER: Form<number> = (wire, of) => wire.double(of);
const LIST: Form<readonly number[]> = (wire, of) => wire.list(of);
const SET: Form<true> = () => true;
const NEVER: Form<true> = () => {
  throw new Error('unreachable: a measurement of loss that was not lowered');
};
const ROLE: Form<StatementRole> = (wire, of) => wire.oneOf(ROLES, of);
/** By number. */
const ROLES: readonly StatementRole[] = Object.keys({
  opening: true,
  closing: true,
  choice: true,
} satisfies Record<StatementRole, true>) as StatementRole[];

type OperationOf<K> = Extract<DynamicOperation, { readonly kind: K }>;

/** Each kind of operation; null for those that cross as objects. */
const FORMS: {
  readonly [K in DynamicOperation['kind']]: Form<OperationOf<K>> | null;
} = {
  gate: (wire, of) =>
    wire.whole<OperationOf<'gate'>>(
      {
        kind: 'gate',
        gate: wire.gate(of.gate),
        controls: wire.list(of.controls),
        targets: wire.list(of.targets),
        angles: wire.angles(of.angles),
      },
      {
        condition: wire.optional(of.condition, CONDITION),
        role: wire.optional(of.role, ROLE),
        isVerbatim: wire.optional(of.isVerbatim, SET),
      },
    ),
  measure: (wire, of) =>
    wire.whole<OperationOf<'measure'>>(
      { kind: 'measure', qubits: wire.list(of.qubits), bits: wire.list(of.bits) },
      {
        condition: wire.optional(of.condition, CONDITION),
        role: wire.optional(of.role, ROLE),
        readsLoss: wire.optional(of.readsLoss, NEVER),
      },
    ),
  reset: (wire, of) =>
    wire.whole<OperationOf<'reset'>>(
      { kind: 'reset', qubits: wire.list(of.qubits) },
      {
        condition: wire.optional(of.condition, CONDITION),
        role: wire.optional(of.role, ROLE),
      },
    ),
  barrier: (wire, of) =>
    wire.whole<OperationOf<'barrier'>>(
      { kind: 'barrier', qubits: wire.list(of.qubits) },
      { duration: wire.optional(of.duration, NUMBER) },
    ),
  unitary: null,
  initialize: null,
  save: null,
  assign: null,
  while: null,
  noise: null,
  misread: null,
  track: null,
  repeat: null,
};

interface Kind {
  readonly number: number;
  readonly form: Form<DynamicOperation> | null;
}

/** The kinds by number, and by name. The cast is safe: a form is given what it is the form of. */
const KINDS = Object.values(FORMS).map((form, number) => ({ number, form }) as Kind);
const kindNamed = new Map(Object.keys(FORMS).map((name, number) => [name, KINDS[number]!]));
const numberOfGate = new Map(GATES.map(({ name }, number) => [name, number]));

/** A number as two words. */
const double = new Float64Array(1);
const wordsOfDouble = new Uint32Array(double.buffer);

/** Bits of an operation's kind in its first word; a bit for each optional field that it has follows. */
const KIND_BITS = 4;

class Writer implements Wire {
  #words = new Uint32Array(4096);
  /** The same memory. */
  #bytes = Buffer.from(this.#words.buffer);
  #numWords = 0;
  /** The place of the first word of the value whose fields are written, and how many optional ones came. */
  #first = 0;
  #numOptional = 0;
  #angles: number[] = [];
  #isWritable = true;

  /** Implements `writeCircuit`. One circuit is written at a time. */
  write(circuit: DynamicCircuit): WrittenCircuit | undefined {
    this.#numWords = 0;
    this.#angles = [];
    this.#isWritable = true;
    this.#begin(0);
    CIRCUIT(this, circuit);
    if (!this.#isWritable) return undefined;
    const shape = this.#bytes.toString('latin1', 0, 4 * this.#numWords);
    const { numQubits, operations } = circuit;
    return { numQubits, numOperations: operations.length, shape, angles: this.#angles };
  }

  word(value: number): number {
    if (this.#numWords === this.#words.length) this.#grow(1);
    this.#words[this.#numWords++] = value;
    return value;
  }

  #grow(length: number): void {
    const grown = new Uint32Array(2 * (this.#words.length + length));
    grown.set(this.#words);
    this.#words = grown;
    this.#bytes = Buffer.from(grown.buffer);
  }

  double(value: number): number {
    double[0] = value;
    this.word(wordsOfDouble[0]!);
    this.word(wordsOfDouble[1]!);
    return value;
  }

  list(values: readonly number[]): readonly number[] {
    const { length } = values;
    if (this.#numWords + length >= this.#words.length) this.#grow(length);
    const words = this.#words;
    let at = this.#numWords;
    words[at++] = length;
    for (let i = 0; i < length; i++) words[at++] = values[i]!;
    this.#numWords = at;
    return values;
  }

  gate(name: string): string {
    const number = numberOfGate.get(name);
    if (number === undefined) this.#isWritable = false;
    else this.word(number);
    return name;
  }

  oneOf<T>(values: readonly T[], value: T): T {
    this.word(values.indexOf(value));
    return value;
  }

  angles(values: readonly number[]): readonly number[] {
    this.word(values.length);
    for (let i = 0; i < values.length; i++) this.#angles.push(values[i]!);
    return values;
  }

  operations(values: DynamicCircuit['operations']): DynamicCircuit['operations'] {
    const [first, numOptional] = [this.#first, this.#numOptional];
    this.word(values.length);
    for (let i = 0; i < values.length && this.#isWritable; i++) this.#operation(values[i]!);
    [this.#first, this.#numOptional] = [first, numOptional];
    return values;
  }

  #operation(operation: DynamicOperation): void {
    const { number, form } = kindNamed.get(operation.kind)!;
    if (form === null) {
      this.#isWritable = false;
      return;
    }
    this.#begin(number);
    form(this, operation);
  }

  #begin(first: number): void {
    this.#first = this.#numWords;
    this.#numOptional = 0;
    this.word(first);
  }

  optional<T>(value: T | undefined, form: Form<T>): T | undefined {
    const bit = KIND_BITS + this.#numOptional++;
    if (value === undefined) return undefined;
    this.#words[this.#first]! |= 1 << bit;
    return form(this, value);
  }

  whole<T extends object>(required: RequiredFields<T>): T {
    // The cast is safe: nobody looks at the writer's result.
    return required as T;
  }
}

const writer = new Writer();

/** The circuit in writing; undefined for one with an explicit matrix or state, noise, a loop or an assignment. */
export function writeCircuit(circuit: DynamicCircuit): WrittenCircuit | undefined {
  return writer.write(circuit);
}

/** The circuit as objects again. */
export function readCircuit({ shape, angles }: WrittenCircuit): DynamicCircuit {
  return new Reader(shape, angles).read();
}

/** Placeholder value for forms that read: the reader disregards it. */
const NOTHING = Object.freeze({});

class Reader implements Wire {
  readonly #words: Uint32Array;
  readonly #angles: readonly number[];
  #at = 0;
  #nextAngle = 0;
  /** The first word of the value whose fields are read, and how many optional ones came. */
  #first = 0;
  #numOptional = 0;

  constructor(shape: string, angles: readonly number[]) {
    const bytes = new Uint8Array(shape.length);
    Buffer.from(bytes.buffer).write(shape, 'latin1');
    this.#words = new Uint32Array(bytes.buffer);
    this.#angles = angles;
  }

  /** The whole circuit. */
  read(): DynamicCircuit {
    this.#begin();
    return this.#read(CIRCUIT);
  }

  word(): number {
    return this.#words[this.#at++]!;
  }

  double(): number {
    wordsOfDouble[0] = this.word();
    wordsOfDouble[1] = this.word();
    return double[0]!;
  }

  list(): readonly number[] {
    const length = this.word();
    const list: number[] = [];
    for (let i = 0; i < length; i++) list.push(this.word());
    return list;
  }

  gate(): string {
    return GATES[this.word()]!.name;
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.word()]!;
  }

  angles(): readonly number[] {
    const from = this.#nextAngle;
    const length = this.word();
    this.#nextAngle += length;
    const angles = this.#angles.slice(from, this.#nextAngle);
    while (angles.length < length) angles.push(0);
    return angles;
  }

  operations(): DynamicCircuit['operations'] {
    const [first, numOptional] = [this.#first, this.#numOptional];
    const length = this.word();
    const operations: DynamicOperation[] = [];
    for (let i = 0; i < length; i++) operations.push(this.#operation());
    [this.#first, this.#numOptional] = [first, numOptional];
    return operations;
  }

  #operation(): DynamicOperation {
    const { form } = KINDS[this.#begin() % 2 ** KIND_BITS]!;
    if (form === null) throw new Error('unreachable: the kind is not written');
    return this.#read(form);
  }

  #begin(): number {
    this.#first = this.word();
    this.#numOptional = 0;
    return this.#first;
  }

  #read<T>(form: Form<T>): T {
    return form(this, NOTHING as T);
  }

  optional<T>(_: T | undefined, form: Form<T>): T | undefined {
    const bit = KIND_BITS + this.#numOptional++;
    return (this.#first & (1 << bit)) === 0 ? undefined : this.#read(form);
  }

  whole<T extends object>(required: RequiredFields<T>, optional: OptionalFields<T>): T {
    const hasOptional = this.#first >= 2 ** KIND_BITS;
    const present = hasOptional
      ? Object.entries(optional).filter(([, value]) => value !== undefined)
      : [];
    // Checked: these are the fields of the type, but for those that are absent.
    return (present.length > 0 ? { ...required, ...Object.fromEntries(present) } : required) as T;
  }
}

/** Whether both are the same circuit. */
export function isSameCircuit(a: WrittenCircuit, b: WrittenCircuit): boolean {
  // Within a list, the same circuit is one object.
  if (a === b) return true;
  if (a.shape !== b.shape) return false;
  for (let i = 0; i < a.angles.length; i++) if (a.angles[i] !== b.angles[i]) return false;
  return true;
}
