/**
 * The detector error model of a program, as text that Stim and PyMatching read: which errors happen independently, how
 * likely, and which detectors and logical observables each of them flips.
 *
 * The program is taken backwards. Each qubit keeps the detectors that X and Z on it would flip from there on, so that an
 * error's symptoms are at hand where it happens.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, section 4; Stim's documentation of its file format.
 */
import type { PauliChannel } from '../../circuit/noise/channel.ts';
import { STABILIZER_OPS, type StabilizerProgram } from '../../compiler/program.ts';
import type { DetectorView } from '../engine.ts';
import { DetectorNotDeterministicError } from '../errors.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { independentErrors } from './independent-errors.ts';

const ops = STABILIZER_OPS;

/** Numbers of detectors, then of observables after all detectors; ascending. */
type Symptoms = readonly number[];

const NONE: Symptoms = [];

/** Digits of a probability that are written; the last ones would be rounding. */
const DIGITS = 12;

/** Symptoms that are in one of two lists and not in both. */
function combined(a: Symptoms, b: Symptoms): Symptoms {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const out: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i]! < b[j]!) out.push(a[i++]!);
    else if (a[i]! > b[j]!) out.push(b[j++]!);
    else {
      i++;
      j++;
    }
  }
  while (i < a.length) out.push(a[i++]!);
  while (j < b.length) out.push(b[j++]!);
  return out;
}

/** An error with its symptoms, in the parts that a decoder takes for edges. */
interface ErrorLine {
  probability: number;
  readonly parts: readonly Symptoms[];
}

/**
 * The error model.
 *
 * @param program - Without conditions, loops and resets by chance.
 * @throws {DetectorNotDeterministicError} if a detector is random without noise.
 */
export async function errorModelOf(
  program: StabilizerProgram,
  view: DetectorView,
  slicer: TimeSlicer,
): Promise<string> {
  const lines = await new ErrorWalk(program, view).run(slicer);
  const numDetectors = view.detectors.length;
  const edges = knownEdges(lines, numDetectors);
  const named = (symptom: number) =>
    symptom < numDetectors ? `D${symptom}` : `L${symptom - numDetectors}`;
  const text: string[] = [];
  const seen = new Set<number>();
  for (const { probability, parts } of lines) {
    const split = parts.flatMap((part) => decomposed(part, numDetectors, edges));
    for (const symptom of split.flat()) seen.add(symptom);
    text.push(
      `error(${Number(probability.toPrecision(DIGITS))}) ${split.map((part) => part.map(named).join(' ')).join(' ^ ')}`,
    );
  }
  for (let i = 0; i < numDetectors + view.logicalObservables.length; i++) {
    if (!seen.has(i))
      text.push(`${i < numDetectors ? 'detector' : 'logical_observable'} ${named(i)}`);
  }
  return `${text.join('\n')}\n`;
}

/** Walks backwards through a program and gathers errors by their symptoms. */
class ErrorWalk {
  readonly #program: StabilizerProgram;
  /** By qubit: symptoms of X, and of Z. */
  readonly #ofX: Symptoms[];
  readonly #ofZ: Symptoms[];
  /** By bit: what it is part of, until the measurement that wrote it last. */
  readonly #ofBit = new Map<number, Symptoms>();
  readonly #lines = new Map<string, ErrorLine>();
  readonly #independent = new Map<PauliChannel, PauliChannel['errors']>();
  readonly #numDetectors: number;

  constructor(program: StabilizerProgram, { detectors, logicalObservables }: DetectorView) {
    this.#program = program;
    this.#numDetectors = detectors.length;
    this.#ofX = new Array(program.numQubits).fill(NONE);
    this.#ofZ = new Array(program.numQubits).fill(NONE);
    for (const [symptom, bits] of [...detectors, ...logicalObservables].entries()) {
      for (const bit of bits) {
        this.#ofBit.set(bit, combined(this.#ofBit.get(bit) ?? NONE, [symptom]));
      }
    }
  }

  async run(slicer: TimeSlicer): Promise<readonly ErrorLine[]> {
    const { code, numQubits } = this.#program;
    for (let place = code.length / 4 - 1; place >= 0; place--) {
      const at = 4 * place;
      this.#step(code[at]!, code[at + 1]!, code[at + 2]!, code[at + 3]!);
      const isNoise = code[at]! >= ops.noise1 && code[at]! <= ops.noise;
      const numErrors = isNoise ? this.#program.channels[code[at + 1]!]!.errors.length : 1;
      if (slicer.spend(100 * numErrors)) await slicer.pause();
    }
    for (let qubit = 0; qubit < numQubits; qubit++) this.#expectNone(this.#ofZ[qubit]!);
    return [...this.#lines.values()];
  }

  /** Z on a qubit whose value was just measured or set changes nothing, so what it would flip is random. */
  #expectNone(symptoms: Symptoms): void {
    const [first] = symptoms;
    if (first === undefined) return;
    throw new DetectorNotDeterministicError(
      first < this.#numDetectors
        ? `Detector ${first}`
        : `Logical observable ${first - this.#numDetectors}`,
    );
  }

