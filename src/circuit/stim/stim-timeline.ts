/**
 * Places the instructions of a text in Stim's format along time, as a drawing of a circuit shows them: gates, noise,
 * measurements with their numbers in the record, detectors and observables. Between two TICKs each is as far left as
 * those before it on its wires allow. REPEAT blocks are placed once; numbers that grow with a block's repetitions have
 * a term for them, such as `4+8i`.
 */
import type { Qubit } from '../circuit.ts';
import { LIMIT_EXCEEDED } from '../errors.ts';
import type { Factor } from './pauli-string.ts';
import { productsOf } from './read-stim.ts';
import { numBitsOf, type StimExtent, stimExtent } from './stim-extent.ts';
import type { Pauli } from './stim-gates.ts';
import {
  parseStim,
  type StimBlock,
  type StimInstruction,
  type StimStatement,
  type StimTarget,
  stimFault,
} from './stim-text.ts';

/** A sign of the drawing, on one wire or several. */
export interface TimelineSign {
  readonly id: number;
  readonly column: number;
  readonly kind: 'gate' | 'measurement' | 'noise' | 'detector' | 'observable';
  /** Name in a box; `X`, `Z` and `SWAP` of gates with controls are drawn by their symbols, and so is `M`. */
  readonly name: string;
  /** Numbers of wires. */
  readonly controls: readonly number[];
  readonly targets: readonly number[];
  /** Names by target, where they differ. */
  readonly names?: readonly string[];
  /** Second line, such as a probability or coordinates. */
  readonly detail?: string;
  /** Number in the record, or the measurements of a parity. */
  readonly caption?: string;
  /** A classical bit under which the gate acts. */
  readonly condition?: string;
  /** All that the text says of it. */
  readonly title: string;
}

/** A REPEAT block. */
export interface TimelineBlock {
  /** First column, and the column after the last. */
  readonly first: number;
  readonly end: number;
  readonly count: number;
  /** Letter of its repetition, from 0, in numbers. */
  readonly letter: string;
}

/** A TICK, which stands before a column. Its number grows by `steps` with the repetitions of the blocks around it. */
export interface TimelineTick {
  readonly column: number;
  readonly first: number;
  /** Outer blocks first. */
  readonly steps: readonly { readonly by: number; readonly count: number }[];
}

/** A drawing of a text. */
export interface StimTimeline {
  /** The qubit of each wire, from the top. */
  readonly qubits: readonly Qubit[];
  readonly numColumns: number;
  readonly signs: readonly TimelineSign[];
  readonly blocks: readonly TimelineBlock[];
  readonly ticks: readonly TimelineTick[];
  /** TICKs with all repetitions. */
  readonly numTicks: number;
  readonly numDetectors: number;
  readonly numObservables: number;
  /** Coordinates of the qubits that the text states. */
  readonly places: readonly (readonly [qubit: Qubit, place: readonly number[]])[];
}

/** Signs of a drawing. */
const MAX_SIGNS = 5000;

/**
 * Places a text.
 *
 * @throws {StimTextError} for a fault of the syntax, and for texts with more signs than are drawn.
 */
export function stimTimeline(text: string): StimTimeline {
  return new TimelineWriter(text).write();
}

/** Bits of a row of measurements, each with its qubit; a block has its bits again and again. */
interface RecordedBits {
  readonly first: number;
  readonly length: number;
  qubitOf(bit: number): Qubit | undefined;
}

/** What a repetition of a block adds to numbers. */
interface OpenBlock {
  readonly letter: string;
  readonly count: number;
  readonly extent: StimExtent;
  readonly shift: readonly number[];
}

type SignParts = Omit<TimelineSign, 'id' | 'column' | 'title' | 'controls'> & {
  readonly controls?: readonly number[];
};

