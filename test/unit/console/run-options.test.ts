import { expect, test } from 'vitest';
import type { Estimate, Processor } from '../../../src/client/api-types.ts';
import { estimateInWords } from '../../../src/console/run/circuit-words.ts';
import { onUsedQubits } from '../../../src/console/run/fitted-wires.ts';
import {
  chosenOption,
  FIRST_CHOICES,
  faultsOf,
  firstSentence,
  hasMeasurement,
  movedDefault,
  noiseInWords,
  processorOptionsOf,
  requestOf,
} from '../../../src/console/run/run-options.ts';

const simulator: Processor = {
  id: 'statevector-sim',
  name: 'Statevector simulator',
  family: 'statevector',
  available: true,
  checked_at: '2026-01-02T03:04:05.678Z',
  qubits: 20,
  max_qubits: 24,
  max_shots: 10_000,
  max_gates: 1000,
  methods: [{ method: 'statevector', max_qubits: 20, max_noisy_qubits: 18 }],
  precision: 'f64',
  execution: 'cpu',
  queue_depth: 0,
};
const hardware: Processor = {
  ...simulator,
  id: 'superconducting-1',
  family: 'superconducting',
  methods: undefined,
};
const emulated: Processor = {
  ...simulator,
  id: 'emulator-x',
  family: 'emulator',
  coupling_map: [[0, 1]],
  noise: {},
  qubits: 100,
  max_used_qubits: 20,
};
const wide: Processor = {
  ...simulator,
  id: 'qvm',
  family: 'qvm',
  methods: [
    { method: 'statevector', max_qubits: 20, max_noisy_qubits: 18 },
    { method: 'stabilizer', max_qubits: 20_000, max_noisy_qubits: 20_000 },
  ],
};
const noisy = { ...FIRST_CHOICES, noise: 'ibm-fez' };
const refusal = (one: Processor, numQubits: number, choices = FIRST_CHOICES) =>
  processorOptionsOf([one], { circuit: [] }, numQubits, choices)[0]?.refusal;

test('a processor that takes the circuit has no refusal', () => {
  expect(refusal(simulator, 20)).toBeUndefined();
  expect(refusal(simulator, 18, noisy)).toBeUndefined();
  expect(refusal(wide, 1000)).toBeUndefined();
  expect(refusal(wide, 1000, noisy)).toBeUndefined();
});

test.each([
  [
    { ...simulator, available: false, reason: 'In maintenance: fans' },
    2,
    {},
    'In maintenance: fans',
  ],
  [simulator, 21, {}, 'The circuit has 21 qubits, and it takes at most 20 now.'],
  [emulated, 21, {}, 'The circuit has 21 qubits, and it takes at most 20 now.'],
  [wide, 20_001, {}, 'The circuit has 20,001 qubits, and it takes at most 20,000 now.'],
  [simulator, 2, { shots: '10001' }, 'It takes at most 10,000 shots.'],
  [simulator, 19, { noise: 'ibm-fez' }, 'With noise it takes at most 18 qubits.'],
  [hardware, 2, { noise: 'ibm-fez' }, 'It takes no noise model.'],
  [hardware, 2, { noise: 'none' }, 'A device cannot run without its errors.'],
  [
    { ...emulated, coupling_map: undefined },
    2,
    {},
    'It needs the description of a device, so it is used by the API.',
  ],
])('a processor that cannot take the circuit says why', (one, numQubits, choices, words) => {
  expect(refusal(one, numQubits, { ...FIRST_CHOICES, ...choices })).toBe(words);
});

test('without a choice the first processor that takes the circuit is chosen', () => {
  const options = processorOptionsOf(
    [{ ...simulator, available: false }, emulated],
    { circuit: [] },
    2,
    FIRST_CHOICES,
  );
  expect(chosenOption(options, '')?.processor.id).toBe('emulator-x');
  expect(chosenOption(options, 'statevector-sim')?.processor.id).toBe('statevector-sim');
  expect(chosenOption([], '')).toBeUndefined();
});

test('a default that has moved from a processor in maintenance says so, a choice does not', () => {
  const moved = (numQubits: number, choices = FIRST_CHOICES) => {
    const out = { ...simulator, available: false, reason: 'In maintenance: fans.' };
    return movedDefault(
      processorOptionsOf([out, wide], { circuit: [] }, numQubits, choices),
      choices,
    );
  };
  expect(moved(2)).toBe(
    `${simulator.name} would be the default and is not available: In maintenance: fans. Runs go to ${wide.name}.`,
  );
  expect(moved(2, { ...FIRST_CHOICES, processor: wide.id })).toBeUndefined();
  // It would not take this one.
  expect(moved(40)).toBeUndefined();
});

