/**
 * Walks through a stabilizer program from its end to its beginning with what errors flip there: the errors of its
 * channels, and the parities of its bits without errors.
 */
import type { TrackOperation } from '../../circuit/circuit.ts';
import { StepsSpentError } from '../../circuit/circuit-limits.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import type { PauliError } from '../../circuit/noise/channel.ts';
import type {
  ParityBlock,
  ParityLoop,
  ParityRun,
  RepeatedParities,
} from '../../circuit/stim/repeated-parities.ts';
import { STABILIZER_OPS as OPS, STABILIZER_WORDS, type StabilizerProgram } from '../program.ts';
import { ErrorStrengths, type Strength } from './error-strengths.ts';
import { FlipTables } from './flip-tables.ts';
import { splitByChannel } from './split-errors.ts';
import {
  type DeclaredDetector,
  type ErrorPart,
  ErrorTable,
  independentBySymptoms,
  NONE,
  type RepeatedErrors,
  type Symptoms,
  sum,
  symptomsOfStrings,
} from './symptoms.ts';

/** Parities of classical bits that errors flip. Each is a list of bits. */
export interface Parities {
  readonly detectors: readonly (readonly Bit[])[];
  readonly logicalObservables: readonly (readonly Bit[])[];
  /** Coordinates of each detector, which the model states; a list may be empty. */
  readonly coordinates?: readonly (readonly number[])[];
  /** Present if the circuit has loops: its detectors and observables, which the lists above do not have. */
  readonly repeated?: RepeatedParities;
}

/** Numbers of detectors and of observables. */
export function sizesOf({ detectors, logicalObservables, repeated }: Parities): {
  readonly numDetectors: number;
  readonly numObservables: number;
} {
  return {
    numDetectors: repeated?.numDetectors ?? detectors.length,
    numObservables: repeated?.numObservables ?? logicalObservables.length,
  };
}

/** The parities in the form of a circuit; those of one without loops are one run. */
function blockOf({ detectors, logicalObservables, repeated }: Parities): ParityBlock {
  if (repeated !== undefined) return repeated;
  const run = {
    detectors: detectors.map((bits) => ({ bits, coordinates: [] })),
    observables: logicalObservables.map((bits, index) => ({ index, bits })),
  };
  return { runs: [run], loops: [], numDetectors: detectors.length };
}

/** Options of a walk that collects errors. */
export interface WalkOptions {
  /** Whether errors that flip several detectors are split into others of their channel. */
  readonly decomposeErrors: boolean;
  /** Whether errors that exclude each other, or depend on a value, are taken as independent where they are not. */
  readonly approximateDisjointErrors: boolean;
  /** Whether detectors may have random values: a random outcome is then an error of probability 1/2. */
  readonly allowGaugeDetectors: boolean;
}

/** Why a program has no error model. */
export type NoErrorModel =
  /** Runs without errors give different values of this parity. */
  | {
      readonly kind: 'random';
      readonly list: 'detectors' | 'logicalObservables';
      readonly index: number;
    }
  /** The program has an operation whose errors are no independent flips. */
  | { readonly kind: 'operation'; readonly what: string }
  /** No independent errors have the probabilities of this, and an approximation was not asked for. */
  | { readonly kind: 'disjoint'; readonly what: string }
  /** Rounds of a loop are not alike, and too many to be walked through one by one. */
  | { readonly kind: 'long' }
  /** An error flips these detectors and observables, and is no combination of errors that flip one or two. */
  | { readonly kind: 'whole'; readonly flipped: string };

/** Thrown where there is no model. */
export class NoModel extends Error {
  readonly reason: NoErrorModel;
  constructor(reason: NoErrorModel) {
    super(reason.kind);
    this.reason = reason;
  }
}

/** Instructions and symptoms of the rounds that are walked through one by one: 0.1 to 0.6 s, measured with 3 qubits. */
const MAX_ROUND_WORK = 2e7;

/** Masks of `FlipTables`. */
const [X, Z] = [1, 2];

/** Instructions of a program. */
interface CodeRange {
  readonly from: number;
  readonly to: number;
  /** For each instruction under a condition, the number of its condition. */
  readonly heads: ReadonlyMap<number, number>;
}

/** The loops among instructions that are in no other loop there. */
function loopsIn(code: Int32Array, { from, to }: CodeRange): readonly number[] {
  const loops: number[] = [];
  for (let place = from; place < to; place++) {
    if (code[STABILIZER_WORDS * place] !== OPS.repeat) continue;
    loops.push(place);
    place = code[STABILIZER_WORDS * place + 2]! - 1;
  }
  return loops;
}

