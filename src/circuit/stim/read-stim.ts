/**
 * Reads Stim's circuit format: gates, measurements and noise become a circuit whose classical bits are the measurement
 * record; detectors and observables become lists of these bits. REPEAT blocks are unrolled.
 *
 * Results that `!` inverts are inverted by X gates around the measurement. Heralds and constants of MPAD are measured on a
 * qubit beyond those of the text, which is |0⟩ before and after. Errors on more than two qubits are made on it, too.
 */
import type { DynamicCircuit, DynamicOperation, PieceOfStatement, Qubit } from '../circuit.ts';
import {
  type CircuitLimits,
  MAX_CLASSICAL_BITS,
  MAX_FREE_STEPS,
  StepsSpentError,
  tooManyQubits,
} from '../circuit-limits.ts';
import type { Bit } from '../classical-expression.ts';
import { LIMIT_EXCEEDED } from '../errors.ts';
import { gateNamed } from '../gates.ts';
import type { Channel, PauliChannel, PauliError } from '../noise/channel.ts';
import { pauliChannel } from '../noise/named-channels.ts';
import type { ProgramWarning } from '../openqasm/token-stream.ts';
import type { Pauli, Step, StimAction } from './stim-gates.ts';
import {
  parseStim,
  type StimInstruction,
  type StimStatement,
  type StimTarget,
  stimFault,
} from './stim-text.ts';

/** A text as it was read. */
export interface StimProgram {
  readonly circuit: DynamicCircuit;
  /** Bits of each detector; a list may be empty. */
  readonly detectors: readonly (readonly Bit[])[];
  /** Coordinates of each detector, with those of SHIFT_COORDS added. */
  readonly coordinates: readonly (readonly number[])[];
  readonly logicalObservables: readonly (readonly Bit[])[];
  /** At most one: that the bits of a sweep are 0. */
  readonly warnings: readonly ProgramWarning[];
}

/** Bits of all detectors and observables together. */
const MAX_PARITY_BITS = 4_000_000;
/** Qubits of a chain of errors that exclude each other. */
const MAX_CHAIN_QUBITS = 6;
/** Qubits of an error that is a channel of its own. */
const MAX_CHANNEL_QUBITS = 2;

/**
 * Reads a text.
 *
 * @throws {StimTextError} at the first fault, with its line and column.
 * @throws {StepsSpentError} if it takes more than `limits.maxSteps` steps.
 */
export function readStim(text: string, limits: CircuitLimits): StimProgram {
  return new StimReader(text, limits).read();
}

type Qubits = { readonly kind: 'qubit'; readonly qubit: Qubit; readonly isInverted: boolean };
type Factor = { readonly pauli: Pauli; readonly qubit: Qubit; readonly isInverted: boolean };

/** A Pauli string as X and Z parts by qubit, with a power of i. */
class PauliString {
  readonly parts = new Map<Qubit, number>();
  /** Power of i. */
  phase = 0;

  /** Multiplies by a factor from the right. */
  multiply({ pauli, qubit, isInverted }: Factor): void {
    const before = this.parts.get(qubit) ?? 0;
    const factor = MASKS[pauli];
    if (isInverted) this.phase += 2;
    // XY = iZ, YZ = iX and ZX = iY; the other orders have −i.
    if (before !== 0 && before !== factor) {
      this.phase += CYCLE[before]! === factor ? 1 : 3;
    }
    if (before === factor) this.parts.delete(qubit);
    else this.parts.set(qubit, before ^ factor);
  }
}

/** Bit 0 for X, bit 1 for Z. */
const MASKS = { X: 1, Y: 3, Z: 2 } as const;
const LETTERS = ['', 'X', 'Z', 'Y'] as const;
/** The Pauli that follows in the order X, Y, Z. */
const CYCLE = [0, 3, 1, 2] as const;

/** Gates that turn the eigenstates of a Pauli into those of Z, and back. */
const TO_Z = { X: 'H', Y: 'SX', Z: undefined } as const;
const FROM_Z = { X: 'H', Y: 'SXDG', Z: undefined } as const;

