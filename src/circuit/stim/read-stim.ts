/**
 * Reads Stim's circuit format: gates, measurements and noise become a circuit whose classical bits are the measurement
 * record; detectors and observables become lists of these bits. REPEAT blocks are unrolled, or kept as loops if they
 * are too long for that and the caller takes loops.
 *
 * Results that `!` inverts are inverted by X gates around the measurement.
 */
import { type DynamicCircuit, numOperationsOf } from '../circuit.ts';
import {
  type CircuitLimits,
  hasTooManySteps,
  MAX_CLASSICAL_BITS,
  type ReadingWork,
  StepsSpentError,
  tooManyQubits,
  tooManySteps,
} from '../circuit-limits.ts';
import type { Bit } from '../classical-expression.ts';
import { LIMIT_EXCEEDED } from '../errors.ts';
import { hasLoss } from '../loss/loss-facts.ts';
import type { PauliError } from '../noise/channel.ts';
import type { ProgramWarning } from '../openqasm/token-stream.ts';
import { type Factor, masksOf, PauliString } from './pauli-string.ts';
import type { ParityBlock, ParityLoop, ParityRun, RepeatedParities } from './repeated-parities.ts';
import { StimCircuit, type TargetQubit } from './stim-circuit.ts';
import type { Pauli, StimAction } from './stim-gates.ts';
import {
  parseStim,
  type StimBlock,
  type StimInstruction,
  type StimStatement,
  type StimTarget,
  stimFault,
} from './stim-text.ts';
import { ObservableTracking, type TrackedObservables } from './track-observables.ts';

/** A text as it was read. */
export interface StimProgram {
  readonly circuit: DynamicCircuit;
  /** Bits of each detector; a list may be empty. */
  readonly detectors: readonly (readonly Bit[])[];
  /** Coordinates of each detector, with those of SHIFT_COORDS added. */
  readonly coordinates: readonly (readonly number[])[];
  /** Measured bits of each observable. */
  readonly logicalObservables: readonly (readonly Bit[])[];
  /** Present if observables have Pauli operators: the circuit in which they are tracked. */
  readonly tracked?: TrackedObservables;
  /** Present if the circuit has loops: its detectors and observables, which the lists above do not have. */
  readonly repeated?: RepeatedParities;
  /** At most one: that the bits of a sweep are 0. */
  readonly warnings: readonly ProgramWarning[];
}

/** Bits of all detectors and observables together. */
const MAX_PARITY_BITS = 4_000_000;
/** Bits that a text with loops may measure in all; also its rounds, and its detectors. */
const MAX_REPEATED_BITS = 2 ** 24;
/** Operations that a text with loops may run in all. */
const MAX_REPEATED_OPERATIONS = 2 ** 30;
/** Bits of all detectors and observables of a text with loops; each has as many of both as bits, at most. */
const MAX_REPEATED_PARITY_BITS = 2 ** 28;
/** Qubits of a chain of errors that exclude each other. */
const MAX_CHAIN_QUBITS = 6;
/** Qubits of an error that is a channel of its own. */
const MAX_CHANNEL_QUBITS = 2;

/**
 * Reads a text.
 *
 * @param takesLoops - Whether the circuit may have loops, if it exceeds limits without them.
 * @throws {StimTextError} at the first fault, with its line and column.
 * @throws {StepsSpentError} if it takes more than `limits.maxSteps` steps.
 */
export function readStim(
  text: string,
  limits: CircuitLimits,
  { takesLoops = false }: { readonly takesLoops?: boolean } = {},
): StimProgram {
  const statements = parseStim(text);
  if (takesLoops && statements.some(({ gate }) => gate === undefined)) {
    const looped = new StimReader(text, statements, limits, true);
    const program = looped.read();
    if (looped.exceedsLimits) return program;
  }
  return new StimReader(text, statements, limits, false).read();
}

/** Declarations of a block that is not ended yet. */
class OpenBlock {
  detectors: ParityRun['detectors'][number][] = [];
  observables: ParityRun['observables'][number][] = [];
  readonly #runs: ParityRun[] = [];
  readonly #loops: ParityLoop[] = [];

  addLoop(loop: ParityLoop): void {
    this.#endRun();
    this.#loops.push(loop);
  }

  #endRun(): void {
    this.#runs.push({ detectors: this.detectors, observables: this.observables });
    this.detectors = [];
    this.observables = [];
  }

  finish(): ParityBlock {
    this.#endRun();
    const [runs, loops] = [this.#runs, this.#loops];
    let numDetectors = 0;
    for (const { detectors } of runs) numDetectors += detectors.length;
    for (const { count, numDetectors: ofRound } of loops) numDetectors += count * ofRound;
    return { runs, loops, numDetectors };
  }
}

