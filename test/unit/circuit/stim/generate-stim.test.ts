/** Generated circuits: those of `stim gen`, and a honeycomb code. Comparison of many circuits with Stim itself is in test/clients/stim. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  GENERATED_CODES,
  generateStim,
} from '../../../../src/circuit/stim/generate/generate-stim.ts';
import { readStim } from '../../../../src/circuit/stim/read-stim.ts';
import { compileStabilizer } from '../../../../src/compiler/clifford/compile-stabilizer.ts';
import { detectorErrorModel, flatErrors } from '../../../../src/compiler/clifford/error-model.ts';
import { shortestGraphlikeError } from '../../../../src/decoding/shortest-graphlike-error.ts';
import { runQcs } from '../../../support/command-line.ts';

const QUIET = {
  afterCliffordDepolarization: 0,
  beforeRoundDataDepolarization: 0,
  beforeMeasureFlipProbability: 0,
  afterResetFlipProbability: 0,
  idleDepolarization: 0,
  afterTPhaseFlipProbability: 0,
};
const NOISE = {
  afterCliffordDepolarization: 0.001,
  beforeRoundDataDepolarization: 0.002,
  beforeMeasureFlipProbability: 0.003,
  afterResetFlipProbability: 0.004,
  idleDepolarization: 0,
  afterTPhaseFlipProbability: 0,
};

function textOf(code: string, task: string, distance: number, rounds: number, noise = NOISE) {
  const generated = generateStim({ code, task, distance, rounds, noise });
  if ('problem' in generated) throw new Error(generated.problem);
  return generated.text;
}

test('the repetition code of distance 2 is that of Stim', () => {
  // str(stim.Circuit.generated("repetition_code:memory", distance=2, rounds=3, …)), with the noise of NOISE.
  expect(textOf('repetition_code', 'memory', 2, 3)).toBe(`R 0 1 2
X_ERROR(0.004) 0 1 2
TICK
DEPOLARIZE1(0.002) 0 2
CX 0 1
DEPOLARIZE2(0.001) 0 1
TICK
CX 2 1
DEPOLARIZE2(0.001) 2 1
TICK
X_ERROR(0.003) 1
MR 1
X_ERROR(0.004) 1
DETECTOR(1, 0) rec[-1]
REPEAT 2 {
    TICK
    DEPOLARIZE1(0.002) 0 2
    CX 0 1
    DEPOLARIZE2(0.001) 0 1
    TICK
    CX 2 1
    DEPOLARIZE2(0.001) 2 1
    TICK
    X_ERROR(0.003) 1
    MR 1
    X_ERROR(0.004) 1
    SHIFT_COORDS(0, 1)
    DETECTOR(1, 0) rec[-1] rec[-2]
}
X_ERROR(0.003) 0 2
M 0 2
DETECTOR(1, 1) rec[-1] rec[-2] rec[-3]
OBSERVABLE_INCLUDE(0) rec[-1]
`);
  expect(textOf('repetition_code', 'memory', 2, 1, QUIET).split('\n').slice(0, 3)).toEqual([
    'R 0 1 2',
    'TICK',
    'CX 0 1',
  ]);
});

// First 16 digits of the SHA-256 of str(stim.Circuit.generated(…)) with a newline at its end, by Stim 1.16.0.
test.each([
  ['repetition_code', 'memory', 2, 1, '0a492b05bcdb4869'],
  ['repetition_code', 'memory', 5, 10, 'f56135bbf461320d'],
  ['surface_code', 'rotated_memory_x', 2, 2, '7a34de5f1a934953'],
  ['surface_code', 'rotated_memory_x', 5, 10, '924c0acb394a18c9'],
  ['surface_code', 'rotated_memory_z', 3, 1, '5318f589cc4c00d8'],
  ['surface_code', 'rotated_memory_z', 6, 5, '9ccd842fa032a283'],
  ['surface_code', 'unrotated_memory_x', 2, 3, '8e8d06102e03ee81'],
  ['surface_code', 'unrotated_memory_x', 5, 10, '73900bf3fa1b264e'],
  ['surface_code', 'unrotated_memory_z', 3, 2, 'b1d17eb5f374f5f1'],
  ['surface_code', 'unrotated_memory_z', 4, 5, 'c0e64f1edf69c479'],
  ['color_code', 'memory_xyz', 3, 2, '194d3788720d6fd8'],
  ['color_code', 'memory_xyz', 3, 3, 'bce5af93a7640746'],
  ['color_code', 'memory_xyz', 5, 4, '814d22de538d71cc'],
  ['color_code', 'memory_xyz', 7, 20, 'c0f5e921c983a1ba'],
] as const)(
  '%s %s of distance %i, %i rounds, is that of Stim',
  (code, task, distance, rounds, hash) => {
    const text = textOf(code, task, distance, rounds);
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(hash);
  },
);

test.each([
  [2, 3],
  [2, 13],
  [4, 9],
  [4, 11],
])(
  'a honeycomb code of distance %i keeps it, without random detectors, in %i rounds',
  (distance, rounds) => {
    const text = textOf('honeycomb_code', 'memory', distance, rounds);
    const read = readStim(text, { maxQubits: 100, maxGates: 50_000 });
    const program = compileStabilizer(read.circuit);
    if ('kind' in program) throw new Error(program.operation);
    const model = detectorErrorModel(program, read, {
      decomposeErrors: false,
      approximateDisjointErrors: false,
      ignoreDecompositionFailures: true,
      blockDecompositionFromIntroducingRemnantEdges: false,
      allowGaugeDetectors: false,
    });
    if ('kind' in model) throw new Error(JSON.stringify(model));
    expect(shortestGraphlikeError(flatErrors(model)!)).toHaveLength(distance);
  },
);

/** Distance and rounds of codes that do not take 3 and 4. */
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  honeycomb_code: [2, 5],
  reed_muller_code: [3, 1],
};

