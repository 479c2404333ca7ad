/** Belief propagation with ordered statistics, against searches over all sets of errors and the table of a small code. */
import { expect, test } from 'vitest';
import { generateStim } from '../../../src/circuit/stim/generate/generate-stim.ts';
import { readStim } from '../../../src/circuit/stim/read-stim.ts';
import { compileStabilizer } from '../../../src/compiler/clifford/compile-stabilizer.ts';
import { countErrors } from '../../../src/decoding/count-errors.ts';
import type { DecodingModel } from '../../../src/decoding/decoder.ts';
import { Decoders } from '../../../src/decoding/decoders.ts';
import { FaultStrata } from '../../../src/decoding/fault-strata.ts';
import { type DecoderName, openDecoder } from '../../../src/decoding/open-decoder.ts';
import { bicycleMemory, GROSS_72 } from '../../support/bivariate-bicycle.ts';
import {
  decoderOf,
  errorsOf,
  modelOfEdges,
  oddOnes,
  predict,
  type RandomEdge,
} from '../../support/decoding-models.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds } from '../../support/seeds.ts';

const NUM_DETECTORS = 6;

/** Errors that flip one to four detectors. */
function randomErrors(stream: RandomStream): readonly RandomEdge[] {
  const errors = new Map<string, RandomEdge>();
  for (let i = 0; i < 12; i++) {
    const size = 1 + stream.below(4);
    const detectors = stream.distinct(size, NUM_DETECTORS).toSorted((a, b) => a - b);
    const probability = stream.below(8) === 0 ? 0.9 : 0.001 + 0.2 * stream.uniform();
    errors.set(detectors.join(), { detectors, probability });
  }
  return [...errors.values()];
}

/** Logarithm of the odds of a set of errors against none. */
const logOdds = (errors: readonly RandomEdge[]) =>
  errors.reduce((sum, { probability: p }) => sum + Math.log(p / (1 - p)), 0);

test('finds errors that flip the detectors, and mostly the likeliest ones', () => {
  let [numShots, numLikeliest] = [0, 0];
  for (const seed of seeds(40)) {
    const stream = new RandomStream(seed);
    const errors = randomErrors(stream);
    const model = modelOfEdges(NUM_DETECTORS, errors);
    const decoder = decoderOf('bp_osd', model);
    const likeliest = new Map<string, number>();
    for (let set = 0; set < 2 ** errors.length; set++) {
      const chosen = errors.filter((_, i) => ((set >> i) & 1) === 1);
      const events = oddOnes(chosen.map(({ detectors }) => detectors)).join();
      likeliest.set(events, Math.max(likeliest.get(events) ?? -Infinity, logOdds(chosen)));
    }
    for (const [events, most] of likeliest) {
      const given = events === '' ? [] : events.split(',').map(Number);
      const found = predict(decoder, model, given).map((error) => errors[error]!);
      expect(oddOnes(found.map(({ detectors }) => detectors))).toEqual(given);
      numShots++;
      if (logOdds(found) > most - 1e-3) numLikeliest++;
    }
  }
  expect(numLikeliest / numShots).toBeGreaterThan(0.97);
});

test('takes the parts of an error that is split together', () => {
  const errors = errorsOf('0.1 0 3 ^ 1 2; 0.2 0; 0.01 1 2');
  const model = { numDetectors: 3, numObservables: 1, errors };
  expect(predict(decoderOf('bp_osd', model), model, [0, 1, 2])).toEqual([0]);
});

test('refuses events that no errors have, and models with many detectors', () => {
  const model = { numDetectors: 3, numObservables: 1, errors: errorsOf('0.1 0 1 3; 0.2 1 2') };
  expect(() => predict(decoderOf('bp_osd', model), model, [0])).toThrow(
    expect.objectContaining({ code: 'DECODING_IMPOSSIBLE_EVENTS' }),
  );
  expect(openDecoder('bp_osd', { ...model, numDetectors: 10_001 })).toEqual({
    reason: '10,001 detectors are more than the 10,000 that it takes',
  });
});

function read(text: string) {
  const { circuit, ...parities } = readStim(text, { maxQubits: 200, maxGates: 100_000 });
  const program = compileStabilizer(circuit);
  if ('kind' in program) throw new Error(program.kind);
  return { program, parities };
}

function modelOf(text: string): DecodingModel {
  const { program, parities } = read(text);
  const model = new Decoders().errorsOf(program, parities, 'whole');
  if ('reason' in model) throw new Error(model.reason);
  return model;
}

function colourCode(p: number): string {
  const noise = {
    afterCliffordDepolarization: p,
    beforeRoundDataDepolarization: p,
    beforeMeasureFlipProbability: p,
    afterResetFlipProbability: p,
    idleDepolarization: 0,
    afterTPhaseFlipProbability: 0,
  };
  const size = { distance: 3, rounds: 3, noise };
  const made = generateStim({ code: 'color_code', task: 'memory_xyz', ...size });
  if ('problem' in made) throw new Error(made.problem);
  return made.text;
}

test('errs at most 1.3 times as often as the table of a colour code of distance 3', () => {
  const model = modelOf(colourCode(0.004));
  const strata = new FaultStrata(model);
  const rateOf = (name: DecoderName) => {
    const decoder = decoderOf(name, model);
    // Up to six faults: sets of each number, as often as they are.
    return (strata.distribution() as readonly number[]).slice(1, 7).reduce((rate, p, i) => {
      const shots = strata.shots({ faults: i + 1, shots: 2000 }, 7);
      return rate + (p * countErrors(shots, decoder, {}).errors) / shots.numShots;
    }, 0);
  };
  expect(rateOf('bp_osd')).toBeLessThan(1.3 * rateOf('lookup'));
});

test('corrects two faults of the bivariate bicycle code [[72, 12, 6]], whose errors flip three checks', () => {
  const { program, parities } = read(bicycleMemory(GROSS_72, 3, 0.01));
  for (const name of ['matching', 'union_find'] as const) {
    expect(new Decoders().open(name, program, parities)).toEqual({
      reason: expect.stringMatching(
        /^the error that flips D\d+ D\d+ D\d+.* is no combination of errors/,
      ),
    });
  }
  const model = modelOf(bicycleMemory(GROSS_72, 3, 0.01));
  expect(model).toMatchObject({ numDetectors: 4 * 36, numObservables: 12 });
  const decoder = decoderOf('bp_osd', model);
  const strata = new FaultStrata(model);
  const one = strata.shots({ faults: 1, shots: model.errors.length, first: 0 }, 1);
  expect(countErrors(one, decoder, {}).errors).toBe(0);
  const two = strata.shots({ faults: 2, shots: 1500 }, 1);
  expect(countErrors(two, decoder, {}).errors).toBe(0);
});

// From stimbposd 0.2 (ldpc 2.4.1) with its defaults, 1,000 shots: 23 errors; by min-sum with the same order 22.
test('errs on the bivariate bicycle code no more than other implementations', () => {
  const model = modelOf(bicycleMemory(GROSS_72, 6, 0.02));
  const strata = new FaultStrata(model);
  const decoder = decoderOf('bp_osd', model);
  const probabilities = strata.distribution() as readonly number[];
  const rate = probabilities.reduce((sum, p, faults) => {
    if (p < 1e-4) return sum;
    const shots = strata.shots({ faults, shots: 50 }, 3);
    return sum + (p * countErrors(shots, decoder, {}).errors) / shots.numShots;
  }, 0);
  expect(rate).toBeLessThan(0.035);
});