class StimReader {
  readonly #text: string;
  readonly #limits: CircuitLimits;
  readonly #statements: readonly StimStatement[];
  readonly #circuit: StimCircuit;
  /** Whether REPEAT blocks are kept as loops. */
  readonly #keepsLoops: boolean;
  /** The declarations so far of the text and of the blocks that are open, the innermost last. */
  readonly #blocks: OpenBlock[] = [new OpenBlock()];
  readonly #detectors: Bit[][] = [];
  readonly #coordinates: number[][] = [];
  readonly #observables: Set<Bit>[] = [];
  readonly #tracking: ObservableTracking;
  #numObservables = 0;
  /** Rounds of all loops. */
  #numRounds = 0;
  #numParityBits = 0;
  /** Work of reading, and operations of this text that it has. */
  readonly #work: ReadingWork;
  readonly #stepsBefore: number;
  #numCounted = 0;
  #shift: readonly number[] = [];
  #sweepAt: number | undefined;
  /** Errors of a chain of CORRELATED_ERROR that is not ended yet. */
  #chain: { readonly string: PauliString; readonly probability: number; readonly at: number }[] =
    [];
  #probabilityLeft = 1;
  /** Offset of the instruction that is read. */
  #at = 0;

  constructor(
    text: string,
    statements: readonly StimStatement[],
    limits: CircuitLimits,
    keepsLoops: boolean,
  ) {
    this.#text = text;
    this.#keepsLoops = keepsLoops;
    this.#limits = limits;
    this.#work = limits.readingWork ?? { numSteps: 0, numGates: 0 };
    this.#stepsBefore = this.#work.numSteps;
    this.#statements = statements;
    this.#tracking = new ObservableTracking(this.#statements);
    const numQubits = this.#countQubits(this.#statements);
    this.#circuit = new StimCircuit(numQubits, keepsLoops, limits, (problem) =>
      this.#fault(problem, this.#at, LIMIT_EXCEEDED),
    );
  }

  read(): StimProgram {
    this.#run(this.#statements);
    this.#endChain();
    const { numQubits, numBits, operations } = this.#circuit;
    const circuit = { numQubits, numBits, operations };
    const repeated = { ...this.#blocks[0]!.finish(), numObservables: this.#numObservables };
    if (this.#keepsLoops) this.#checkLoops(circuit, repeated);
    const logicalObservables = this.#observables.map((bits) => [...bits].sort(ascending));
    const tracked = this.#tracking.finish(circuit, logicalObservables);
    return {
      circuit,
      detectors: this.#detectors,
      coordinates: this.#coordinates,
      logicalObservables,
      ...(tracked !== undefined && { tracked }),
      ...(this.#keepsLoops && { repeated }),
      warnings: this.#warnings(),
    };
  }

  /** Whether a circuit with loops would exceed the limits of one without them. */
  get exceedsLimits(): boolean {
    const { numBits, operations } = this.#circuit;
    return (
      numBits > MAX_CLASSICAL_BITS ||
      numOperationsOf({ operations }) > this.#limits.maxGates ||
      this.#numParityBits > MAX_PARITY_BITS
    );
  }

  /** Refuses what does not go with loops, and more than there is room for. */
  #checkLoops(circuit: DynamicCircuit, { numDetectors }: RepeatedParities): void {
    const refuse = (problem: string) => {
      throw this.#fault(problem, 0, LIMIT_EXCEEDED);
    };
    const sizes = [
      ['operations', numOperationsOf(circuit), MAX_REPEATED_OPERATIONS],
      ['measurements', circuit.numBits, MAX_REPEATED_BITS],
      ['detectors', numDetectors, MAX_REPEATED_BITS],
      ['rounds', this.#numRounds, MAX_REPEATED_BITS],
      ['measurements in its detectors', this.#numParityBits, MAX_REPEATED_PARITY_BITS],
    ] as const;
    for (const [what, size, most] of sizes) {
      if (size <= most) continue;
      const found = size.toPrecision(3);
      refuse(
        `With all rounds of its REPEAT blocks the text has about ${found} ${what}; the limit is 2^${Math.log2(most)}.`,
      );
    }
    if (!this.exceedsLimits) return;
    if (this.#tracking.isNeeded) {
      refuse(
        'An observable of Pauli operators does not work with REPEAT blocks that are too long to be unrolled.',
      );
    }
    if (hasLoss(circuit)) {
      refuse('Loss of qubits does not work with REPEAT blocks that are too long to be unrolled.');
    }
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
        const { targets: form, action } = statement.gate;
        // Qubits that are only named, such as by their coordinates, need not be there.
        if (form === 'constants' || action.kind === 'note') continue;
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
      if (this.#keepsLoops) this.#addLoop(statement);
      else for (let round = 0; round < statement.count; round++) this.#run(statement.body);
    }
  }

  /** Reads the body once, and counts its bits, detectors and coordinates as often as it runs. */
  #addLoop({ count, body }: StimBlock): void {
    this.#endChain();
    const outer = this.#circuit.begin();
    const [shift, firstBit] = [this.#shift, this.#circuit.numBits];
    const [numRounds, numParityBits] = [this.#numRounds, this.#numParityBits];
    this.#blocks.push(new OpenBlock());
    this.#run(body);
    this.#endChain();
    const block = this.#blocks.pop()!.finish();
    const numBits = this.#circuit.numBits - firstBit;
    const step = this.#shift.map((each, i) => each - (shift[i] ?? 0));
    this.#circuit.end(outer, { count, numBits });
    this.#blocks.at(-1)!.addLoop({ ...block, count, numBits, step });
    this.#shift = this.#shift.map((each, i) => each + (count - 1) * step[i]!);
    this.#numRounds += count + (count - 1) * (this.#numRounds - numRounds);
    this.#numParityBits += (count - 1) * (this.#numParityBits - numParityBits);
  }

  /** Counts steps by the rules of all programs: see `hasTooManySteps`. */
  #step(count: number): void {
    const { maxSteps = Number.POSITIVE_INFINITY, maxGates } = this.#limits;
    const work = this.#work;
    work.numSteps += count;
    work.numGates += this.#circuit.numWritten - this.#numCounted;
    this.#numCounted = this.#circuit.numWritten;
    if (work.numSteps - this.#stepsBefore > maxSteps) throw new StepsSpentError();
    if (!hasTooManySteps(work, maxGates)) return;
    const what = 'With its REPEAT blocks unrolled the text has too many instructions and';
    throw this.#fault(tooManySteps(what, work, maxGates), this.#at, LIMIT_EXCEEDED);
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
        for (const { qubit } of targets as readonly TargetQubit[]) {
          this.#circuit.addGate(
            action.gate,
            [qubit],
            undefined,
            args.map((angle) => angle * Math.PI),
          );
        }
        return;
      case 'measure':
        this.#circuit.measure(
          action,
          targets as readonly (TargetQubit & StimTarget)[],
          args[0] ?? 0,
        );
        return;
      case 'measure-pair':
        for (const [a, b] of pairsOf(targets as readonly TargetQubit[])) {
          const factors = [a, b].map((each) => ({ ...each, pauli: action.basis }));
          this.#circuit.measureProduct(this.#product(factors, this.#at), args[0] ?? 0);
        }
        return;
      case 'measure-product':
        for (const factors of productsOf(targets)) {
          this.#circuit.measureProduct(this.#product(factors, factors[0]!.offset), args[0] ?? 0);
        }
        return;
      case 'phase-product':
        for (const factors of productsOf(targets)) {
          this.#circuit.addPhase(this.#product(factors, factors[0]!.offset), action.gate);
        }
        return;
      case 'channel':
        this.#addChannels(
          name,
          action,
          targets as readonly TargetQubit[],
          args,
          gate.targets === 'pairs',
        );
        return;
      case 'heralded':
        this.#circuit.addHeralded(name, action, targets as readonly TargetQubit[], args);
        return;
      case 'correlated':
        this.#addCorrelated(action.isElse, targets, args[0]!);
        return;
      case 'loss':
        this.#circuit.addLoss(targets as readonly TargetQubit[], args[0]!);
        return;
      case 'measure-loss':
        this.#circuit.measureLoss(targets as readonly TargetQubit[]);
        return;
      case 'pad':
        for (const { qubit: value } of targets as readonly TargetQubit[]) {
          this.#circuit.measureConstant(value === 1, args[0] ?? 0);
        }
        return;
      case 'detector':
        this.#addDetector(
          [...this.#toggled(new Set(), targets)].sort(ascending),
          args.map((each, i) => each + (this.#shift[i] ?? 0)),
        );
        return;
      case 'observable': {
        const index = args[0]!;
        for (let i = this.#observables.length; i <= index; i++) this.#observables.push(new Set());
        const included = this.#toggled(new Set(), targets);
        this.#numObservables = Math.max(this.#numObservables, index + 1);
        if (this.#keepsLoops) {
          this.#blocks.at(-1)!.observables.push({ index, bits: [...included] });
          this.#tracking.include(index, targets, included, this.#circuit.operations.length);
          return;
        }
        const bits = this.#observables[index]!;
        for (const bit of included) if (!bits.delete(bit)) bits.add(bit);
        this.#tracking.include(index, targets, included, this.#circuit.operations.length);
        return;
      }
      case 'shift': {
        const length = Math.max(args.length, this.#shift.length);
        this.#shift = Array.from({ length }, (_, i) => (this.#shift[i] ?? 0) + (args[i] ?? 0));
      }
    }
  }

  #addDetector(bits: Bit[], coordinates: number[]): void {
    if (this.#keepsLoops) this.#blocks.at(-1)!.detectors.push({ bits, coordinates });
    else {
      this.#detectors.push(bits);
      this.#coordinates.push(coordinates);
    }
  }

  /** The bit of `rec[-k]`. */
  #bitOf(back: number, offset: number): Bit {
    if (back <= this.#circuit.numBits) return this.#circuit.numBits - back;
    const before = this.#circuit.numBits === 1 ? 'is 1' : `are ${this.#circuit.numBits}`;
    const problem = `rec[-${back}] is before the first measurement: there ${before} before it.`;
    throw this.#fault(problem, offset);
  }

  /** Adds bits to a parity; one that comes twice is no part of it. */
  #toggled(parity: Set<Bit>, targets: readonly StimTarget[]): Set<Bit> {
    this.#numParityBits += targets.length;
    if (this.#numParityBits > MAX_PARITY_BITS && !this.#keepsLoops) {
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
        const qubits = (operands as readonly TargetQubit[]).map(({ qubit }) => qubit);
        this.#circuit.addSteps(action.steps, action.main, qubits);
      } else if (action.kind === 'controlled') this.#addFeedback(action.pauli, operands);
    }
  }

  /** A Pauli gate under a classical bit. Bits of a sweep are 0. */
  #addFeedback(pauli: Pauli, operands: readonly StimTarget[]): void {
    const target = operands.find(({ kind }) => kind === 'qubit');
    for (const operand of operands) {
      if (operand.kind === 'sweep') this.#sweepAt ??= operand.offset;
      if (operand.kind !== 'record') continue;
      const bit = this.#bitOf(operand.back, operand.offset);
      if (target?.kind === 'qubit')
        this.#circuit.addGate(pauli, [target.qubit], undefined, [], bit);
    }
  }

  /** A product of Paulis. It is Hermitian, so that its phase is 0 or 2. */
  #product(factors: readonly Factor[], offset: number): PauliString {
    const string = new PauliString();
    for (const factor of factors) string.multiply(factor);
    string.phase %= 4;
    if (string.phase % 2 === 0) return string;
    throw this.#fault('This product is anti-Hermitian: it has a factor of i.', offset);
  }

  #addChannels(
    name: string,
    { strings, isShared }: Extract<StimAction, { kind: 'channel' }>,
    targets: readonly TargetQubit[],
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
    const channel = this.#circuit.channelOf(key, isOfPairs ? 2 : 1, errors, approximation);
    if (channel === undefined) return;
    const arity = isOfPairs ? 2 : 1;
    for (let i = 0; i < targets.length; i += arity) {
      const qubits = targets.slice(i, i + arity).map(({ qubit }) => qubit);
      this.#circuit.push({ kind: 'noise', qubits, channel });
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
      this.#circuit.addWideError(chain[0]!.string, chain[0]!.probability);
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
    const channel = this.#circuit.channelOf(
      name,
      qubits.length,
      () => errors,
      chain.length > 1 ? 'each' : undefined,
    );
    if (channel !== undefined) this.#circuit.push({ kind: 'noise', qubits, channel });
  }
}

const ascending = (a: number, b: number) => a - b;

function pairsOf<T>(targets: readonly T[]): readonly (readonly [T, T])[] {
  return Array.from({ length: targets.length / 2 }, (_, i) => [
    targets[2 * i]!,
    targets[2 * i + 1]!,
  ]);
}

/** The products that combiners join. */
export function productsOf(
  targets: readonly StimTarget[],
): readonly (Factor & { readonly offset: number })[][] {
  const products: (Factor & { readonly offset: number })[][] = [];
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