test('every task is read, with the detectors and the observable that it has', () => {
  for (const [code, tasks] of Object.entries(GENERATED_CODES)) {
    for (const task of Object.keys(tasks)) {
      const [distance, rounds] = SIZES[code] ?? [3, 4];
      const text = textOf(code, task, distance, rounds);
      const read = readStim(text, { maxQubits: 50, maxGates: 5000 });
      expect(read.logicalObservables).toHaveLength(1);
      expect(read.detectors.length).toBeGreaterThan(3);
    }
  }
});

test.each([
  ['steane_code', 'memory', 3, 1, 'There is no code steane_code: repetition_code, surface_code'],
  ['surface_code', 'memory', 3, 1, 'surface_code has no task memory: rotated_memory_x, '],
  ['repetition_code', 'memory', 1, 1, 'a distance of at least 2, and not 1.'],
  ['color_code', 'memory_xyz', 4, 2, 'an odd distance of at least 3, and not 4.'],
  ['color_code', 'memory_xyz', 3, 1, 'at least 2 rounds, and not 1.'],
  ['honeycomb_code', 'memory', 3, 3, 'an even distance of at least 2, and not 3.'],
  ['honeycomb_code', 'memory', 2, 4, 'an odd number of rounds, at least 3, and not 4.'],
  ['color_code', 'cultivation', 5, 2, 'The distance of cultivation is 3 at most.'],
  ['color_code', 'cultivation', 3, 1, 'at least 2 rounds, and not 1.'],
  ['reed_muller_code', 'distillation', 3, 2, 'The number of rounds of distillation is 1 at most.'],
])('%s %s of distance %i, %i rounds, is refused', (code, task, distance, rounds, problem) => {
  const generated = generateStim({ code, task, distance, rounds, noise: QUIET });
  expect(generated).toEqual({ problem: expect.stringContaining(problem) });
});

test('noise of idle qubits and T gates is refused where a task takes none', () => {
  for (const field of ['idleDepolarization', 'afterTPhaseFlipProbability']) {
    const noise = { ...QUIET, [field]: 0.001 };
    const generated = generateStim({
      code: 'surface_code',
      task: 'rotated_memory_x',
      distance: 3,
      rounds: 1,
      noise,
    });
    expect(generated).toEqual({
      problem: expect.stringContaining('takes no noise of idle qubits'),
    });
  }
});

test('qcs gen prints the circuit with its noise, and refuses what does not go together', async () => {
  const circuit = ['gen', '--code', 'surface_code', '--distance', '3', '--rounds', '2'];
  const noise = [
    ['--after_clifford_depolarization', '0.001'],
    ['--before_round_data_depolarization', '0.002'],
    ['--before_measure_flip_probability', '0.003'],
    ['--after_reset_flip_probability', '0.004'],
  ].flat();
  const printed = await runQcs([...circuit, '--task', 'rotated_memory_z', ...noise]);
  expect(printed).toEqual({
    code: 0,
    stdout: textOf('surface_code', 'rotated_memory_z', 3, 2),
    stderr: '',
  });
  const refused = await runQcs([...circuit, '--task', 'memory']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('has no task memory') });
});
