/** Texts whose REPEAT blocks are kept as loops give what they give unrolled, for the same seed. */
import { expect, test } from 'vitest';
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import { readStim, type StimProgram } from '../../src/circuit/stim/read-stim.ts';
import { compileStabilizer } from '../../src/compiler/clifford/compile-stabilizer.ts';
import {
  detectorErrorModel,
  expectedParities,
  flatErrors,
} from '../../src/compiler/clifford/error-model.ts';
import { printErrorModel } from '../../src/compiler/clifford/print-error-model.ts';
import { readErrorModel } from '../../src/compiler/clifford/read-error-model.ts';
import type { IndependentErrors } from '../../src/compiler/clifford/symptoms.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import { openPlainKernels } from '../../src/engine/stabilizer/plain-kernels.ts';
import { stabilizerExecutable } from '../../src/engine/stabilizer/run-stabilizer.ts';
import { detectionEvents } from '../../src/service/circuits/detection-events.ts';
import { RandomStream } from '../support/random-stream.ts';
import { randomRepeatedText } from '../support/repeated-texts.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

const SHOTS = 96;

testSeeds('loops give what unrolled rounds give', seeds(60), async (seed) => {
  await expectAlike(randomRepeatedText(new RandomStream(seed), 20), 80);
});

test.each([1, 2])(
  'an observable that each round inverts has its value after them: %i',
  async (odd) => {
    // Detectors of one round alone, so that all rounds are alike from the last one on.
    const body = 'R 0\nX 0\nX_ERROR(0.125) 0\nM 0\nDETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]';
    expect(await expectAlike(`REPEAT ${40 + odd} {\n${body}\n}\nM 1`, 10)).toBe(true);
  },
);

test('rounds that read bits of others are alike only where these bits are', async () => {
  // A shift register with feedback: the qubit is |0⟩ after each of seven rounds that measure different values.
  const body = 'CX rec[-3] 0\nCX rec[-1] 0\nX_ERROR(0.0625) 0\nM 0\nR 0';
  expect(await expectAlike(`X 1\nM 1 0 0\nREPEAT 50 {\n${body}\n}`, 20)).toBe(true);
});

/**
 * Expects that a text gives the same with loops and without.
 *
 * @param mostGates - Limit of operations that its rounds exceed and its blocks do not.
 * @returns Whether it has loops.
 */
async function expectAlike(text: string, mostGates: number): Promise<boolean> {
  const unrolled = readStim(text, { maxQubits: 10, maxGates: 1e6 });
  const maxGates = Math.min(mostGates, unrolled.circuit.operations.length - 1);
  const looped = readLooped(text, maxGates);
  if (looped === undefined) return false;
  expect(looped.circuit.numBits).toBe(unrolled.circuit.numBits);
  const [found, right] = [await answersOf(looped), await answersOf(unrolled)];
  expect(found.outcomes).toEqual(right.outcomes);
  expect(found.events).toEqual(right.events);
  expect(found.expected).toEqual(right.expected);
  expect(linesOf(found.errors)).toEqual(linesOf(right.errors));
  const read = readErrorModel(found.model);
  if ('line' in read) throw new Error(`Line ${read.line}: ${read.problem}`);
  expect(linesOf(merged(read))).toEqual(linesOf(right.errors));
  return true;
}

/** The text with its loops; undefined if it has none, or is too long for so low a limit. */
function readLooped(text: string, maxGates: number): StimProgram | undefined {
  try {
    const read = readStim(text, { maxQubits: 10, maxGates }, { takesLoops: true });
    return read.repeated === undefined ? undefined : read;
  } catch {
    return undefined;
  }
}

async function answersOf(read: StimProgram) {
  const program = compiled(read.circuit);
  const sampled = compiled({ ...read.circuit, operations: [...read.circuit.operations, LOOP] });
  const executable = stabilizerExecutable(sampled, openPlainKernels(), new Mutex(), 'test');
  const { counts } = await executable.run({ shots: SHOTS, seed: 7 }, new AbortController().signal);
  const values = expectedParities(program, read);
  const model = detectorErrorModel(program, read, {
    decomposeErrors: false,
    approximateDisjointErrors: true,
    ignoreDecompositionFailures: true,
    blockDecompositionFromIntroducingRemnantEdges: false,
    allowGaugeDetectors: false,
  });
  if ('kind' in values || 'kind' in model) throw new Error(JSON.stringify({ values, model }));
  expect(model.expected).toEqual(values.expected);
  return {
    outcomes: counts.outcomes,
    expected: values.expected,
    events: detectionEvents(counts, { ...read, expected: values.expected }, 1, 'b8'),
    errors: flatErrors(model)!,
    model: printErrorModel(model, read.coordinates),
  };
}

/** Does nothing but to keep measurements where they are written, as in circuits with loops. */
const LOOP = { kind: 'repeat', count: 1, numBits: 0, body: [] } as const;

function compiled(circuit: DynamicCircuit) {
  const program = compileStabilizer(circuit);
  if ('kind' in program) throw new Error(program.operation);
  return program;
}

/** One error for those that flip the same. */
function merged(errors: IndependentErrors): IndependentErrors {
  const parts = [
    { errors: [], declared: [] },
    { errors: errors.errors, declared: [] },
    { times: 1, numDetectors: 0, step: [], first: 0, parts: [] },
  ];
  return flatErrors({ ...errors, parts })!;
}

const linesOf = ({ numDetectors, numObservables, errors }: IndependentErrors) => [
  `${numDetectors} ${numObservables}`,
  ...errors.map(({ symptoms, probability }) => `${probability.toPrecision(10)} ${symptoms.join()}`),
];
