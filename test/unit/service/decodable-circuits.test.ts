/** Which tasks of an experiment are found to have no decoder before it runs, and what becomes of the others. */
import { expect, test } from 'vitest';
import { FaultList } from '../../../src/circuit/errors.ts';
import { readStim } from '../../../src/circuit/stim/read-stim.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { compileGradient } from '../../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../../src/compiler/shape.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { KEPT_ON_CPU } from '../../../src/fleet/workers/prepared-circuits.ts';
import { ServedEngine } from '../../../src/fleet/workers/served-engine.ts';
import { parityLists } from '../../../src/math/bit-matrix.ts';
import { DecodableCircuits } from '../../../src/service/experiments/decodable-circuits.ts';

const LIMITS = { maxQubits: 100, maxGates: 1000 };

/** An error of one strength flips as many detectors as are given, and the observable. */
function flips(numDetectors: number, strength: number) {
  const checks = Array.from({ length: numDetectors }, (_, i) => i + 1);
  const text = [
    `X_ERROR(${strength}) 0`,
    ...checks.map((check) => `CX 0 ${check}`),
    `M 0 ${checks.join(' ')}`,
    ...checks.map((check) => `DETECTOR rec[${check - 1 - numDetectors}]`),
    `OBSERVABLE_INCLUDE(0) rec[${-1 - numDetectors}]`,
  ];
  return readStim(text.join('\n'), LIMITS);
}

/** The problems of circuits that are checked one after the other. */
function problems(
  maxInstructions: number,
  programs: readonly ReturnType<typeof flips>[],
): readonly (string | undefined)[] {
  const decodable = new DecodableCircuits(maxInstructions);
  return programs.map(({ circuit, ...parities }) => {
    const faults = new FaultList();
    decodable.check('matching', { circuit, losesQubits: false }, parities, faults);
    return faults.kept[0]?.message;
  });
}

const REFUSED = expect.stringContaining('the error that flips D0 D1 D2 L0 is no combination');

test('refuses each circuit that the decoder cannot decode', () => {
  const found = problems(1e6, [flips(3, 0.1), flips(2, 0.1), flips(3, 0.1), flips(3, 0.2)]);
  expect(found).toEqual([REFUSED, undefined, REFUSED, REFUSED]);
});

test('circuits that differ in the strengths of noise count once towards the limit of work', () => {
  const numInstructions = 6;
  const same = [0.1, 0.2, 0.3, 0.4].map((strength) => flips(2, strength));
  expect(problems(numInstructions + 1, [...same, flips(3, 0.1)]).at(-1)).toEqual(REFUSED);
  // Without noise there is no error, which is another structure.
  const more = [flips(2, 0.1), flips(2, 0), flips(3, 0.1)];
  expect(problems(numInstructions + 1, more)).toEqual([undefined, undefined, undefined]);
});

test('a run whose circuit was not checked fails with the reason', async () => {
  const { circuit, detectors, logicalObservables } = flips(3, 0.1);
  const engine = openReferenceEngine({ maxQubits: 5 });
  const served = new ServedEngine(engine, { compile, compileShape, compileGradient }, KEPT_ON_CPU);
  const parities = {
    detectors: parityLists(detectors, new Uint8Array(3)),
    observables: parityLists(logicalObservables, new Uint8Array(1)),
  };
  const request = {
    method: 'stabilizer',
    shots: 10,
    shotRange: { from: 0, to: 10 },
    errorCounting: { key: 'one', decoder: 'matching', parities },
  } as const;
  const run = { id: 1, precision: 'f64', circuit, request } as const;
  const { signal } = new AbortController();
  await expect(served.run(run, () => {}, signal)).rejects.toMatchObject({
    code: 'DECODING_NOT_DECODABLE',
    message: REFUSED,
  });
});