/** What the rest of a walk depends on. */
interface WalkState {
  readonly ofX: readonly Symptoms[];
  readonly ofZ: readonly Symptoms[];
  readonly ofBit: ReadonlyMap<Bit, Symptoms>;
  /** Values of the observables so far. */
  readonly expected: Uint8Array;
  /** As `#signs`. */
  readonly signs: ReadonlyMap<number, number>;
}

/** Detectors and bits of some rounds. */
interface Moved {
  readonly detectors: number;
  readonly bits: number;
}

/** Parts with neighbours that come once as one part. */
function joinedParts(parts: readonly ErrorPart[]): readonly ErrorPart[] {
  const all: ErrorPart[] = [];
  for (const part of parts) {
    const before = all.at(-1);
    if ('times' in part || before === undefined || 'times' in before) {
      all.push(part);
      continue;
    }
    const table = new ErrorTable();
    for (const { symptoms, probability, terms } of [...before.errors, ...part.errors]) {
      table.add(symptoms, probability, terms);
    }
    all[all.length - 1] = {
      errors: table.errors,
      declared: [...before.declared, ...part.declared],
    };
  }
  return all;
}

/**
 * One walk from the end of a program to its beginning with the detectors that an X or a Z error on each qubit would
 * flip at that point.
 */
export class ErrorWalk {
  readonly #program: StabilizerProgram;
  readonly #numDetectors: number;
  /** Parities that errors flip at the present point; all qubits are in them. */
  readonly #tables = new FlipTables();
  readonly #block: ParityBlock;
  /** By how much bits are higher than written, in a loop. */
  #shift = 0;
  /** Parts of the model so far, from the last to the first, and the one that the walk adds to. */
  readonly #parts: ErrorPart[] = [];
  #errors = new ErrorTable();
  #declared: DeclaredDetector[] = [];
  #roundWork = 0;
  readonly #options: WalkOptions | undefined;
  readonly #allowGaugeDetectors: boolean;
  /** Parities of bits that tell flips alone. */
  readonly #tracked = new Set<number>();
  /** Whether a detector was found to be random. */
  hasGauge = false;
  /** Parities without errors, of a walk that met no random detector or does not collect errors. */
  readonly expected: Uint8Array;
  readonly #strengths: ErrorStrengths | undefined;
  readonly #mostWork: number;

  /**
   * @param options - Absent if errors are not collected.
   * @param mostWork - Instructions and numbers of parities after which the walk throws StepsSpentError.
   */
  constructor(
    program: StabilizerProgram,
    parities: Parities,
    options?: WalkOptions,
    allowGaugeDetectors = options?.allowGaugeDetectors ?? false,
    mostWork = Number.POSITIVE_INFINITY,
  ) {
    this.#mostWork = mostWork;
    this.#program = program;
    this.#options = options;
    this.#allowGaugeDetectors = allowGaugeDetectors;
    const { numDetectors, numObservables } = sizesOf(parities);
    this.#numDetectors = numDetectors;
    for (let qubit = 0; qubit < program.numQubits; qubit++) {
      this.#tables.ofX.push(NONE);
      this.#tables.ofZ.push(NONE);
    }
    this.#block = blockOf(parities);
    this.#strengths = options && new ErrorStrengths(program, options);
    this.expected = new Uint8Array(numDetectors + numObservables);
  }