test('the request has only what was chosen', () => {
  const circuit = [{ gate: 'H', qubit: 0 }];
  expect(requestOf({ circuit }, 2, 'qvm', FIRST_CHOICES)).toEqual({
    circuit,
    qubits: 2,
    target_processor: 'qvm',
    shots: 1000,
  });
  const choices = { processor: 'qvm', shots: '5', seed: '0', noise: 'ibm-fez' };
  expect(requestOf({ qasm: 'OPENQASM 3;' }, 2, 'qvm', choices)).toEqual({
    qasm: 'OPENQASM 3;',
    target_processor: 'qvm',
    shots: 5,
    seed: 0,
    noise: { model: 'ibm-fez' },
  });
  expect(requestOf({ circuit }, 1, 'x', { ...choices, noise: 'none' }).noise).toEqual({});
});

test.each([
  ['', '', ['shots']],
  ['1.5', '', ['shots']],
  ['0', '7', ['shots']],
  ['10', '-1', ['seed']],
  ['10', '9007199254740993', ['seed']],
  ['10', '7', []],
])('shots %j with seed %j have faults in %j', (shots, seed, expected) => {
  const faults = faultsOf({ ...FIRST_CHOICES, shots, seed });
  expect(Object.entries(faults).flatMap(([name, own]) => (own.length > 0 ? [name] : []))).toEqual(
    expected,
  );
});

test('says what the noise means on the processor', () => {
  const models = [
    {
      id: 'ibm-fez',
      description: 'Depolarizing noise at rates of 0.5. More.',
      source: '',
      basis: 'modelled' as const,
      noise: {},
    },
  ];
  expect(noiseInWords('', models, simulator)).toBe('Results are those of a device without errors.');
  expect(noiseInWords('', models, emulated)).toContain('its own noise');
  expect(noiseInWords('ibm-fez', models, emulated)).toBe(
    'Depolarizing noise at rates of 0.5. It replaces the noise of the emulated device. Modelled.',
  );
  expect(firstSentence('No stop')).toBe('No stop');
});

test('knows a measurement in operations and in a text, but not in a comment', () => {
  expect(hasMeasurement({ circuit: [{ gate: 'M', qubits: [0] }] })).toBe(true);
  expect(hasMeasurement({ circuit: [{ gate: 'H', qubit: 0 }] })).toBe(false);
  expect(hasMeasurement({ qasm: 'c = measure q;' })).toBe(true);
  expect(hasMeasurement({ qasm: '// measure\n/* measure\n */ h q;' })).toBe(false);
});

test('a fitted circuit is drawn on the qubits of the device that it uses', () => {
  const { qubits, gates } = onUsedQubits([
    { gate: 'GPHASE', gamma: 0.5 },
    { gate: 'SX', qubit: 12 },
    { gate: 'CZ', control: 12, target: 140 },
    { gate: 'BARRIER' },
    { gate: 'M', qubits: [140], bits: [1] },
  ]);
  expect(qubits).toEqual([12, 140]);
  expect(
    gates.map(({ name, controls, targets, column }) => [name, [...controls, ...targets], column]),
  ).toEqual([
    ['SX', [0], 0],
    ['Z', [0, 1], 1],
    ['BARRIER', [0, 1], 2],
    ['M', [1], 3],
  ]);
});

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (ms: number) => new Date(NOW + ms).toISOString();

test.each<[Partial<Estimate>, string]>([
  [
    { method: 'statevector', run_ms: 212, memory_bytes: 64, expected_start_at: at(-30) },
    'About 212 ms on qvm by statevector, starts at once.',
  ],
  [
    { method: 'matrix_product_state', run_ms: 65_000, memory_bytes: 2 ** 33 },
    'About 65.0 s on qvm by matrix product state, in 8 GiB of memory.',
  ],
  [{ expected_start_at: at(999) }, 'On qvm, starts at once.'],
  [{}, 'On qvm.'],
])('%o is said as %s', (estimate, words) => {
  const whole = {
    kind: 'circuit',
    processor: 'qvm',
    shots: 1,
    queue_depth: 0,
    ...estimate,
  } as const;
  expect(estimateInWords(whole, NOW)).toBe(words);
});

test('a later start has its time of day', () => {
  const estimate = { kind: 'circuit', processor: 'qvm', shots: 1, queue_depth: 3 } as const;
  const words = estimateInWords({ ...estimate, expected_start_at: at(61_000) }, NOW);
  expect(words).toMatch(/^On qvm, starts at about \d\d:05:06\.$/);
});