class TimelineWriter {
  readonly #text: string;
  readonly #statements: readonly StimStatement[];
  readonly #qubits: readonly Qubit[];
  readonly #wires: ReadonlyMap<Qubit, number>;
  readonly #signs: TimelineSign[] = [];
  readonly #blocks: TimelineBlock[] = [];
  readonly #ticks: TimelineTick[] = [];
  readonly #places = new Map<Qubit, readonly number[]>();
  /** By wire, the column of the next sign. */
  readonly #next: number[];
  readonly #open: OpenBlock[] = [];
  #recorded: RecordedBits[] = [];
  #numBits = 0;
  #numDetectors = 0;
  #numTicks = 0;
  #shift: readonly number[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#statements = parseStim(text);
    this.#qubits = [...new Set(qubitsOf(this.#statements))].sort((a, b) => a - b);
    this.#wires = new Map(this.#qubits.map((qubit, wire) => [qubit, wire]));
    this.#next = this.#qubits.map(() => 0);
  }

  write(): StimTimeline {
    this.#addAll(this.#statements);
    const { numTicks, numDetectors, numObservables } = stimExtent(this.#statements);
    return {
      qubits: this.#qubits,
      numColumns: this.#end(),
      signs: this.#signs,
      blocks: this.#blocks,
      ticks: this.#ticks,
      numTicks,
      numDetectors,
      numObservables,
      places: [...this.#places],
    };
  }

  /** The first column in which nothing is. */
  #end(): number {
    return this.#next.reduce((most, each) => Math.max(most, each), 0);
  }

  #addAll(statements: readonly StimStatement[]): void {
    for (const statement of statements) {
      if (statement.gate === undefined) this.#addBlock(statement);
      else {
        this.#add(statement);
        const { name, action } = statement.gate;
        if (name === 'TICK') this.#addTick();
        if (action.kind === 'shift') this.#shift = added(this.#shift, statement.args, 1);
        if (name === 'QUBIT_COORDS') {
          for (const target of statement.targets) {
            if (target.kind !== 'qubit') continue;
            this.#places.set(
              target.qubit,
              added(statement.args, this.#shift, 1).slice(0, statement.args.length),
            );
          }
        }
      }
    }
  }

  #addTick(): void {
    const steps = this.#open.map(({ extent, count }) => ({ by: extent.numTicks, count }));
    this.#ticks.push({ column: this.#align(), first: this.#numTicks, steps });
    this.#numTicks++;
  }

  /** Makes what comes next stand behind all signs so far. */
  #align(): number {
    const end = this.#end();
    this.#next.fill(end);
    return end;
  }

  #addBlock({ count, body }: StimBlock): void {
    const first = this.#align();
    const [bitsBefore, recordedBefore] = [this.#numBits, this.#recorded];
    const extent = stimExtent(body);
    const letter = String.fromCharCode('i'.charCodeAt(0) + (this.#open.length % 12));
    const shift = shiftOf(body);
    this.#open.push({ letter, count, extent, shift });
    this.#recorded = [...recordedBefore];
    this.#addAll(body);
    this.#open.pop();
    const own = this.#recorded.slice(recordedBefore.length);
    const { numBits, numDetectors, numTicks } = extent;
    this.#recorded = recordedBefore;
    this.#recorded.push({
      first: bitsBefore,
      length: count * numBits,
      qubitOf: (bit) => qubitIn(own, bitsBefore + ((bit - bitsBefore) % numBits)),
    });
    this.#numBits += (count - 1) * numBits;
    this.#numDetectors += (count - 1) * numDetectors;
    this.#numTicks += (count - 1) * numTicks;
    this.#shift = added(this.#shift, shift, count - 1);
    this.#blocks.push({ first, end: this.#align(), count, letter });
  }

  #add(instruction: StimInstruction): void {
    const { gate, args, targets } = instruction;
    const { action, name } = gate;
    const put = (parts: SignParts) => this.#put(parts, instruction);
    const written = args.map((each) => shown(each, 3)).join(' ');
    const detail = args.length === 0 ? {} : { detail: args.length > 1 ? '…' : written };
    switch (action.kind) {
      case 'gates':
      case 'controlled':
        for (const operands of groupsOf(targets, gate.targets === 'pairs' ? 2 : 1)) {
          put(this.#gateParts(instruction, operands));
        }
        return;
      case 'rotation':
        for (const target of targets) {
          const angles = args.length > 1 ? '…' : `${written}π`;
          put({
            kind: 'gate',
            name: shownName(name),
            targets: this.#wiresOf([target]),
            detail: angles,
          });
        }
        return;
      case 'measure': {
        const isMeter = name === 'M' && args.length === 0;
        for (const target of targets) {
          const sign = {
            name: isMeter ? 'M' : name === 'M' ? 'MZ' : name,
            targets: this.#wiresOf([target]),
          };
          if (!action.measures) put({ kind: 'gate', ...sign });
          else put({ kind: 'measurement', ...sign, ...detail, caption: this.#record([target]) });
        }
        return;
      }
      case 'measure-pair':
        for (const pair of groupsOf(targets, 2)) {
          const names = pair.map(() => `M${action.basis}`);
          const own = { name, names, targets: this.#wiresOf(pair), ...detail };
          put({ kind: 'measurement', ...own, caption: this.#record(pair) });
        }
        return;
      case 'measure-product':
      case 'phase-product':
        for (const factors of productsOf(targets)) {
          const isMeasured = action.kind === 'measure-product';
          const prefix = isMeasured ? 'M' : action.gate === 'S' ? '√' : '√†';
          const own = { name, ...this.#distinct(factors, prefix), ...detail };
          if (isMeasured) put({ kind: 'measurement', ...own, caption: this.#record(factors) });
          else put({ kind: 'gate', ...own });
        }
        return;
      case 'channel':
      case 'loss':
      case 'heralded':
      case 'measure-loss':
        for (const operands of groupsOf(targets, gate.targets === 'pairs' ? 2 : 1)) {
          const isRead = numBitsOf(instruction) > 0;
          const own = {
            name: NOISE_NAMES[name] ?? name,
            targets: this.#wiresOf(operands),
            ...detail,
          };
          put({ kind: 'noise', ...own, ...(isRead && { caption: this.#record(operands) }) });
        }
        return;
      case 'correlated': {
        const factors = targets.filter((target) => target.kind === 'pauli');
        put({
          kind: 'noise',
          name,
          ...this.#distinct(factors, 'E'),
          ...detail,
          ...(action.isElse && { caption: 'else' }),
        });
        return;
      }
      case 'pad':
        for (const _ of targets) this.#record([]);
        return;
      case 'detector': {
        const number = this.#numbered(this.#numDetectors++, ({ extent }) => extent.numDetectors);
        const place = args.map((each, i) => this.#coordinate(each, i));
        const at = place.length === 0 ? {} : { detail: place.join(',') };
        this.#putParity({ kind: 'detector', name: `D${number}`, targets: [], ...at }, instruction);
        return;
      }
      case 'observable': {
        const factors = targets.filter((target) => target.kind === 'pauli');
        const own = { kind: 'observable', name: `L${args[0]}` } as const;
        if (factors.length > 0) put({ ...own, ...this.#distinct(factors, `${own.name} `) });
        this.#putParity({ ...own, targets: [] }, instruction);
      }
    }
  }

  #gateParts(
    { gate: { name, action } }: StimInstruction,
    operands: readonly StimTarget[],
  ): SignParts {
    const bit = operands.find(({ kind }) => kind === 'record' || kind === 'sweep');
    if (action.kind === 'controlled' && bit !== undefined) {
      const condition =
        bit.kind === 'record'
          ? this.#bitName(this.#numBits - bit.back)
          : `sweep[${'bit' in bit ? bit.bit : ''}]`;
      return { kind: 'gate', name: action.pauli, targets: this.#wiresOf(operands), condition };
    }
    const wires = this.#wiresOf(operands);
    if (action.kind === 'controlled') {
      const [control = 0] = action.controls;
      return {
        kind: 'gate',
        name: action.pauli,
        controls: [wires[control]!],
        targets: [wires[1 - control]!],
      };
    }
    const [, first, second] = /^([XYZ])C([XYZ])$/.exec(name) ?? [];
    const names = first === undefined || second === undefined ? {} : { names: [first, second] };
    return {
      kind: 'gate',
      name: name === 'SWAP' ? name : shownName(name),
      ...names,
      targets: wires,
    };
  }

  /** Puts a parity on the wire of the last of its measurements. */
  #putParity(parts: SignParts, instruction: StimInstruction): void {
    const bits = instruction.targets.flatMap((target) =>
      target.kind === 'record' ? [this.#numBits - target.back] : [],
    );
    const early = instruction.targets.find(
      (target) => target.kind === 'record' && target.back > this.#numBits,
    );
    if (early !== undefined) {
      throw stimFault(this.#text, early.offset, 'This measurement is before the first one.');
    }
    const measured = bits.toSorted((a, b) => b - a);
    const qubit = measured
      .map((bit) => qubitIn(this.#recorded, bit))
      .find((each) => each !== undefined);
    if (qubit === undefined) return;
    const names = bits.toSorted((a, b) => a - b).map((bit) => this.#bitName(bit));
    const caption = names.length > 2 ? `${names.slice(0, 2).join('⊕')}⊕…` : names.join('⊕');
    const title = `${parts.name}${parts.detail === undefined ? '' : ` at (${parts.detail.replaceAll(',', ', ')})`} = ${names.join(' ⊕ ')}`;
    this.#put({ ...parts, targets: [this.#wires.get(qubit)!], caption }, instruction, title);
  }

  #put({ controls = [], ...parts }: SignParts, instruction: StimInstruction, title?: string): void {
    const on = [...controls, ...parts.targets];
    if (on.length === 0) return;
    if (this.#signs.length === MAX_SIGNS) {
      const problem = `The text has more than ${MAX_SIGNS} signs to draw.`;
      throw stimFault(this.#text, instruction.offset, problem, LIMIT_EXCEEDED);
    }
    const [top, bottom] = [Math.min(...on), Math.max(...on)];
    let column = 0;
    for (let wire = top; wire <= bottom; wire++) column = Math.max(column, this.#next[wire]!);
    this.#next.fill(column + 1, top, bottom + 1);
    const { gate, args } = instruction;
    const written = `${gate.name}${args.length === 0 ? '' : `(${args.join(', ')})`}`;
    const qubits = on.map((wire) => this.#qubits[wire]);
    const read = parts.kind === 'measurement' ? `, ${parts.caption}` : '';
    this.#signs.push({
      id: this.#signs.length,
      column,
      controls,
      ...parts,
      title: title ?? `${written} ${qubits.join(' ')}${read}`,
    });
  }

  #wiresOf(targets: readonly StimTarget[]): readonly number[] {
    return targets.flatMap((target) =>
      'qubit' in target ? (this.#wires.get(target.qubit) ?? []) : [],
    );
  }

  /** A box with its Pauli on each wire of a product; of a qubit that comes twice, the letters in their order. */
  #distinct(factors: readonly { readonly qubit: Qubit; readonly pauli: Pauli }[], prefix: string) {
    const letters = new Map<Qubit, string>();
    for (const { qubit, pauli } of factors)
      letters.set(qubit, (letters.get(qubit) ?? prefix) + pauli);
    return {
      names: [...letters.values()],
      targets: [...letters.keys()].map((qubit) => this.#wires.get(qubit)!),
    };
  }

  /** Counts a measurement of some targets. @returns Its name. */
  #record(targets: readonly (StimTarget | Factor)[]): string {
    const bit = this.#numBits++;
    const qubit = targets.flatMap((target) => ('qubit' in target ? target.qubit : [])).at(-1);
    this.#recorded.push({ first: bit, length: 1, qubitOf: () => qubit });
    const inverted = targets.filter((target) => 'isInverted' in target && target.isInverted);
    return `${inverted.length % 2 === 1 ? '!' : ''}${this.#bitName(bit)}`;
  }

  #bitName(bit: number): string {
    return `rec${this.#numbered(bit, ({ extent }) => extent.numBits, '[', ']')}`;
  }

  /** A number with what repetitions add to it. */
  #numbered(number: number, stepOf: (block: OpenBlock) => number, open = '', close = ''): string {
    const terms = this.#open.flatMap((block) => {
      const step = stepOf(block);
      return step === 0 ? [] : [`+${step === 1 ? '' : shown(step, 12)}${block.letter}`];
    });
    return `${open}${shown(number, 12)}${terms.join('')}${close}`.replaceAll('+-', '-');
  }

  #coordinate(value: number, axis: number): string {
    return this.#numbered(value + (this.#shift[axis] ?? 0), ({ shift }) => shift[axis] ?? 0);
  }
}

/** Qubits that something is drawn on. */
function qubitsOf(statements: readonly StimStatement[]): readonly Qubit[] {
  return statements.flatMap((statement) => {
    if (statement.gate === undefined) return qubitsOf(statement.body);
    const { targets: form, action } = statement.gate;
    if (form === 'constants' || action.kind === 'note') return [];
    return statement.targets.flatMap((target) => ('qubit' in target ? [target.qubit] : []));
  });
}

function qubitIn(recorded: readonly RecordedBits[], bit: number): Qubit | undefined {
  return recorded
    .findLast(({ first, length }) => first <= bit && bit < first + length)
    ?.qubitOf(bit);
}

/** What one repetition of a list adds to coordinates. */
function shiftOf(statements: readonly StimStatement[]): readonly number[] {
  return statements.reduce<readonly number[]>((shift, statement) => {
    if (statement.gate === undefined) return added(shift, shiftOf(statement.body), statement.count);
    return statement.gate.action.kind === 'shift' ? added(shift, statement.args, 1) : shift;
  }, []);
}

/** The sum of two lists of coordinates, the second so many times. */
function added(one: readonly number[], other: readonly number[], times: number): readonly number[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, i) => (one[i] ?? 0) + times * (other[i] ?? 0));
}

function groupsOf<T>(targets: readonly T[], size: 1 | 2): readonly (readonly T[])[] {
  return Array.from({ length: targets.length / size }, (_, i) =>
    targets.slice(i * size, (i + 1) * size),
  );
}

/** A number to so many digits. */
const shown = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

const NOISE_NAMES: Readonly<Record<string, string>> = {
  X_ERROR: 'X',
  Y_ERROR: 'Y',
  Z_ERROR: 'Z',
  DEPOLARIZE1: 'D1',
  DEPOLARIZE2: 'D2',
  PAULI_CHANNEL_1: 'P1',
  PAULI_CHANNEL_2: 'P2',
  HERALDED_ERASE: 'HE',
  HERALDED_PAULI_CHANNEL_1: 'HP1',
  LOSS_ERROR: 'loss',
  HERALD_LOSS_EVENT: 'lost?',
};

/** Names as physicists write them: √X†. */
function shownName(name: string): string {
  return name
    .replace(/^SQRT_/, '√')
    .replace(/_DAG$/, '†')
    .replace(/^ISWAP/, 'iSW')
    .replace('_', '');
}
