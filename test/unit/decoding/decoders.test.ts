/** Errors of circuits that differ in the strengths of their noise alone, which are found once. */
import { expect, test } from 'vitest';
import { generateStim } from '../../../src/circuit/stim/generate/generate-stim.ts';
import { readStim } from '../../../src/circuit/stim/read-stim.ts';
import { compileStabilizer } from '../../../src/compiler/clifford/compile-stabilizer.ts';
import { detectorErrorModel, flatErrors } from '../../../src/compiler/clifford/error-model.ts';
import { Decoders } from '../../../src/decoding/decoders.ts';

const LIMITS = { maxQubits: 100, maxGates: 100_000 };

function read(text: string) {
  const { circuit, ...parities } = readStim(text, LIMITS);
  const program = compileStabilizer(circuit);
  if ('kind' in program) throw new Error(program.kind);
  return { program, parities };
}

/** Noise of gates, flips of measurements, and channels whose strings have an order of their own. */
function surfaceCode(p: number, flips: number, [x, y, z]: readonly [number, number, number]) {
  const noise = {
    afterCliffordDepolarization: p,
    beforeRoundDataDepolarization: p / 2,
    beforeMeasureFlipProbability: flips,
    afterResetFlipProbability: p / 3,
    idleDepolarization: 0,
    afterTPhaseFlipProbability: 0,
  };
  const size = { distance: 3, rounds: 3, noise };
  const made = generateStim({ code: 'surface_code', task: 'rotated_memory_x', ...size });
  if ('problem' in made) throw new Error(made.problem);
  return read(made.text.replaceAll('TICK', `PAULI_CHANNEL_1(${x}, ${y}, ${z}) 1\nTICK`));
}

const CIRCUITS = [
  surfaceCode(0.001, 0.002, [0.001, 0.002, 0.003]),
  surfaceCode(0.004, 0.001, [0.01, 0.002, 0.03]),
  // Another order of strings, and strengths that are 0: other errors.
  surfaceCode(0.004, 0.001, [0.01, 0.01, 0.01]),
  surfaceCode(0.004, 0, [0.01, 0, 0]),
  surfaceCode(0.2, 0.3, [0.1, 0.2, 0.05]),
];

test('errors have the probabilities of their own circuit, whichever was read before', () => {
  const decoders = new Decoders();
  for (const { program, parities } of [...CIRCUITS, ...CIRCUITS.toReversed()]) {
    const found = decoders.errorsOf(program, parities, 'split');
    const model = detectorErrorModel(program, parities, {
      decomposeErrors: true,
      approximateDisjointErrors: true,
      ignoreDecompositionFailures: false,
      blockDecompositionFromIntroducingRemnantEdges: false,
      allowGaugeDetectors: false,
    });
    const walked = 'kind' in model ? undefined : flatErrors(model)?.errors;
    if ('reason' in found || walked === undefined) throw new Error('no errors');
    expect(found.errors.map(({ symptoms }) => symptoms)).toEqual(
      walked.map(({ symptoms }) => symptoms),
    );
    for (const [i, { probability }] of found.errors.entries()) {
      expect(Math.abs(probability / walked[i]!.probability - 1)).toBeLessThan(1e-12);
    }
  }
});

test('readings that are not symmetric are no exact errors, whichever was read before', () => {
  const read = (p1Given0: number, p0Given1: number) => {
    const program = compileStabilizer({
      numQubits: 1,
      numBits: 1,
      operations: [
        { kind: 'measure', qubits: [0], bits: [0] },
        { kind: 'misread', bits: [0], p1Given0, p0Given1 },
      ],
    });
    if ('kind' in program) throw new Error(program.kind);
    return program;
  };
  const parities = { detectors: [[0]], logicalObservables: [] };
  const [even, uneven] = [read(0.01, 0.01), read(0.01, 0.05)];
  for (const order of [
    [even, uneven],
    [uneven, even],
  ]) {
    const decoders = new Decoders();
    const found = order.map((program) => decoders.errorsOf(program, parities, 'exact'));
    const of = (program: typeof even) => found[order.indexOf(program)]!;
    expect(of(even)).toMatchObject({ errors: [{ probability: 0.01 }] });
    expect(of(uneven)).toMatchObject({ reason: expect.stringContaining('0.05') });
  }
});