  /**
   * The independent errors of the program, in the order of its loops; one part if it has none.
   *
   * @throws {NoModel}
   * @throws {StepsSpentError} if the walk takes more work than allowed.
   */
  errors(): readonly ErrorPart[] {
    const { code, numQubits } = this.#program;
    const heads = this.#headsOfConditions();
    this.#walk({ heads, from: 0, to: code.length / STABILIZER_WORDS }, this.#block, [], 0, 0);
    for (let qubit = 0; qubit < numQubits; qubit++) this.#certain(this.#tables.ofZ[qubit]!);
    for (const index of this.#tracked) this.expected[index] = 0;
    this.#endPart();
    return joinedParts(this.#parts.toReversed());
  }

  /**
   * Walks through instructions, a round of a loop or the whole program.
   *
   * @param steps - What coordinates are increased by: one list for each loop around the block, times its round.
   * @param shift - By how much bits are higher than written.
   * @param firstDetector - Detectors before the block.
   */
  #walk(
    range: CodeRange,
    block: ParityBlock,
    steps: readonly (readonly number[])[],
    shift: number,
    firstDetector: number,
  ): void {
    const { code } = this.#program;
    const loops = loopsIn(code, range);
    let detector = firstDetector + block.numDetectors;
    let at = range.to;
    for (let i = block.runs.length - 1; i >= 0; i--) {
      const { detectors, observables } = block.runs[i]!;
      detector -= detectors.length;
      this.#shift = shift;
      this.#declare(block.runs[i]!, detector, steps);
      for (const { index, bits } of observables) {
        for (const bit of bits) this.#tables.flipBit(bit + shift, [this.#numDetectors + index]);
      }
      const place = loops[i - 1];
      const begin = place === undefined ? range.from : code[STABILIZER_WORDS * place + 2]!;
      while (--at >= begin) {
        const head = range.heads.get(at);
        if (head === undefined) this.#undo(STABILIZER_WORDS * at);
        else this.#undoConditional(STABILIZER_WORDS * at, head);
        if (this.#tables.work > this.#mostWork) throw new StepsSpentError();
      }
      if (place === undefined) continue;
      const loop = block.loops[i - 1]!;
      detector -= loop.count * loop.numDetectors;
      this.#walkLoop(range.heads, place, loop, steps, shift, detector);
      at = place;
    }
  }

  #declare({ detectors }: ParityRun, first: number, steps: readonly (readonly number[])[]): void {
    // Many detectors may have the same bit, whose list is extended once.
    const ofBits = new Map<Bit, number[]>();
    for (const [i, { bits, coordinates }] of detectors.entries()) {
      for (const bit of bits) {
        const own = ofBits.get(bit);
        if (own === undefined) ofBits.set(bit, [first + i]);
        else own.push(first + i);
      }
      if (this.#block.loops.length === 0) continue;
      const own = coordinates.map((each, k) =>
        steps.reduce((sum, step) => sum + (step[k] ?? 0), each),
      );
      this.#declared.push({ detector: first + i, coordinates: own });
    }
    for (const [bit, own] of ofBits) this.#tables.flipBit(bit + this.#shift, own);
  }

  /**
   * Walks through the rounds of a loop from the last to the first. Where a round ends as a later one did, the rounds
   * between them come again in all that are left but a rest, and are a part of the model with a number of times.
   */
  #walkLoop(
    heads: ReadonlyMap<number, number>,
    place: number,
    loop: ParityLoop,
    steps: readonly (readonly number[])[],
    shift: number,
    firstDetector: number,
  ): void {
    const at = STABILIZER_WORDS * place;
    const [count, to] = [this.#program.code[at + 1]!, this.#program.code[at + 2]!];
    const { numBits, numDetectors, step } = loop;
    let kept:
      | { readonly round: number; readonly numParts: number; readonly state: WalkState }
      | undefined;
    for (let round = count; round > 0; ) {
      round--;
      const ofRound = step.map((each) => round * each);
      this.#walk(
        { heads, from: place + 1, to },
        loop,
        [...steps, ofRound],
        shift + round * numBits,
        firstDetector + round * numDetectors,
      );
      const period = (kept?.round ?? round) - round;
      const numFolded = period === 0 ? 0 : Math.floor(round / period);
      if (kept !== undefined && numFolded > 0) {
        const moved = { detectors: period * numDetectors, bits: period * numBits };
        const end = firstDetector + kept.round * numDetectors;
        if (this.#isAs(kept.state, moved, end)) {
          this.#fold(kept, numFolded, {
            first: firstDetector + round * numDetectors,
            moved,
            step: step.map((each) => period * each),
          });
          round -= numFolded * period;
          kept = undefined;
          continue;
        }
      }
      const numRounds = count - round;
      if ((numRounds & (numRounds - 1)) === 0 && round > 0) {
        this.#endPart();
        kept = { round, numParts: this.#parts.length, state: this.#state() };
      }
      this.#spendRound(to - place);
    }
  }

