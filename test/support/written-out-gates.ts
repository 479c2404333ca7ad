/** Gates written out in smaller ones, as compilers and textbooks do, and the disorder they end up in. */
import type { Operation, Qubit } from '../../src/circuit/circuit.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import { maxAbsDifference } from '../../src/math/complex-matrix.ts';
import { gate, randomUse } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';
import { unitaryOf } from './small-unitary.ts';

type Gate = Operation & { kind: 'gate' };

const cx = (control: Qubit, target: Qubit) => gate('CX', [target], [control]);
const { PI } = Math;

/** In 15 gates of one and two qubits; exactly CCX. */
export function toffoli(a: Qubit, b: Qubit, target: Qubit): readonly Gate[] {
  return [
    gate('H', [target]),
    cx(b, target),
    gate('TDG', [target]),
    cx(a, target),
    gate('T', [target]),
    cx(b, target),
    gate('TDG', [target]),
    cx(a, target),
    gate('T', [b]),
    gate('T', [target]),
    gate('H', [target]),
    cx(a, b),
    gate('T', [a]),
    gate('TDG', [b]),
    cx(a, b),
  ];
}

/** In RZ, √X and CX, as transpilers leave it; CCX but for a global phase. */
export function toffoliInNativeGates(a: Qubit, b: Qubit, target: Qubit): readonly Gate[] {
  return toffoli(a, b, target).flatMap((each) => {
    const { gate: name, targets } = each;
    const rz = (angle: number) => gate('RZ', targets, [], [angle]);
    if (name === 'H') return [rz(PI / 2), gate('SX', targets), rz(PI / 2)];
    if (name === 'T') return [rz(PI / 4)];
    return name === 'TDG' ? [rz(-PI / 4)] : [each];
  });
}

/** CCX as controlled roots of X, each written out in turn (Barenco et al., section 6). */
export function toffoliOfRoots(a: Qubit, b: Qubit, target: Qubit): readonly Gate[] {
  const root = (control: Qubit, sign: number) => [
    gate('H', [target]),
    gate('CP', [target], [control], [(sign * PI) / 2]),
    gate('H', [target]),
  ];
  return [...root(b, 1), cx(a, b), ...root(b, -1), cx(a, b), ...root(a, 1)];
}

/** CCX but for phases (Maslov, 1508.03273, figure 3). */
export function relativePhaseToffoli(a: Qubit, b: Qubit, target: Qubit): readonly Gate[] {
  return [
    gate('H', [target]),
    gate('T', [target]),
    cx(b, target),
    gate('TDG', [target]),
    cx(a, target),
    gate('T', [target]),
    cx(b, target),
    gate('TDG', [target]),
    gate('H', [target]),
  ];
}

/** Any of them, on three of the qubits, forwards or backwards. */
export function writtenOut(stream: RandomStream, numQubits: number): readonly Gate[] {
  const [a = 0, b = 0, c = 0] = stream.distinct(3, numQubits);
  const theta = stream.angle();
  const gates = stream.pick([
    toffoli(a, b, c),
    toffoliInNativeGates(a, b, c),
    toffoliOfRoots(a, b, c),
    relativePhaseToffoli(a, b, c),
    [gate('RY', [c], [], [theta]), cx(a, c), gate('RY', [c], [], [-theta]), cx(a, c)],
    [gate('H', [c]), cx(a, c), gate('H', [c])],
    [cx(b, a), ...toffoli(c, a, b), cx(b, a)],
  ]);
  return stream.below(2) === 0 ? gates : inverse(gates);
}

/** The gates that undo these. */
export function inverse(gates: readonly Gate[]): readonly Gate[] {
  return gates.toReversed().map((each) => {
    const { gate: name, angles } = gateNamed(each.gate).inverse(each.angles);
    return gate(name, each.targets, each.controls, angles);
  });
}

/** Several of them, with gates in between that may or may not be in their way. */
export function writtenOutCircuit(
  stream: RandomStream,
  numQubits: number,
  numGates: number,
): readonly Gate[] {
  const names = ['T', 'X', 'CX', 'CX', 'CZ', 'CP', 'RZ', 'H', 'RX', 'CCX', 'SWAP'];
  const gates = Array.from({ length: numGates }, () => [
    ...writtenOut(stream, numQubits),
    ...Array.from({ length: stream.below(4) }, () =>
      randomUse(stream, gateNamed(stream.pick(names)), numQubits),
    ),
  ]);
  return gates.flat();
}

/** The same unitary: neighbours that commute change places, again and again. */
export function disordered(
  stream: RandomStream,
  gates: readonly Operation[],
  numQubits: number,
): readonly Operation[] {
  const out = [...gates];
  for (let round = 0; round < 6 * gates.length; round++) {
    const i = stream.below(out.length - 1);
    const pair = [out[i]!, out[i + 1]!];
    if (commute(pair, numQubits)) [out[i], out[i + 1]] = [out[i + 1]!, out[i]!];
  }
  return out;
}

function commute(pair: readonly Operation[], numQubits: number): boolean {
  const there = unitaryOf({ numQubits, numBits: 0, operations: pair });
  const back = unitaryOf({ numQubits, numBits: 0, operations: pair.toReversed() });
  return maxAbsDifference(there, back) < 1e-12;
}
