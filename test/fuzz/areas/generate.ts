/** Random operations that several areas use. */
import type { Op } from '../circuits.ts';
import { GATES, type Gate, type Matrix, product, scaled } from '../matrices.ts';
import type { Random } from '../random.ts';
import type { Observable } from './circuit-check.ts';

/** What random gates may be. */
export interface GateOptions {
  readonly clifford?: boolean;
  /** Most further controls. */
  readonly controls?: number;
  readonly negative?: boolean;
  readonly modifiers?: boolean;
  readonly unitaries?: boolean;
  readonly names?: readonly string[];
}

/** Gates that fit a register. */
function fitting(qubits: number, { clifford = false, names }: GateOptions): [string, Gate][] {
  return [...GATES].filter(
    ([name, gate]) =>
      gate.controls + gate.targets <= qubits &&
      (!clifford || gate.clifford) &&
      (names?.includes(name) ?? true),
  );
}

/** A random unitary matrix: the eigenvectors of nothing, made by Gram and Schmidt. */
export function randomUnitary(random: Random, size: number): Matrix {
  const rows: [number, number][][] = [];
  while (rows.length < size) {
    let row = Array.from({ length: size }, (): [number, number] => [
      random.normal(),
      random.normal(),
    ]);
    for (const other of rows) {
      let [re, im] = [0, 0];
      row.forEach(([a, b], i) => {
        const [c, d] = other[i]!;
        re += a * c + b * d;
        im += b * c - a * d;
      });
      row = row.map(([a, b], i) => {
        const [c, d] = other[i]!;
        return [a - (re * c - im * d), b - (re * d + im * c)];
      });
    }
    const norm = Math.hypot(...row.flat());
    if (norm > 0.1) rows.push(row.map(([a, b]) => [a / norm, b / norm]));
  }
  return rows;
}

/** A random gate on some of the qubits. */
export function randomGate(random: Random, qubits: number, options: GateOptions = {}): Op {
  const more = (used: number) => {
    const room = Math.min(options.controls ?? 0, qubits - used);
    return random.chance(0.2) && room > 0 ? random.between(1, room) : 0;
  };
  const control = (qubit: number) => ({
    qubit,
    value: options.negative && random.chance(0.4) ? 0 : 1,
  });
  if (options.unitaries && random.chance(0.12)) {
    const width = random.between(1, Math.min(3, qubits));
    const extra = options.controls ? more(width) : 0;
    const places = random.distinct(width + extra, qubits);
    const matrix = randomUnitary(random, 2 ** width);
    return {
      op: 'unitary',
      matrix,
      qubits: places.slice(extra),
      extra: places.slice(0, extra).map(control),
    };
  }
  const [name, gate] = random.pick(fitting(qubits, options));
  const width = gate.controls + gate.targets;
  const extra = more(width);
  const places = random.distinct(width + extra, qubits);
  const isModified = options.modifiers && gate.controls === 0 && random.chance(0.2);
  return {
    op: 'gate',
    gate: name,
    qubits: places.slice(extra),
    angles: gate.angles.map(() => random.angle()),
    extra: places.slice(0, extra).map(control),
    ...(isModified && { modifier: random.pick(['inv', 2, 3, -1, 0] as const) }),
  };
}

/** Random Pauli strings. */
export function randomObservables(random: Random, qubits: number): Observable[] {
  return Array.from({ length: random.between(1, 3) }, () => ({
    letters: random
      .distinct(random.between(1, qubits), qubits)
      .map((qubit): [number, string] => [qubit, random.pick([...'XYZ'])]),
    coefficient: random.pick([1, 0.5, -2.25]),
  }));
}

/** A measurement of some qubits at the end, into bits in any order. */
export function finalMeasurement(random: Random, qubits: number): Op {
  const measuredQubits = random.distinct(random.between(1, qubits), qubits);
  const bits = random.distinct(measuredQubits.length, measuredQubits.length);
  return { op: 'measure', qubits: measuredQubits, bits };
}

/** Some of the items, at least one. */
export function someOf<T>(random: Random, items: readonly T[]): T[] {
  const found = items.filter(() => random.chance(0.5));
  return found.length > 0 ? found : [random.pick(items)];
}

/** A Clifford matrix on one qubit, as an explicit matrix. */
export function cliffordMatrix(random: Random): Matrix {
  const letters = Array.from({ length: 3 }, () => random.pick(['H', 'S', 'X']));
  const matrices = letters.map((name) => GATES.get(name)!.matrix());
  const phase = random.angle();
  return scaled(matrices.reduce(product), [Math.cos(phase), Math.sin(phase)]);
}

/** A condition on some bits that were written. */
export function randomCondition(random: Random, bits: readonly number[]) {
  const chosen = random.distinct(random.between(1, Math.min(2, bits.length)), bits.length);
  return { bits: chosen.map((i) => bits[i]!), value: random.below(2 ** chosen.length) };
}
