/** Routing: gates are on couplers, the circuit is equivalent, and SWAPs are few. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import { CouplingMap } from '../../../../src/compiler/routing/coupling-map.ts';
import { routeCircuit, swapGate } from '../../../../src/compiler/routing/route-circuit.ts';
import { pairOf } from '../../../../src/compiler/routing/sabre.ts';
import { Chance } from '../../../../src/workloads/algorithms/chance.ts';
import { gate } from '../../../support/random-circuits.ts';
import { differenceUpToPhase, unitaryOf } from '../../../support/small-unitary.ts';

const chance = (seed: number) => {
  const stream = new Chance(seed, 0);
  return () => stream.uniform();
};

/** Connected maps: a random tree and a few more couplers. */
const maps = fc
  .record({
    parents: fc.array(fc.nat(100), { minLength: 3, maxLength: 5 }),
    more: fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { maxLength: 3 }),
  })
  .map(({ parents, more }) => {
    const n = parents.length + 1;
    const tree = parents.map((parent, i) => [parent % (i + 1), i + 1] as const);
    const extra = more.map(([a, b]) => [a % n, b % n] as const).filter(([a, b]) => a !== b);
    return new CouplingMap(n, [...tree, ...extra]);
  });

const pairs = fc.array(fc.tuple(fc.nat(100), fc.nat(100), fc.double({ min: 0.1, max: 3 })), {
  maxLength: 12,
});

/** Gates that do not commute, on qubits in any order. */
function circuitOf(numQubits: number, drawn: readonly (readonly [number, number, number])[]) {
  const operations = drawn.flatMap(([a, b, theta]) => {
    const [x, y] = [a % numQubits, b % numQubits];
    return x === y ? [gate('RY', [x], [], [theta])] : [gate('CRX', [y], [x], [theta])];
  });
  return { numQubits, numBits: 0, operations } satisfies Circuit;
}

test('every gate is on a coupler, and the circuit is the same up to its layouts', () => {
  fc.assert(
    fc.property(maps, pairs, fc.nat(1000), fc.boolean(), (map, drawn, seed, isTrivial) => {
      const circuit = circuitOf(map.numQubits - (seed % 2), drawn);
      const routed = routeCircuit(circuit, map, {
        layout: isTrivial ? 'trivial' : 'auto',
        trials: 1,
        uniform: chance(seed),
      });
      for (const operation of routed.circuit.operations) {
        const pair = pairOf(operation);
        if (pair !== undefined) expect(map.isCoupled(...pair)).toBe(true);
      }
      const swaps = routed.circuit.operations.filter(
        (operation) => operation.kind === 'gate' && operation.gate === 'SWAP',
      );
      expect(swaps).toHaveLength(routed.numSwaps);
      const [start, end] = [routed.initialLayout, routed.finalLayout];
      // Logical qubits are brought to their places, routed, and fetched back from where they end.
      const there = permutation(start.physical);
      const back = permutation(end.physical).toReversed();
      const whole = {
        ...routed.circuit,
        operations: [...there, ...routed.circuit.operations, ...back],
      };
      const padded = { ...circuit, numQubits: map.numQubits };
      expect(differenceUpToPhase(unitaryOf(whole), unitaryOf(padded))).toBeLessThan(1e-9);
    }),
    { seed: 3, numRuns: 60 },
  );
});

/** SWAPs that move qubit i to place `places[i]`. */
function permutation(places: ArrayLike<number>) {
  const at = Array.from({ length: places.length }, (_, q) => q);
  return at.flatMap((_, q) => {
    const from = at.indexOf(q);
    const to = places[q]!;
    if (from === to) return [];
    [at[from], at[to]] = [at[to]!, at[from]!];
    return [swapGate([from, to])];
  });
}

test('gates at both ends of a line of four meet after two SWAPs, and no fewer', () => {
  const line = new CouplingMap(4, [
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  const circuit = { numQubits: 4, numBits: 0, operations: [gate('CX', [3], [0])] };
  const trivial = routeCircuit(circuit, line, { layout: 'trivial', trials: 0, uniform: chance(1) });
  expect(trivial.numSwaps).toBe(2);
  const auto = routeCircuit(circuit, line, { layout: 'auto', trials: 0, uniform: chance(1) });
  expect([auto.numSwaps, auto.foundBy]).toEqual([0, 'perfect']);
});

test('a ring of three on a line needs one SWAP, which is found', () => {
  const line = new CouplingMap(3, [
    [0, 1],
    [1, 2],
  ]);
  const operations = [gate('CX', [1], [0]), gate('CX', [2], [1]), gate('CX', [0], [2])];
  const routed = routeCircuit({ numQubits: 3, numBits: 0, operations }, line, {
    layout: 'auto',
    trials: 4,
    uniform: chance(2),
  });
  expect([routed.numSwaps, routed.foundBy]).toEqual([1, 'search']);
});

test('unconnected places are not used', () => {
  const map = new CouplingMap(5, [
    [0, 1],
    [2, 3],
    [3, 4],
  ]);
  const operations = [gate('CX', [1], [0]), gate('CX', [2], [1]), gate('CX', [2], [0])];
  const routed = routeCircuit({ numQubits: 3, numBits: 0, operations }, map, {
    layout: 'trivial',
    trials: 0,
    uniform: chance(1),
  });
  const used = routed.circuit.operations.flatMap((operation) => pairOf(operation) ?? []);
  expect(Math.min(...used)).toBe(2);
});

test('measurements, resets and conditions keep their order and their bits', () => {
  const line = new CouplingMap(3, [
    [0, 1],
    [1, 2],
  ]);
  const circuit: Circuit = {
    numQubits: 3,
    numBits: 1,
    operations: [
      gate('CX', [2], [0]),
      { kind: 'measure', qubits: [0], bits: [0] },
      { ...gate('X', [2], []), condition: { bits: [0], value: 1 } },
      { kind: 'measure', qubits: [1], bits: [0] },
    ],
  };
  const { circuit: routed } = routeCircuit(circuit, line, {
    layout: 'trivial',
    trials: 0,
    uniform: chance(1),
  });
  const kinds = routed.operations.filter(({ kind }) => kind === 'measure' || kind === 'gate');
  const names = kinds.map((each) => (each.kind === 'gate' ? each.gate : each.kind));
  expect(names).toEqual(['SWAP', 'CX', 'measure', 'X', 'measure']);
});