  #step(op: number, a: number, b: number, c: number): void {
    const [ofX, ofZ] = [this.#ofX, this.#ofZ];
    switch (op) {
      case ops.h:
        [ofX[a], ofZ[a]] = [ofZ[a]!, ofX[a]!];
        break;
      case ops.s:
      case ops.sdg:
        ofX[a] = combined(ofX[a]!, ofZ[a]!);
        break;
      case ops.cx:
        ofX[a] = combined(ofX[a]!, ofX[b]!);
        ofZ[b] = combined(ofZ[b]!, ofZ[a]!);
        break;
      case ops.cz:
        ofX[a] = combined(ofX[a]!, ofZ[b]!);
        ofX[b] = combined(ofX[b]!, ofZ[a]!);
        break;
      case ops.swap:
        [ofX[a], ofX[b]] = [ofX[b]!, ofX[a]!];
        [ofZ[a], ofZ[b]] = [ofZ[b]!, ofZ[a]!];
        break;
      case ops.measure:
        this.#expectNone(ofZ[a]!);
        ofX[a] = combined(ofX[a]!, this.#ofBit.get(b) ?? NONE);
        this.#ofBit.delete(b);
        break;
      case ops.reset:
        this.#expectNone(ofZ[a]!);
        ofX[a] = NONE;
        break;
      case ops.noise1:
        this.#noise(a, [b]);
        break;
      case ops.noise2:
        this.#noise(a, [b, c]);
        break;
      case ops.noise:
        this.#noise(a, this.#program.operands.subarray(b, b + c));
        break;
      case ops.misread: {
        const { p1Given0, p0Given1 } = this.#program.misreads[a]!;
        // A flip, as likely as the mean of both.
        this.#add((p1Given0 + p0Given1) / 2, [this.#ofBit.get(b) ?? NONE]);
        break;
      }
    }
  }

  #noise(number: number, qubits: ArrayLike<number>): void {
    const channel = this.#program.channels[number]!;
    let errors = this.#independent.get(channel);
    if (errors === undefined) {
      errors = independentErrors(channel);
      this.#independent.set(channel, errors);
    }
    for (const { flips, signs, probability } of errors) {
      let [fromX, fromZ] = [NONE, NONE];
      for (let i = 0; i < qubits.length; i++) {
        if (((flips >> i) & 1) === 1) fromX = combined(fromX, this.#ofX[qubits[i]!]!);
        if (((signs >> i) & 1) === 1) fromZ = combined(fromZ, this.#ofZ[qubits[i]!]!);
      }
      this.#add(probability, [fromX, fromZ]);
    }
  }

  #add(probability: number, parts: readonly Symptoms[]): void {
    const all = parts.reduce(combined);
    if (all.length === 0 || probability === 0) return;
    const key = all.join();
    const known = this.#lines.get(key);
    if (known === undefined) {
      const apart = this.#numDetectorsOf(all) <= 2 ? [all] : parts.filter((p) => p.length > 0);
      this.#lines.set(key, { probability, parts: apart });
    } else {
      const both = known.probability * probability;
      known.probability += probability - 2 * both;
    }
  }

  #numDetectorsOf(symptoms: Symptoms): number {
    return symptoms.filter((symptom) => symptom < this.#numDetectors).length;
  }
}

/** Observables that errors with at most two detectors flip, by these detectors. */
type Edges = ReadonlyMap<string, readonly Symptoms[]>;

function knownEdges(lines: readonly ErrorLine[], numDetectors: number): Edges {
  const edges = new Map<string, Symptoms[]>();
  for (const part of lines.flatMap(({ parts }) => (parts.length === 1 ? parts : []))) {
    const detectors = part.filter((symptom) => symptom < numDetectors);
    if (detectors.length > 2 || detectors.length === 0) continue;
    const others = edges.get(detectors.join()) ?? [];
    edges.set(detectors.join(), [...others, part.slice(detectors.length)]);
  }
  return edges;
}

/** Most detectors of an error that is divided: the search tries all ways to pair them. */
const MOST_DETECTORS = 8;

/** Edges that make up an error together; the error itself where there are none. */
function decomposed(part: Symptoms, numDetectors: number, edges: Edges): readonly Symptoms[] {
  const detectors = part.filter((symptom) => symptom < numDetectors);
  if (detectors.length <= 2 || detectors.length > MOST_DETECTORS) return [part];
  return edgesOf(detectors, part.slice(detectors.length), edges) ?? [part];
}

function edgesOf(
  detectors: Symptoms,
  observables: Symptoms,
  edges: Edges,
): readonly Symptoms[] | undefined {
  const [first, ...rest] = detectors;
  if (first === undefined) return observables.length === 0 ? [] : undefined;
  for (const other of [...rest, undefined]) {
    const ends = other === undefined ? [first] : [first, other];
    for (const flipped of edges.get(ends.join()) ?? []) {
      const left = rest.filter((detector) => detector !== other);
      const found = edgesOf(left, combined(observables, flipped), edges);
      if (found !== undefined) return [[...ends, ...flipped], ...found];
    }
  }
  return undefined;
}