class StimReader {
  readonly #text: string;
  readonly #limits: CircuitLimits;
  readonly #operations: DynamicOperation[] = [];
  readonly #channels = new Map<string, Channel | undefined>();
  readonly #detectors: Bit[][] = [];
  readonly #coordinates: number[][] = [];
  readonly #observables: Set<Bit>[] = [];
  #numParityBits = 0;
  #numBits = 0;
  #numSteps = 0;
  #shift: readonly number[] = [];
  #sweepAt: number | undefined;
  /** Errors of a chain of CORRELATED_ERROR that is not ended yet. */
  #chain: { readonly string: PauliString; readonly probability: number; readonly at: number }[] =
    [];
  #probabilityLeft = 1;
  /** The qubit beyond those of the text. */
  #spare = 0;
  #usesSpare = false;
  /** Offset of the instruction that is read. */
  #at = 0;

  constructor(text: string, limits: CircuitLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  read(): StimProgram {
    const statements = parseStim(this.#text);
    const numQubits = this.#countQubits(statements);
    this.#spare = numQubits;
    this.#run(statements);
    this.#endChain();
    const circuit: DynamicCircuit = {
      numQubits: this.#usesSpare ? numQubits + 1 : numQubits,
      numBits: this.#numBits,
      operations: this.#operations,
    };
    return {
      circuit,
      detectors: this.#detectors,
      coordinates: this.#coordinates,
      logicalObservables: Array.from(this.#observables, (bits) =>
        [...(bits ?? [])].sort(ascending),
      ),
      warnings: this.#warnings(),
    };
  }

  #warnings(): readonly ProgramWarning[] {
    if (this.#sweepAt === undefined) return [];
    const { line } = this.#fault('', this.#sweepAt);
    const message = `Line ${line}: bits of a sweep are 0, so that gates under them are left out.`;
    return [{ code: 'CIRCUIT_STIM_SWEEP_IGNORED', message, line }];
  }

  #fault(problem: string, offset = this.#at, code?: string) {
    return stimFault(this.#text, offset, problem, code);
  }

  /** One more than the highest qubit. */
  #countQubits(statements: readonly StimStatement[]): number {
    const { maxQubits } = this.#limits;
    let count = 0;
    const visit = (list: readonly StimStatement[]) => {
      for (const statement of list) {
        if (statement.gate === undefined) {
          visit(statement.body);
          continue;
        }
        if (statement.gate.targets === 'constants') continue;
        for (const target of statement.targets) {
          if (target.kind !== 'qubit' && target.kind !== 'pauli') continue;
          count = Math.max(count, target.qubit + 1);
          if (count <= maxQubits) continue;
          const problem = tooManyQubits(`Qubit ${target.qubit} is used`, count, this.#limits);
          throw this.#fault(problem, target.offset, LIMIT_EXCEEDED);
        }
      }
    };
    visit(statements);
    if (count === 0) throw this.#fault('The text acts on no qubit.', 0);
    return count;
  }

  #run(statements: readonly StimStatement[]): void {
    for (const statement of statements) {
      this.#at = statement.offset;
      this.#step(1);
      if (statement.gate !== undefined) {
        this.#step(statement.targets.length);
        this.#add(statement);
        continue;
      }
      for (let round = 0; round < statement.count; round++) this.#run(statement.body);
    }
  }

  #step(count: number): void {
    const { maxSteps = Number.POSITIVE_INFINITY, maxGates } = this.#limits;
    this.#numSteps += count;
    if (this.#numSteps > maxSteps) throw new StepsSpentError();
    if (this.#numSteps <= MAX_FREE_STEPS + 4 * maxGates) return;
    throw this.#fault(
      'With its REPEAT blocks unrolled the text has too many instructions.',
      this.#at,
      LIMIT_EXCEEDED,
    );
  }

  #push(operation: DynamicOperation): void {
    const { maxGates } = this.#limits;
    if (this.#operations.length >= maxGates) {
      const problem = `With its REPEAT blocks unrolled the circuit has more operations than the limit max_gates of ${maxGates}.`;
      throw this.#fault(problem, this.#at, LIMIT_EXCEEDED);
    }
    this.#operations.push(operation);
  }

