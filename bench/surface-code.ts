/** Memory experiments of the rotated surface code, for benchmarks. */
import type { DynamicCircuit, DynamicOperation, Qubit } from '../src/circuit/circuit.ts';
import { pauliChannel } from '../src/circuit/noise/named-channels.ts';
import type { Parities } from '../src/compiler/clifford/error-walk.ts';

/** A stabilizer of the code. */
interface Plaquette {
  readonly kind: 'X' | 'Z';
  readonly ancilla: Qubit;
  /** Data qubits in the order in which they meet the ancilla; undefined beyond the edge. */
  readonly data: readonly (Qubit | undefined)[];
}

/** The plaquettes of distance d. Data qubits are 0 to d² − 1, row by row; ancillas follow. */
export function plaquettesOf(distance: number): readonly Plaquette[] {
  const plaquettes: Plaquette[] = [];
  const dataAt = (row: number, column: number): Qubit | undefined =>
    Math.min(row, column) < 0 || Math.max(row, column) >= distance
      ? undefined
      : row * distance + column;
  for (let row = 0; row <= distance; row++) {
    for (let column = 0; column <= distance; column++) {
      const kind = (row + column) % 2 === 1 ? 'X' : 'Z';
      const [isOuterRow, isOuterColumn] = [row, column].map((at) => at === 0 || at === distance);
      if ((isOuterRow && (isOuterColumn || kind === 'Z')) || (isOuterColumn && kind === 'X')) {
        continue;
      }
      const [first, east, south, last] = [
        dataAt(row - 1, column - 1),
        dataAt(row - 1, column),
        dataAt(row, column - 1),
        dataAt(row, column),
      ];
      // Errors of an ancilla spread across the logical operator of the other kind.
      const data = kind === 'X' ? [first, east, south, last] : [first, south, east, last];
      plaquettes.push({ kind, ancilla: distance ** 2 + plaquettes.length, data });
    }
  }
  return plaquettes;
}

/**
 * Rounds of measuring all stabilizers of |0…0⟩, then all data qubits, with noise of one strength everywhere: after each
 * gate depolarizing noise, and flips before measurements and after resets.
 *
 * Bits are those of the plaquettes, round by round, then those of the data qubits.
 */
export function surfaceCodeMemory(
  distance: number,
  rounds: number,
  probability: number,
): DynamicCircuit {
  const plaquettes = plaquettesOf(distance);
  const dataQubits = Array.from({ length: distance ** 2 }, (_, qubit) => qubit);
  const operations: DynamicOperation[] = [];
  const flip = pauliChannel(1, [{ flips: 1, signs: 0, probability }]);
  const [depolarizing1, depolarizing2] = [
    depolarizing(1, probability),
    depolarizing(2, probability),
  ];
  const noise = (channel: ReturnType<typeof pauliChannel>, qubits: readonly Qubit[]) => {
    if (channel !== undefined) operations.push({ kind: 'noise', channel, qubits });
  };
  /** Gates that are done at the same time, then their noise. */
  const layer = (name: string, operands: readonly (readonly Qubit[])[]) => {
    for (const qubits of operands) {
      const [controls, targets] = [qubits.slice(0, -1), qubits.slice(-1)];
      operations.push({ kind: 'gate', gate: name, controls, targets, angles: [] });
    }
    for (const qubits of operands) {
      noise(qubits.length === 1 ? depolarizing1 : depolarizing2, qubits);
    }
  };
  const ofX = plaquettes.filter(({ kind }) => kind === 'X');
  let bit = 0;
  for (let round = 0; round < rounds; round++) {
    for (const qubit of dataQubits) noise(depolarizing1, [qubit]);
    const ancillasOfX = ofX.map(({ ancilla }) => [ancilla]);
    layer('H', ancillasOfX);
    for (let step = 0; step < 4; step++) {
      const pairs = plaquettes.flatMap(({ kind, ancilla, data }) => {
        const qubit = data[step];
        if (qubit === undefined) return [];
        return [kind === 'X' ? [ancilla, qubit] : [qubit, ancilla]];
      });
      layer('CX', pairs);
    }
    layer('H', ancillasOfX);
    const qubits = plaquettes.map(({ ancilla }) => ancilla);
    const bits = qubits.map(() => bit++);
    for (const qubit of qubits) noise(flip, [qubit]);
    operations.push({ kind: 'measure', qubits, bits }, { kind: 'reset', qubits });
    for (const qubit of qubits) noise(flip, [qubit]);
  }
  for (const qubit of dataQubits) noise(flip, [qubit]);
  const bits = dataQubits.map((qubit) => bit + qubit);
  operations.push({ kind: 'measure', qubits: dataQubits, bits });
  return {
    numQubits: dataQubits.length + plaquettes.length,
    numBits: bit + dataQubits.length,
    operations,
  };
}

/** Detectors and the logical observable of `surfaceCodeMemory`: each plaquette is as it was the round before. */
export function surfaceCodeParities(distance: number, rounds: number): Parities {
  const plaquettes = plaquettesOf(distance);
  const bitOf = (round: number, plaquette: number) => round * plaquettes.length + plaquette;
  const bitOfData = (qubit: Qubit) => bitOf(rounds, 0) + qubit;
  const detectors: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [i, { kind }] of plaquettes.entries()) {
      if (round > 0) detectors.push([bitOf(round - 1, i), bitOf(round, i)]);
      // Those of X are random the first time.
      else if (kind === 'Z') detectors.push([bitOf(round, i)]);
    }
  }
  for (const [i, { kind, data }] of plaquettes.entries()) {
    const qubits = data.filter((qubit) => qubit !== undefined);
    if (kind === 'Z') detectors.push([bitOf(rounds - 1, i), ...qubits.map(bitOfData)]);
  }
  const row = Array.from({ length: distance }, (_, qubit) => bitOfData(qubit));
  return { detectors, logicalObservables: [row] };
}

function depolarizing(numQubits: number, probability: number): ReturnType<typeof pauliChannel> {
  const size = 2 ** numQubits;
  const numErrors = size * size - 1;
  return pauliChannel(
    numQubits,
    Array.from({ length: numErrors }, (_, i) => ({
      flips: (i + 1) % size,
      signs: Math.floor((i + 1) / size),
      probability: probability / numErrors,
    })),
  );
}
