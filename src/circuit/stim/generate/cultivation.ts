/**
 * Magic state cultivation of distance 3: a T state in the colour code of 7 qubits, on a square grid, with gates between
 * neighbours alone. Every detector is to discard the shot in which it fires.
 *
 * 1. All data qubits start in |+⟩. The first round measures the checks, and X of a corner makes each Z check 1: this is
 *    |+⟩ of the code.
 * 2. The parity of the lower side is Z of the code. T_DAG of the parity gives T_DAG|+⟩ of the code, with errors.
 * 3. Further rounds measure the checks.
 * 4. (X − Y)/√2 of the code, of which the state is an eigenstate, is T·X·T_DAG of all data qubits. X of all is folded by
 *    a tree of CX gates onto one qubit, measured there, and unfolded. That measures it twice: ancillas of the tree start in
 *    |+⟩, and are found in |−⟩ after an error.
 *
 * The end measures the same operator, which is the observable, and the checks, all without noise.
 *
 * @see Gidney, Shutty & Jones, "Magic state cultivation: growing T states as cheap as CNOT gates", 2024. Its circuit
 *   encodes by gates instead of a first round, and folds along another tree.
 * @see Gidney & Jones, "New circuits for an open source color code", 2023, for rounds that measure both checks of a face
 *   by a Bell pair.
 */
import type { Qubit } from '../../circuit.ts';
import { type GeneratedNoise, MemoryText } from './memory-text.ts';

/** Places of the qubits, in the order of their numbers. */
const PLACES = '0,0 1,0 1,1 1,2 2,0 2,1 2,2 2,3 3,0 3,1 3,2 4,0 4,1'.split(' ');
const at = (places: string): readonly Qubit[] =>
  places.split(/ +/).map((place) => PLACES.indexOf(place));

const DATA = at('0,0 1,1 2,1 3,0 2,3 3,2 4,0');
/** Data qubits of each face. */
const FACES = [at('0,0 1,1 2,1 3,0'), at('1,1 2,1 2,3 3,2'), at('2,1 3,0 3,2 4,0')];
/** The ancillas that measure X and Z of each face, and the corner of the code that it has. */
const OF_X = at('1,0 1,2 3,1');
const OF_Z = at('2,0 2,2 4,1');
const CORNERS = at('0,0 2,3 4,0');
const ANCILLAS = [...OF_X, ...OF_Z];

/** Targets of CX gates at the same time. */
type Layer = readonly Qubit[];

/** Gates that join the two ancillas of each face to a Bell pair. */
const JOINING = [OF_X.flatMap((qubit, i) => [qubit, OF_Z[i]!])];
/** Gates from ancillas to the data qubits next to them. */
const MEETING = [
  at('1,0 0,0  2,0 3,0  2,2 3,2  3,1 2,1'),
  at('1,0 1,1  2,0 2,1  2,2 2,3  3,1 3,2'),
  at('1,2 1,1  2,2 2,1  3,1 3,0  4,1 4,0'),
];
/** Gates that gather the parity of the lower side, with the ancillas on the way. */
const GATHERING = [at('0,0 1,0  4,0 3,0'), at('1,0 2,0'), at('2,0 3,0')];
const ON_THE_WAY = at('1,0 2,0');
const GATHERED = at('3,0');
/** Gates that fold X of all data qubits. The last two of the first layer only find errors. */
const FOLDING = [
  at('1,0 0,0  2,2 2,3  3,1 3,0  4,1 4,0  2,0 2,1  1,2 1,1'),
  at('1,1 1,0  2,1 2,2  3,1 4,1'),
  at('2,1 1,1  3,1 3,2'),
  at('2,1 3,1'),
];
const FOLDED = at('2,1');

/** Writes the circuit of so many rounds, at least 2. */
export function cultivationText(_distance: number, rounds: number, noise: GeneratedNoise): string {
  const text = new MemoryText(noise);
  for (const qubit of PLACES.keys()) text.place(qubit, placeOf(qubit));
  text.reset('X', DATA);
  writeRound(text, OF_X);
  for (const [i, corner] of CORNERS.entries()) text.flipIf(CORNERS.length - i, corner);
  text.tick();
  text.reset('Z', ON_THE_WAY);
  text.tick();
  writeLayers(text, GATHERING);
  text.tGate('T_DAG', GATHERED);
  text.tick();
  writeLayers(text, GATHERING.toReversed());
  for (let round = 1; round < rounds; round++) {
    writeRound(text, ANCILLAS);
    text.tick();
  }
  writeCheck(text);
  writeEnd(text);
  return text.text;
}

const placeOf = (qubit: Qubit): readonly number[] => PLACES[qubit]!.split(',').map(Number);

/** Measures all checks; those of the ancillas in `known` are detectors. */
function writeRound(text: MemoryText, known: readonly Qubit[]): void {
  text.reset('X', OF_X);
  text.reset('Z', OF_Z);
  text.beginRound(DATA);
  writeLayers(text, JOINING);
  writeLayers(text, MEETING);
  writeLayers(text, MEETING.map(turned));
  writeLayers(text, JOINING);
  text.measure('X', OF_X);
  text.measure('Z', OF_Z);
  for (const [i, qubit] of known.entries()) {
    text.detector(placeOf(qubit), [ANCILLAS.length - i]);
  }
}

/** The gates with targets as controls. */
const turned = (layer: Layer): Layer => layer.map((_, i) => layer[i ^ 1]!);

/** Measures T·X·T_DAG of all data qubits twice. */
function writeCheck(text: MemoryText): void {
  text.reset('X', ANCILLAS);
  text.tGate('T_DAG', DATA);
  text.tick();
  writeLayers(text, FOLDING);
  text.measure('X', FOLDED);
  text.detector(placeOf(FOLDED[0]!), [1]);
  text.tick();
  text.reset('X', FOLDED);
  text.tick();
  writeLayers(text, FOLDING.toReversed());
  text.tGate('T', DATA);
  text.measure('X', ANCILLAS);
  for (const [i, qubit] of ANCILLAS.entries()) {
    text.detector(placeOf(qubit), [ANCILLAS.length - i]);
  }
  text.tick();
}

/** Measures the observable and the checks without noise. */
function writeEnd(text: MemoryText): void {
  text.add('T_DAG', DATA);
  text.measureProduct('X', DATA);
  text.observable([1]);
  text.add('T', DATA);
  for (const [i, face] of FACES.entries()) {
    for (const basis of ['X', 'Z'] as const) {
      text.measureProduct(basis, face);
      text.detector(placeOf((basis === 'X' ? OF_X : OF_Z)[i]!), [1]);
    }
  }
}

/** Writes layers, each with a TICK after it. */
function writeLayers(text: MemoryText, layers: readonly Layer[]): void {
  for (const layer of layers) {
    text.gate('CX', layer, 2);
    text.tick();
  }
}
