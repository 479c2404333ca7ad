/**
 * Large angles are exact: at 1e15 matrices, passes, engines and OpenQASM agree with whole-number arithmetic.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { GATES, gateNamed } from '../../src/circuit/gates.ts';
import { allGates, builtins } from '../../src/circuit/openqasm/gate-definitions.ts';
import { parseOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../src/circuit/openqasm/print-openqasm.ts';
import { optimize, PIPELINE } from '../../src/compiler/passes/pipeline.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { maxAbsDifference } from '../../src/math/complex-matrix.ts';
import { circuitsOf, tilted } from '../support/batches.ts';
import { gradientOf, NEVER, worstAmplitude } from '../support/engine-runs.ts';
import { exactAngle } from '../support/exact-angles.ts';
import { largestDifference, randomObservable } from '../support/parametric-circuits.ts';
import { gate, randomUse } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { inverseOf } from '../support/redundant-circuits.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { differenceUpToPhase, unitaryOf } from '../support/small-unitary.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';

const TOLERANCE = 1e-12;
const SEEDS = seeds(10);
const TURNING = GATES.filter(({ parameters }) => parameters.length > 0);
const byName = TURNING.map((definition) => [definition.name, definition] as const);
/** One qubit more than a state, for both states of a gradient. */
const reference = openReferenceEngine({ maxQubits: 9 });
const limits = { maxQubits: 10, maxGates: 1000 };

/** Of size 1e3 to 1e15. */
function largeAngle(stream: RandomStream): number {
  return (stream.below(2) === 0 ? 1 : -1) * 10 ** (3 + 12 * stream.uniform());
}

/** The circuit with each angle reduced in whole numbers. */
function exactly(circuit: Circuit): Circuit {
  const operations = circuit.operations.map((operation) =>
    operation.kind === 'gate'
      ? { ...operation, angles: operation.angles.map((angle) => exactAngle(angle)) }
      : operation,
  );
  return { ...circuit, operations };
}

test.each(byName)('the matrix of %s, and that of its inverse', (_, definition) => {
  const stream = new RandomStream(5100);
  for (let attempt = 0; attempt < 50; attempt++) {
    const angles = definition.parameters.map(() =>
      stream.below(4) === 0 ? stream.angle() : largeAngle(stream),
    );
    const exact = angles.map((angle) => exactAngle(angle));
    const difference = maxAbsDifference(definition.matrix(angles), definition.matrix(exact));
    expect(difference).toBeLessThan(TOLERANCE);
    const [inverse, expected] = [definition.inverse(angles), definition.inverse(exact)].map(
      ({ gate, angles }) => gateNamed(gate).matrix(angles),
    );
    expect(maxAbsDifference(inverse!, expected!)).toBeLessThan(TOLERANCE);
  }
});

/** Gates of few kinds on few qubits, with angles that come again, alone and negated. */
function meetingGates(seed: number): Circuit {
  const stream = new RandomStream(5200 + seed);
  const angles = [largeAngle(stream), largeAngle(stream), stream.angle()];
  const definitions = seed % 2 === 0 ? TURNING : stream.shuffled(TURNING).slice(0, 3);
  const operations = Array.from({ length: 20 }, () => {
    const use = randomUse(stream, stream.pick(definitions), 4);
    const sign = stream.below(2) === 0 ? 1 : -1;
    return { ...use, angles: use.angles.map(() => sign * stream.pick(angles)) };
  });
  const withInverses = operations.flatMap((operation): readonly Operation[] =>
    stream.below(4) === 0 ? [operation, inverseOf(operation)] : [operation],
  );
  return { numQubits: 4, numBits: 0, operations: withInverses };
}

describe.each(PIPELINE)('the pass $name', ({ run }) => {
  testSeeds('keeps circuits as exact arithmetic has them', SEEDS, (seed) => {
    const circuit = meetingGates(seed);
    const tilts = tilted(4, circuit.operations);
    const rewritten = run(tilts, { keepState: true });
    const difference = worstAmplitude(finalAmplitudes(rewritten), finalAmplitudes(exactly(tilts)));
    expect(difference).toBeLessThan(TOLERANCE);
  });
});

