/**
 * A memory experiment of a code whose checks are measured by one qubit each: rounds of gates between data qubits and
 * these, then a measurement of all data qubits.
 */
import type { Qubit } from '../../circuit.ts';
import { type Basis, type GeneratedNoise, MemoryText } from './memory-text.ts';

/** A check of a code. */
export interface Check {
  /** The qubit that measures it. */
  readonly qubit: Qubit;
  /** Coordinates, without that of time. */
  readonly place: readonly number[];
  readonly data: readonly Qubit[];
}

/** Gates that act at the same time. */
export interface Layer {
  readonly gate: string;
  readonly arity: 1 | 2;
  readonly targets: readonly Qubit[];
}

/** Detectors of a step of an experiment. */
interface Detectors {
  /** In their order. */
  readonly checks: readonly Check[];
  /** Measurements of a check that are compared: rounds before, 0 for the last. */
  readonly rounds: readonly number[];
}

/** An experiment; lists of qubits are ascending. */
export interface MemoryExperiment {
  /** Coordinates of qubits that the text states. */
  readonly places: readonly (readonly [qubit: Qubit, place: readonly number[]])[];
  readonly data: readonly Qubit[];
  readonly checks: readonly Check[];
  readonly resets: readonly (readonly [basis: Basis, qubits: readonly Qubit[]])[];
  readonly layers: readonly Layer[];
  /** Rounds before the first detectors. */
  readonly numFirstRounds: number;
  readonly first: Detectors;
  /** Detectors of each further round are of all checks. */
  readonly comparedRounds: Detectors['rounds'];
  /** Basis of the last measurement. */
  readonly basis: Basis;
  readonly last: Detectors;
  /** Data qubits of the logical operator in the basis. */
  readonly logical: readonly Qubit[];
}

/** Writes an experiment of so many rounds. */
export function memoryText(
  experiment: MemoryExperiment,
  rounds: number,
  noise: GeneratedNoise,
): string {
  const { places, data, checks, resets, numFirstRounds, first, comparedRounds } = experiment;
  const { basis, last, logical } = experiment;
  const numPlaces = checks[0]!.place.length;
  const text = new MemoryText(noise);
  for (const [qubit, place] of places) text.place(qubit, place);
  for (const [ofReset, qubits] of resets) text.reset(ofReset, qubits);
  const numberOf = new Map(checks.map(({ qubit }, i) => [qubit, i]));
  /** Measurements of a check, counted from the end of a round. */
  const backsOf = ({ qubit }: Check, all: readonly number[]) =>
    all.map((round) => (round + 1) * checks.length - numberOf.get(qubit)!);

  text.repeat(numFirstRounds, (body) => writeRound(experiment, body));
  for (const check of first.checks) {
    text.detector([...check.place, 0], backsOf(check, first.rounds));
  }
  text.repeat(rounds - numFirstRounds, (body) => {
    writeRound(experiment, body);
    body.shiftTime(numPlaces);
    for (const check of checks) body.detector([...check.place, 0], backsOf(check, comparedRounds));
  });

  text.measure(basis, data);
  const placeOf = new Map(data.map((qubit, i) => [qubit, i]));
  const backsOfData = (qubits: readonly Qubit[]) =>
    qubits.map((qubit) => data.length - placeOf.get(qubit)!).toSorted((a, b) => a - b);
  for (const check of last.checks) {
    const before = backsOf(check, last.rounds).map((back) => back + data.length);
    text.detector([...check.place, 1], [...backsOfData(check.data), ...before]);
  }
  text.observable(backsOfData(logical));
  return text.text;
}

function writeRound({ data, checks, layers }: MemoryExperiment, text: MemoryText): void {
  text.beginRound(data);
  for (const { gate, targets, arity } of layers) {
    text.gate(gate, targets, arity);
    text.tick();
  }
  text.measureAndReset(checks.map(({ qubit }) => qubit));
}