  #gate(
    name: string,
    operands: readonly Qubit[],
    piece?: PieceOfStatement,
    angles: readonly number[] = [],
    bit?: Bit,
  ): void {
    const { numControls } = gateNamed(name);
    this.#push({
      kind: 'gate',
      gate: name,
      controls: operands.slice(0, numControls),
      targets: operands.slice(numControls),
      angles,
      ...(bit !== undefined && { condition: { bits: [bit], value: 1 } }),
      ...(piece !== undefined && { piece }),
    });
  }

  #add({ gate, targets, args }: StimInstruction): void {
    const { action, name } = gate;
    if (!(action.kind === 'correlated' && action.isElse)) this.#endChain();
    switch (action.kind) {
      case 'note':
        return;
      case 'gates':
      case 'controlled':
        this.#addGates(action, targets, gate.targets === 'pairs' ? 2 : 1);
        return;
      case 'rotation':
        for (const { qubit } of targets as readonly Qubits[]) {
          this.#gate(
            action.gate,
            [qubit],
            undefined,
            args.map((angle) => angle * Math.PI),
          );
        }
        return;
      case 'measure':
        this.#addMeasurements(action, targets as readonly (Qubits & StimTarget)[], args[0] ?? 0);
        return;
      case 'measure-pair':
        for (const [a, b] of pairsOf(targets as readonly Qubits[])) {
          const factors = [a, b].map((each) => ({ ...each, pauli: action.basis }));
          this.#measureProduct(this.#product(factors, this.#at), args[0] ?? 0);
        }
        return;
      case 'measure-product':
        for (const factors of productsOf(targets)) {
          this.#measureProduct(this.#product(factors, factors[0]!.offset), args[0] ?? 0);
        }
        return;
      case 'phase-product':
        for (const factors of productsOf(targets)) {
          this.#addPhase(this.#product(factors, factors[0]!.offset), action.gate);
        }
        return;
      case 'channel':
        this.#addChannels(
          name,
          action,
          targets as readonly Qubits[],
          args,
          gate.targets === 'pairs',
        );
        return;
      case 'heralded':
        this.#addHeralded(name, action, targets as readonly Qubits[], args);
        return;
      case 'correlated':
        this.#addCorrelated(action.isElse, targets, args[0]!);
        return;
      case 'pad':
        for (const { qubit: value } of targets as readonly Qubits[]) {
          this.#measureConstant(value === 1, args[0] ?? 0);
        }
        return;
      case 'detector':
        this.#coordinates.push(args.map((each, i) => each + (this.#shift[i] ?? 0)));
        this.#detectors.push([...this.#toggled(new Set(), targets)].sort(ascending));
        return;
      case 'observable': {
        const index = args[0]!;
        for (let i = this.#observables.length; i <= index; i++) this.#observables.push(new Set());
        const pauli = targets.find(({ kind }) => kind === 'pauli');
        if (pauli !== undefined) {
          throw this.#fault(
            'An observable of Pauli operators is not supported: include measurements, such as rec[-1].',
            pauli.offset,
          );
        }
        this.#toggled(this.#observables[index]!, targets);
        return;
      }
      case 'shift': {
        const length = Math.max(args.length, this.#shift.length);
        this.#shift = Array.from({ length }, (_, i) => (this.#shift[i] ?? 0) + (args[i] ?? 0));
      }
    }
  }

  /** The bit of `rec[-k]`. */
  #bitOf(back: number, offset: number): Bit {
    if (back <= this.#numBits) return this.#numBits - back;
    const before = this.#numBits === 1 ? 'is 1' : `are ${this.#numBits}`;
    const problem = `rec[-${back}] is before the first measurement: there ${before} before it.`;
    throw this.#fault(problem, offset);
  }

  /** Adds bits to a parity; one that comes twice is no part of it. */
  #toggled(parity: Set<Bit>, targets: readonly StimTarget[]): Set<Bit> {
    this.#numParityBits += targets.length;
    if (this.#numParityBits > MAX_PARITY_BITS) {
      const most = MAX_PARITY_BITS.toLocaleString('en');
      const problem = `More than ${most} measurements in all detectors and observables.`;
      throw this.#fault(problem, this.#at, LIMIT_EXCEEDED);
    }
    for (const target of targets) {
      if (target.kind !== 'record') continue;
      const bit = this.#bitOf(target.back, target.offset);
      if (!parity.delete(bit)) parity.add(bit);
    }
    return parity;
  }

  #addGates(
    action: Extract<StimAction, { kind: 'gates' | 'controlled' }>,
    targets: readonly StimTarget[],
    arity: 1 | 2,
  ): void {
    for (let i = 0; i < targets.length; i += arity) {
      const operands = targets.slice(i, i + arity);
      if (operands.every(({ kind }) => kind === 'qubit')) {
        const qubits = (operands as readonly Qubits[]).map(({ qubit }) => qubit);
        this.#addSteps(action.steps, action.main, qubits);
      } else if (action.kind === 'controlled') this.#addFeedback(action.pauli, operands);
    }
  }

  #addSteps(steps: readonly Step[], main: number, qubits: readonly Qubit[]): void {
    for (const [i, [name, ...places]] of steps.entries()) {
      const piece = i === main ? undefined : i < main ? 'opening' : 'closing';
      this.#gate(
        name,
        places.map((place) => qubits[place]!),
        piece,
      );
    }
  }

  /** A Pauli gate under a classical bit. Bits of a sweep are 0. */
  #addFeedback(pauli: Pauli, operands: readonly StimTarget[]): void {
    const target = operands.find(({ kind }) => kind === 'qubit');
    for (const operand of operands) {
      if (operand.kind === 'sweep') this.#sweepAt ??= operand.offset;
      if (operand.kind !== 'record') continue;
      const bit = this.#bitOf(operand.back, operand.offset);
      if (target?.kind === 'qubit') this.#gate(pauli, [target.qubit], undefined, [], bit);
    }
  }

  /** Numbers of new bits. */
  #newBits(count: number): readonly Bit[] {
    const first = this.#numBits;
    this.#numBits += count;
    if (this.#numBits > MAX_CLASSICAL_BITS) {
      const problem = `With its REPEAT blocks unrolled the circuit has more measurements than the limit of ${MAX_CLASSICAL_BITS.toLocaleString('en')}.`;
      throw this.#fault(problem, this.#at, LIMIT_EXCEEDED);
    }
    return Array.from({ length: count }, (_, i) => first + i);
  }

  #addMeasurements(
    { basis, measures, resets }: Extract<StimAction, { kind: 'measure' }>,
    targets: readonly Qubits[],
    flipped: number,
  ): void {
    for (const group of distinctRuns(targets)) {
      const qubits = group.map(({ qubit }) => qubit);
      const inverted = group.filter(({ isInverted }) => isInverted);
      const toZ = TO_Z[basis];
      if (toZ !== undefined && measures)
        for (const qubit of qubits) this.#gate(toZ, [qubit], 'opening');
      if (measures) {
        for (const { qubit } of inverted) this.#gate('X', [qubit], 'opening');
        this.#measure(qubits, flipped);
        if (!resets) for (const { qubit } of inverted) this.#gate('X', [qubit], 'closing');
      }
      if (resets) this.#push({ kind: 'reset', qubits });
      const fromZ = FROM_Z[basis];
      if (fromZ !== undefined) for (const qubit of qubits) this.#gate(fromZ, [qubit], 'closing');
    }
  }

  #measure(qubits: readonly Qubit[], flipped: number): void {
    const bits = this.#newBits(qubits.length);
    this.#push({ kind: 'measure', qubits, bits });
    if (flipped > 0) this.#push({ kind: 'misread', bits, p1Given0: flipped, p0Given1: flipped });
  }

  /** A product of Paulis. It is Hermitian, so that its phase is 0 or 2. */
  #product(factors: readonly Factor[], offset: number): PauliString {
    const string = new PauliString();
    for (const factor of factors) string.multiply(factor);
    string.phase %= 4;
    if (string.phase % 2 === 0) return string;
    throw this.#fault('This product is anti-Hermitian: it has a factor of i.', offset);
  }

  /** Brings a product to Z on one qubit by gates, which `undo` takes back. */
  #gathered({ parts }: PauliString): { readonly qubit: Qubit; undo(): void } {
    const qubits = [...parts.keys()];
    const qubit = qubits.at(-1)!;
    const others = qubits.slice(0, -1);
    for (const [each, mask] of parts) this.#turn(TO_Z, each, mask, 'opening');
    for (const other of others) this.#gate('CX', [other, qubit], 'opening');
    return {
      qubit,
      undo: () => {
        for (const other of others.toReversed()) this.#gate('CX', [other, qubit], 'closing');
        for (const [each, mask] of parts) this.#turn(FROM_Z, each, mask, 'closing');
      },
    };
  }

  #turn(table: typeof TO_Z | typeof FROM_Z, qubit: Qubit, mask: number, piece: PieceOfStatement) {
    // Checked: parts that are 0 are left out.
    const gate = table[LETTERS[mask] as Pauli];
    if (gate !== undefined) this.#gate(gate, [qubit], piece);
  }

  #measureProduct(string: PauliString, flipped: number): void {
    const isNegative = string.phase === 2;
    if (string.parts.size === 0) {
      this.#measureConstant(isNegative, flipped);
      return;
    }
    const { qubit, undo } = this.#gathered(string);
    if (isNegative) this.#gate('X', [qubit], 'opening');
    this.#measure([qubit], flipped);
    if (isNegative) this.#gate('X', [qubit], 'closing');
    undo();
  }

  #addPhase(string: PauliString, gate: 'S' | 'SDG'): void {
    if (string.parts.size === 0) return;
    const { qubit, undo } = this.#gathered(string);
    const inverse = gate === 'S' ? 'SDG' : 'S';
    this.#gate(string.phase === 2 ? inverse : gate, [qubit]);
    undo();
  }

  #measureConstant(value: boolean, flipped: number): void {
    this.#useSpare();
    if (value) this.#gate('X', [this.#spare], 'opening');
    this.#measure([this.#spare], flipped);
    if (value) this.#gate('X', [this.#spare], 'closing');
  }

  #useSpare(): void {
    const { maxQubits } = this.#limits;
    if (!this.#usesSpare && this.#spare >= maxQubits) {
      const problem = tooManyQubits(
        'With one for this instruction the circuit has more qubits',
        this.#spare + 1,
        this.#limits,
      );
      throw this.#fault(problem, this.#at, LIMIT_EXCEEDED);
    }
    this.#usesSpare = true;
  }

  #addChannels(
    name: string,
    { strings, isShared }: Extract<StimAction, { kind: 'channel' }>,
    targets: readonly Qubits[],
    args: readonly number[],
    isOfPairs: boolean,
  ): void {
    const errors = () =>
      strings.map((string, i) => ({
        ...masksOf(string),
        probability: isShared ? args[0]! / strings.length : args[i]!,
      }));
    const approximation = isOfPairs && !isShared ? 'added' : undefined;
    const key = `${name} ${args.join()}`;
    const channel = this.#channelOf(key, isOfPairs ? 2 : 1, errors, approximation);
    if (channel === undefined) return;
    const arity = isOfPairs ? 2 : 1;
    for (let i = 0; i < targets.length; i += arity) {
      const qubits = targets.slice(i, i + arity).map(({ qubit }) => qubit);
      this.#push({ kind: 'noise', qubits, channel });
    }
  }

  /** One object for channels that are alike. */
  #channelOf(
    name: string,
    numQubits: number,
    errors: () => readonly PauliError[],
    approximation?: PauliChannel['approximation'],
  ): Channel | undefined {
    if (!this.#channels.has(name)) {
      const channel = pauliChannel(numQubits, errors());
      const isMarked = approximation !== undefined && channel?.kind === 'pauli';
      this.#channels.set(name, isMarked ? { ...channel, approximation } : channel);
    }
    return this.#channels.get(name);
  }

  /** A herald is an X error of the spare qubit that comes with each of the others. */
  #addHeralded(
    name: string,
    { strings, isShared }: Extract<StimAction, { kind: 'heralded' }>,
    targets: readonly Qubits[],
    args: readonly number[],
  ): void {
    this.#useSpare();
    const errors = () =>
      strings.map((string, i) => {
        const { flips, signs } = masksOf(string);
        const probability = isShared ? args[0]! / strings.length : args[i]!;
        return { flips: flips | 2, signs, probability };
      });
    const channel = this.#channelOf(`${name} ${args.join()}`, 2, errors, 'added');
    for (const { qubit } of targets) {
      if (channel !== undefined) {
        this.#push({ kind: 'noise', qubits: [qubit, this.#spare], channel });
      }
      this.#measure([this.#spare], 0);
      this.#push({ kind: 'reset', qubits: [this.#spare] });
    }
  }

  #addCorrelated(isElse: boolean, targets: readonly StimTarget[], probability: number): void {
    if (isElse && this.#chain.length === 0) {
      throw this.#fault(
        'ELSE_CORRELATED_ERROR comes right after CORRELATED_ERROR, or another one.',
      );
    }
    const string = new PauliString();
    for (const target of targets) if (target.kind === 'pauli') string.multiply(target);
    this.#chain.push({ string, probability: this.#probabilityLeft * probability, at: this.#at });
    this.#probabilityLeft *= 1 - probability;
  }

  /** Adds the errors of a chain, of which at most one happens. */
  #endChain(): void {
    const chain = this.#chain;
    if (chain.length === 0) return;
    this.#chain = [];
    this.#probabilityLeft = 1;
    const qubits = [...new Set(chain.flatMap(({ string }) => [...string.parts.keys()]))];
    qubits.sort(ascending);
    if (qubits.length > MAX_CHANNEL_QUBITS && chain.length === 1) {
      this.#addWideError(chain[0]!.string, chain[0]!.probability);
      return;
    }
    if (qubits.length > MAX_CHAIN_QUBITS) {
      const problem = `The errors of this chain act on ${qubits.length} qubits; the limit is ${MAX_CHAIN_QUBITS}.`;
      throw this.#fault(problem, chain[0]!.at, LIMIT_EXCEEDED);
    }
    const errors: PauliError[] = [];
    for (const { string, probability } of chain) {
      let [flips, signs] = [0, 0];
      for (const [i, qubit] of qubits.entries()) {
        const mask = string.parts.get(qubit) ?? 0;
        flips |= (mask & 1) << i;
        signs |= (mask >> 1) << i;
      }
      if (flips !== 0 || signs !== 0) errors.push({ flips, signs, probability });
    }
    const written = errors.map(({ flips, signs, probability }) => [flips, signs, probability]);
    const name = `chain ${chain.length} ${qubits.length} ${written.join()}`;
    const channel = this.#channelOf(
      name,
      qubits.length,
      () => errors,
      chain.length > 1 ? 'each' : undefined,
    );
    if (channel !== undefined) this.#push({ kind: 'noise', qubits, channel });
  }

  /** An error of many qubits: one of the spare qubit, which controls their Paulis and is reset. */
  #addWideError({ parts }: PauliString, probability: number): void {
    const channel = this.#channelOf(`X_ERROR ${probability}`, 1, () => [
      { flips: 1, signs: 0, probability },
    ]);
    if (channel === undefined) return;
    this.#useSpare();
    this.#push({ kind: 'noise', qubits: [this.#spare], channel });
    for (const [qubit, mask] of parts) {
      this.#gate(`C${LETTERS[mask]}`, [this.#spare, qubit], 'opening');
    }
    this.#push({ kind: 'reset', qubits: [this.#spare], piece: 'opening' });
  }
}