testSeeds('all passes keep the unitaries of circuits', SEEDS, (seed) => {
  const circuit = meetingGates(seed);
  const [plain, tilts] = [circuit, tilted(4, circuit.operations)];
  const rewritten = optimize(tilts, { keepState: true }).circuit;
  const difference = worstAmplitude(finalAmplitudes(rewritten), finalAmplitudes(exactly(tilts)));
  expect(difference).toBeLessThan(TOLERANCE);
  expect(maxAbsDifference(unitaryOf(plain), unitaryOf(exactly(plain)))).toBeLessThan(TOLERANCE);
});

describe('the CPU engine', () => {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 8, tileQubits: 8 });
  afterAll(() => engine.close());

  test.each(byName)('runs batches of %s', async (_, definition) => {
    const stream = new RandomStream(5300);
    const shape = tilted(
      5,
      Array.from({ length: 3 }, () => randomUse(stream, definition, 5)),
    );
    await using batch = await engine.prepare.batch(shape);
    const angles = Float64Array.from({ length: 20 * batch.numAngles }, () => largeAngle(stream));
    const request = { numCircuits: 20, angles };
    const { statevectors } = await batch.run({ ...request, statevector: true }, NEVER);
    for (const [k, circuit] of circuitsOf(shape, request).entries()) {
      const state = statevectors!.subarray(k * 64, (k + 1) * 64);
      expect(worstAmplitude(state, finalAmplitudes(exactly(circuit)))).toBeLessThan(TOLERANCE);
    }
  });
});

test.each(byName)('the derivatives of %s', async (_, definition) => {
  const stream = new RandomStream(5400);
  const used = randomUse(stream, definition, 4);
  const angles = used.angles.map(() => largeAngle(stream));
  const circuit = tilted(4, [{ ...used, angles }]);
  const observable = randomObservable(stream, 4);
  const [found, exact] = await Promise.all(
    [circuit, exactly(circuit)].map((each) => gradientOf(reference, each, [observable])),
  );
  expect(largestDifference(found!.gradients, exact!.gradients)).toBeLessThan(TOLERANCE);
});

describe('in OpenQASM', () => {
  const scopes = [
    [2, '', builtins(2)],
    [3, '', builtins(3)],
    [2, 'qelib1.inc', allGates()],
    [3, 'stdgates.inc', allGates()],
  ] as const;

  test.each(scopes)('%i with "%s" every gate that has angles', (version, library, gates) => {
    const stream = new RandomStream(5500);
    let numTried = 0;
    for (const [name, { numParameters, numQubits }] of gates) {
      if (numParameters === 0) continue;
      const angles = Array.from({ length: numParameters }, () => largeAngle(stream));
      const programOf = (values: readonly number[]) => {
        const operands = Array.from({ length: numQubits }, (_, i) => `q[${i}]`).join(', ');
        const include = library === '' ? '' : `include "${library}";`;
        const register = version === 2 ? 'qreg q[5];' : 'qubit[5] q;';
        return `OPENQASM ${version}.0; ${include} ${register} ${name}(${values}) ${operands};`;
      };
      const [used, exact] = [angles, angles.map((angle) => exactAngle(angle))].map((values) =>
        unitaryOf(parseOpenQasm(programOf(values), limits)),
      );
      expect(maxAbsDifference(used!, exact!), name).toBeLessThan(TOLERANCE);
      numTried++;
    }
    expect(numTried).toBeGreaterThan(0);
  });

  test.each(['2', '3'] as const)('%s, printed angles are read back as the same', (version) => {
    for (const seed of SEEDS) {
      const circuit = meetingGates(seed);
      const back = parseOpenQasm(printOpenQasm(circuit, version), limits);
      const [printed, exact] = [unitaryOf(back), unitaryOf(exactly(circuit))];
      expect(differenceUpToPhase(printed, exact)).toBeLessThan(1e-11);
    }
  });

  test('powers multiply the exact angle', () => {
    const stream = new RandomStream(5600);
    for (let attempt = 0; attempt < 50; attempt++) {
      const [angle, times] = [largeAngle(stream), Math.floor(10 ** (15 * stream.uniform()))];
      const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; pow(${times}) @ inv @ crx(${angle}) q[0], q[1];`;
      const expected = gate('CRX', [1], [0], [exactAngle(-angle, times)]);
      const [power, exact] = [
        unitaryOf(parseOpenQasm(text, limits)),
        unitaryOf({ numQubits: 2, numBits: 0, operations: [expected] }),
      ];
      expect(maxAbsDifference(power, exact)).toBeLessThan(TOLERANCE);
    }
  });
});