  #spendRound(numInstructions: number): void {
    this.#roundWork += numInstructions;
    for (const { length } of this.#tables.ofBit.values()) this.#roundWork += 1 + length;
    for (const { length } of this.#tables.ofX) this.#roundWork += length;
    for (const { length } of this.#tables.ofZ) this.#roundWork += length;
    if (this.#roundWork > MAX_ROUND_WORK) throw new NoModel({ kind: 'long' });
  }

  #endPart(): void {
    const [errors, declared] = [this.#errors.errors, this.#declared];
    this.#errors = new ErrorTable();
    this.#declared = [];
    this.#parts.push({ errors, declared });
  }

  #state(): WalkState {
    return {
      ofX: [...this.#tables.ofX],
      ofZ: [...this.#tables.ofZ],
      ofBit: new Map([...this.#tables.ofBit].filter(([, symptoms]) => symptoms.length > 0)),
      expected: this.expected.slice(this.#numDetectors),
      signs: this.#signs(),
    };
  }

  /** The values so far of detectors that errors may still flip, by detector. */
  #signs(): Map<number, number> {
    const signs = new Map<number, number>();
    for (const lists of [this.#tables.ofX, this.#tables.ofZ, this.#tables.ofBit.values()]) {
      for (const symptoms of lists) {
        for (const each of symptoms) {
          if (each < this.#numDetectors) signs.set(each, this.expected[each]!);
        }
      }
    }
    return signs;
  }

  /**
   * Whether all is as in a state before, but for detectors and bits that are lower; and all detectors that errors may
   * still flip are below one.
   */
  #isAs(before: WalkState, moved: Moved, end: number): boolean {
    const isSame = (a: Symptoms, b: Symptoms) =>
      a.length === b.length &&
      a.every((each, i) => (each < this.#numDetectors ? each - moved.detectors : each) === b[i]!);
    const areSameLists = (a: readonly Symptoms[], b: readonly Symptoms[]) =>
      a.every((symptoms, i) => isSame(symptoms, b[i]!));
    if (!areSameLists(before.ofX, this.#tables.ofX) || !areSameLists(before.ofZ, this.#tables.ofZ))
      return false;
    const { ofBit } = this.#tables;
    for (const [bit, symptoms] of before.ofBit) {
      if (!isSame(symptoms, ofBit.get(bit - moved.bits) ?? NONE)) return false;
    }
    const numBits = [...ofBit.values()].filter((symptoms) => symptoms.length > 0).length;
    const signs = this.#signs();
    if (numBits !== before.ofBit.size || signs.size !== before.signs.size) return false;
    for (const [detector, sign] of before.signs) {
      if (signs.get(detector - moved.detectors) !== sign) return false;
    }
    return [...signs.keys()].every((detector) => detector < end);
  }

  /** Takes the parts since a state for those of `numFolded` earlier periods, too, and goes on before these. */
  #fold(
    { numParts, state }: { readonly numParts: number; readonly state: WalkState },
    numFolded: number,
    { first, moved, step }: Pick<RepeatedErrors, 'first' | 'step'> & { readonly moved: Moved },
  ): void {
    this.#endPart();
    const parts = joinedParts(this.#parts.splice(numParts).toReversed());
    const period = moved.detectors;
    this.#parts.push({ times: numFolded + 1, first, numDetectors: period, step, parts });
    const [by, signs] = [numFolded * period, this.#signs()];
    const final = (detector: number) =>
      this.expected[signs.has(detector) ? detector + period : detector]!;
    const values = Uint8Array.from({ length: period }, (_, i) => final(first + i));
    for (let i = 0; i <= numFolded; i++) this.expected.set(values, first - i * period);
    for (const [detector, sign] of signs) this.expected[detector - by] = sign;
    if (numFolded % 2 === 1) {
      this.expected.set(state.expected, this.#numDetectors);
    }
    const lower = (symptoms: Symptoms): Symptoms =>
      symptoms.map((each) => (each < this.#numDetectors ? each - by : each));
    for (const lists of [this.#tables.ofX, this.#tables.ofZ]) {
      for (const [qubit, symptoms] of lists.entries()) lists[qubit] = lower(symptoms);
    }
    const bits = numFolded * moved.bits;
    this.#tables.ofBit = new Map(
      [...this.#tables.ofBit].map(([bit, symptoms]) => [bit - bits, lower(symptoms)] as const),
    );
  }

  /** For each instruction under a condition, the number of its condition. */
  #headsOfConditions(): ReadonlyMap<number, number> {
    const { code } = this.#program;
    const heads = new Map<number, number>();
    for (let at = 0; at < code.length; at += STABILIZER_WORDS) {
      if (code[at] !== OPS.unless) continue;
      const [condition, end] = [code[at + 1]!, code[at + 2]!];
      for (let i = at / STABILIZER_WORDS + 1; i < end; i++) heads.set(i, condition);
    }
    return heads;
  }

  #undo(at: number): void {
    const { code, operands, tracks } = this.#program;
    const [op, a, b, c] = [code[at]!, code[at + 1]!, code[at + 2]!, code[at + 3]!];
    const { ofX, ofZ } = this.#tables;
    switch (op) {
      case OPS.unless:
        return;
      case OPS.measure:
        // Strings with signs must commute with Z before they get it. The lines of a model follow from Stim's order.
        if (this.#options === undefined) this.#certain(ofZ[a]!);
        this.#tables.multiply(a, Z, this.#tables.takeBit(b + this.#shift));
        if (this.#options !== undefined) this.#certain(ofZ[a]!);
        return;
      case OPS.reset:
        this.#certain(ofZ[a]!);
        ofX[a] = NONE;
        ofZ[a] = NONE;
        return;
      case OPS.noise1:
        this.#addChannel(a, [b]);
        return;
      case OPS.noise2:
        this.#addChannel(a, [b, c]);
        return;
      case OPS.noise:
        this.#addChannel(a, operands.subarray(b, b + c));
        return;
      case OPS.misread:
        this.#addMisreading(a, b + this.#shift);
        return;
      case OPS.track:
        this.#undoTrack(tracks[a]!);
        return;
      case OPS.assign:
        throw unsuitable('bits that are computed from bits');
      case OPS.again:
        throw unsuitable('a loop');
      case OPS.maybeReset:
        throw unsuitable('a reset with a probability');
      default:
        this.#turn(this.#tables.undoGate(op, a, b));
    }
  }

  /** Errors that flip the string or the bits flip what the tracked bit is part of, which has no value but flips. */
  #undoTrack({ flips, signs, reads, bit }: TrackOperation): void {
    const symptoms = this.#tables.ofBit.get(bit) ?? NONE;
    for (const qubit of flips) this.#tables.multiply(qubit, X, symptoms);
    for (const qubit of signs) this.#tables.multiply(qubit, Z, symptoms);
    for (const each of reads) this.#tables.flipBit(each, symptoms);
    for (const index of symptoms) this.#tracked.add(index);
  }

  /** A Pauli gate under a condition is flipped by an error of the bit that the condition reads. */
  #undoConditional(at: number, condition: number): void {
    const { code, conditions } = this.#program;
    const [op, qubit] = [code[at]!, code[at + 1]!];
    const { bits, value } = conditions[condition]!;
    if (op === OPS.again) throw unsuitable('a loop');
    const isPauli = op === OPS.x || op === OPS.y || op === OPS.z;
    if (!isPauli) throw unsuitable('an operation other than a Pauli gate under a condition');
    if (bits.length !== 1) throw unsuitable('a condition on several bits');
    const flipped = this.#tables.undoGate(op, qubit, qubit);
    this.#tables.flipBit(bits[0]! + this.#shift, flipped);
    if (value === 0) this.#turn(flipped);
  }

  /** Takes note that Pauli strings change their sign, and so parities their value. */
  #turn(symptoms: Symptoms): void {
    for (const index of symptoms) this.expected[index]! ^= 1;
  }

  /**
   * Refuses parities that the random phase of a qubit that was just measured or prepared would change, or takes this
   * phase as an error.
   */
  #certain(symptoms: Symptoms): void {
    const [first] = symptoms;
    if (first === undefined) return;
    if (this.#allowGaugeDetectors && symptoms.at(-1)! < this.#numDetectors) {
      this.hasGauge = true;
      if (this.#options === undefined) this.#multiplyStrings(symptoms);
      else this.#errors.add(symptoms, 1 / 2, this.#strengths?.half);
      this.#removeGauge(symptoms);
      return;
    }
    const isDetector = first < this.#numDetectors;
    throw new NoModel({
      kind: 'random',
      list: isDetector ? 'detectors' : 'logicalObservables',
      index: isDetector ? first : first - this.#numDetectors,
    });
  }

  /**
   * Leaves out the last of some random detectors, and multiplies the others by it. What is left of these is certain
   * again; the error that flips all of them gives the last a random value.
   */
  #removeGauge(random: Symptoms): void {
    const last = random.at(-1)!;
    const multiplied = (symptoms: Symptoms) =>
      symptoms.includes(last) ? sum(symptoms, random) : symptoms;
    for (const [qubit, symptoms] of this.#tables.ofX.entries())
      this.#tables.ofX[qubit] = multiplied(symptoms);
    for (const [qubit, symptoms] of this.#tables.ofZ.entries())
      this.#tables.ofZ[qubit] = multiplied(symptoms);
    // As Stim does, a model leaves errors of earlier bits as they are: they are the same but for the random error.
    if (this.#options !== undefined) return;
    for (const [bit, symptoms] of this.#tables.ofBit)
      this.#tables.ofBit.set(bit, multiplied(symptoms));
  }

  /** The signs of strings when they are multiplied by the last of them, whose own sign is free. */
  #multiplyStrings(random: Symptoms): void {
    const last = random.at(-1)!;
    for (const each of random.slice(0, -1)) {
      let turns = 2 * this.expected[last]!;
      for (const [qubit, ofX] of this.#tables.ofX.entries()) {
        const ofZ = this.#tables.ofZ[qubit]!;
        turns += turnsOfProduct(pauliOf(each, ofX, ofZ), pauliOf(last, ofX, ofZ));
      }
      // The strings commute, so that their product has no factor of i.
      this.expected[each]! ^= (turns >> 1) & 1;
    }
    this.expected[last] = 0;
  }

  #addChannel(number: number, qubits: ArrayLike<number>): void {
    if (this.#options === undefined || this.#strengths === undefined) return;
    const { decomposeErrors, approximateDisjointErrors } = this.#options;
    const { channel, errors: known, independent } = this.#strengths.channels[number]!;
    const add = (symptoms: Symptoms, strength: Strength) =>
      this.#errors.add(symptoms, strength.probability, strength.term);
    if (known === undefined) {
      for (const [i, error] of channel.errors.entries()) {
        add(this.#symptomsOf(error, qubits), independent![i]!);
      }
      return;
    }
    const { basis, disjoint } = known;
    const flipped = basis.map(
      ({ place, isX }) => (isX ? this.#tables.ofX : this.#tables.ofZ)[qubits[place]!]!,
    );
    for (const { length } of flipped) this.#tables.work += length * disjoint.length;
    const cases = symptomsOfStrings(flipped);
    const errors = decomposeErrors ? splitByChannel(cases, this.#numDetectors) : cases;
    if (independent !== undefined) {
      for (const [i, symptoms] of errors.entries()) add(symptoms, independent[i]!);
      return;
    }
    const isAdded = channel.approximation === 'added' && approximateDisjointErrors;
    const probabilities = independentBySymptoms(
      disjoint,
      cases,
      isAdded ? 'added' : approximateDisjointErrors ? 'if need be' : 'never',
    );
    if (probabilities === undefined) {
      const which = qubits.length === 1 ? 'qubit' : 'qubits';
      const what = `the channel on ${which} ${Array.from(qubits).join(', ')}, whose errors exclude each other`;
      throw new NoModel({ kind: 'disjoint', what });
    }
    for (const [i, symptoms] of errors.entries()) this.#errors.add(symptoms, probabilities[i]!);
  }

  #symptomsOf({ flips, signs }: PauliError, qubits: ArrayLike<number>): Symptoms {
    let symptoms = NONE;
    for (let i = 0; i < qubits.length; i++) {
      const mask = ((flips >> i) & 1) | (((signs >> i) & 1) << 1);
      symptoms = sum(symptoms, this.#tables.flippedBy(qubits[i]!, mask));
    }
    return symptoms;
  }

  #addMisreading(number: number, bit: Bit): void {
    if (this.#options === undefined || this.#strengths === undefined) return;
    const { p1Given0, p0Given1 } = this.#program.misreads[number]!;
    const symptoms = this.#tables.ofBit.get(bit) ?? NONE;
    const isSymmetric = p1Given0 === p0Given1 || symptoms.length === 0;
    if (!isSymmetric && !this.#options.approximateDisjointErrors) {
      const what = `the readout of bit ${bit}, whose p1_given_0 of ${p1Given0} is not its p0_given_1 of ${p0Given1}`;
      throw new NoModel({ kind: 'disjoint', what });
    }
    const { probability, term } = this.#strengths.misreads[number]!;
    this.#errors.add(symptoms, probability, term);
  }
}

function unsuitable(what: string): NoModel {
  return new NoModel({ kind: 'operation', what });
}

/** The factor that a parity's string has on a qubit: 0 for none, 1, 2 and 3 for X, Y and Z. */
function pauliOf(parity: number, ofX: Symptoms, ofZ: Symptoms): number {
  if (!ofX.includes(parity)) return ofZ.includes(parity) ? 1 : 0;
  return ofZ.includes(parity) ? 2 : 3;
}

/** Quarter turns of the phase of a product: XY = iZ, and YX = −iZ. */
function turnsOfProduct(a: number, b: number): number {
  if (a === 0 || b === 0 || a === b) return 0;
  return (b - a + 3) % 3 === 1 ? 1 : 3;
}