const ascending = (a: number, b: number) => a - b;

/** Masks of a Pauli string, its first letter for the least significant bit. */
function masksOf(string: string): Pick<PauliError, 'flips' | 'signs'> {
  let [flips, signs] = [0, 0];
  for (const [i, letter] of [...string].entries()) {
    if (letter === 'X' || letter === 'Y') flips |= 1 << i;
    if (letter === 'Z' || letter === 'Y') signs |= 1 << i;
  }
  return { flips, signs };
}

/** Cuts targets where a qubit comes again. */
function distinctRuns(targets: readonly Qubits[]): readonly (readonly Qubits[])[] {
  const runs: Qubits[][] = [];
  let seen = new Set<Qubit>();
  for (const target of targets) {
    if (runs.length === 0 || seen.has(target.qubit)) {
      runs.push([]);
      seen = new Set();
    }
    seen.add(target.qubit);
    runs.at(-1)!.push(target);
  }
  return runs;
}

function pairsOf<T>(targets: readonly T[]): readonly (readonly [T, T])[] {
  return Array.from({ length: targets.length / 2 }, (_, i) => [
    targets[2 * i]!,
    targets[2 * i + 1]!,
  ]);
}

/** The products that combiners join. */
function productsOf(targets: readonly StimTarget[]): readonly (Factor & { offset: number })[][] {
  const products: (Factor & { offset: number })[][] = [];
  let isJoined = false;
  for (const target of targets) {
    if (target.kind === 'combiner') isJoined = true;
    else if (target.kind === 'pauli') {
      if (isJoined) products.at(-1)!.push(target);
      else products.push([target]);
      isJoined = false;
    }
  }
  return products;
}
