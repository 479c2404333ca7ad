/** Texts in Stim's format on the page: read and written by the worker, drawn, run, and their detection events summed up. */
import { describe, expect, test } from 'vitest';
import type { Processor } from '../../../src/client/api-types.ts';
import { readShared, writeShared } from '../../../src/console/composer/permalink.ts';
import { TEXT_EXAMPLES } from '../../../src/console/composer/text-examples.ts';
import { layoutSlice } from '../../../src/console/drawing/slice-layout.ts';
import { tickAt, tickName } from '../../../src/console/drawing/timeline-ticks.ts';
import type { LiveRequest } from '../../../src/console/live-state/messages.ts';
import { StateComputer } from '../../../src/console/live-state/state-computer.ts';
import { detectionRates } from '../../../src/console/run/detection-rates.ts';
import {
  FIRST_CHOICES,
  hasMeasurement,
  processorOptionsOf,
  requestOf,
} from '../../../src/console/run/run-options.ts';
import { NODE_HOST } from '../../../src/engine/cpu/cpu-engine.ts';

const computer = new StateComputer(NODE_HOST);
const CODE = 'R 0 1\nTICK\nX_ERROR(0.1) 0\nCX 0 1\nTICK\nM 1\nDETECTOR rec[-1]';

describe('the worker', () => {
  const parse = (stim: string) => computer.answer({ ask: 'parse', source: { stim } });

  test('reads a text of gates alone as gate objects, and of anything else as a text', async () => {
    expect(await parse('H 0\nCX 0 1\nMR 1\nCX rec[-1] 0')).toMatchObject({
      kind: 'parsed',
      qubits: 2,
      numBits: 1,
      circuit: [
        { gate: 'H', qubit: 0 },
        { gate: 'CX', control: 0, target: 1 },
        { gate: 'M', qubits: [1] },
        { gate: 'RESET', qubits: [1] },
        { gate: 'X', qubit: 0, condition: { bits: [0], value: 1 } },
      ],
    });
    for (const more of ['TICK', 'X_ERROR(0.1) 0', 'REPEAT 2 {\nH 0\n}', 'DETECTOR', 'M(0.1) 0']) {
      expect(await parse(`H 0\n${more}`)).toMatchObject({ kind: 'parsed', circuit: undefined });
    }
  });

  test('reads a text whose blocks are too long to be unrolled, and computes no state of it', async () => {
    const stim = 'R 0\nREPEAT 100000 {\nX_ERROR(0.1) 0\nMR 0\nDETECTOR rec[-1]\n}';
    expect(await parse(stim)).toMatchObject({ kind: 'parsed', numBits: 100_000 });
    expect(await computer.answer({ ask: 'show', source: { stim }, options: {} })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('With its REPEAT blocks unrolled'),
    });
  });

  test('says where a fault is', async () => {
    expect(await parse('H 0\nCX 0 1 2')).toMatchObject({
      kind: 'refused',
      code: 'CIRCUIT_STIM_INVALID',
      position: { line: 2, column: 1 },
    });
  });

  test('writes gates in the format, and says what it cannot express', async () => {
    const write = (circuit: readonly object[]) =>
      computer.answer({ ask: 'write', source: { circuit }, form: 'stim' });
    const bell = [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'M', qubits: [0, 1] },
    ];
    expect(await write(bell)).toEqual({ kind: 'written', text: 'H 0\nCX 0 1\nM 0 1\n' });
    const code = 'CIRCUIT_STIM_UNPRINTABLE';
    expect(await write([{ gate: 'CCX', controls: [0, 1], target: 2 }])).toMatchObject({ code });
    const channel = { type: 'bit_flip', probability: 0.1 };
    expect(await write([{ gate: 'NOISE', qubits: [0], channel }])).toMatchObject({ code });
  });

  test('writes a text without its detectors as OpenQASM', async () => {
    const request: LiveRequest = { ask: 'write', source: { stim: CODE }, form: 'openqasm3' };
    const written = await computer.answer(request);
    if (written.kind !== 'written') throw new Error(JSON.stringify(written));
    expect(written.text).toContain('cx q[0], q[1];');
    expect(written.text).toContain('#pragma');
  });

  test('computes the state of a text', async () => {
    const source = { stim: 'X 0\nCX 0 1' };
    const state = await computer.answer({ ask: 'show', source, options: {} });
    if (state.kind !== 'state') throw new Error(JSON.stringify(state));
    expect([...state.probabilities]).toEqual([0, 0, 0, 1]);
  });

  test('draws a text, and its regions at a TICK', async () => {
    const source = { stim: CODE };
    expect(await computer.answer({ ask: 'timeline', source })).toMatchObject({
      kind: 'timeline',
      timeline: { qubits: [0, 1], numTicks: 2, numDetectors: 1 },
    });
    expect(await computer.answer({ ask: 'slice', source, tick: 0 })).toEqual({
      kind: 'slice',
      regions: [
        {
          name: 'D0',
          paulis: [
            [0, 'Z'],
            [1, 'Z'],
          ],
        },
      ],
    });
    expect(await computer.answer({ ask: 'slice', source, tick: 7 })).toMatchObject({ regions: [] });
  });
});

describe('a drawn TICK', () => {
  const ticks = [
    { column: 1, first: 0, steps: [] },
    { column: 2, first: 1, steps: [{ by: 5, count: 3 }] },
    {
      column: 3,
      first: 2,
      steps: [
        { by: 5, count: 3 },
        { by: 2, count: 2 },
      ],
    },
    {
      column: 4,
      first: 3,
      steps: [
        { by: 5, count: 3 },
        { by: 2, count: 2 },
      ],
    },
    { column: 5, first: 16, steps: [] },
  ];

  test('is found by its number, with the repetitions of its blocks', () => {
    const found = Array.from({ length: 18 }, (_, number) => {
      const at = tickAt(ticks, number);
      return at === undefined ? 'none' : [at.tick.column, ...at.rounds].join(' ');
    });
    const rounds = [0, 1, 2].flatMap((i) => [
      `2 ${i}`,
      `3 ${i} 0`,
      `4 ${i} 0`,
      `3 ${i} 1`,
      `4 ${i} 1`,
    ]);
    expect(found).toEqual(['1', ...rounds, '5', 'none']);
  });

  test('is named as Stim counts', () => {
    expect(ticks.map(tickName)).toEqual(['1', '2+5i', '3+5i+2j', '4+5i+2j', '17']);
  });
});

describe('a slice', () => {
  const places = [
    [0, [1, 1]],
    [1, [3, 1]],
    [2, [3, 3]],
    [3, [1, 3]],
  ] as const;

  test('has qubits at their places, and those without a place in a row below', () => {
    const { qubits, width, height } = layoutSlice({ qubits: [0, 1, 2, 3, 7, 9], places }, []);
    expect(qubits.map(({ qubit, x, y }) => [qubit, x, y])).toEqual([
      [0, 30, 30],
      [1, 90, 30],
      [2, 90, 90],
      [3, 30, 90],
      [7, 30, 150],
      [9, 90, 150],
    ]);
    expect([width, height]).toEqual([120, 180]);
  });

  test('goes round the qubits of a region, whose letters differ where its Paulis do', () => {
    const { regions } = layoutSlice({ qubits: [0, 1, 2, 3], places }, [
      {
        name: 'D0',
        paulis: [
          [0, 'Z'],
          [1, 'Z'],
          [2, 'Z'],
          [3, 'Z'],
        ],
      },
      {
        name: 'D1',
        paulis: [
          [0, 'X'],
          [1, 'Y'],
        ],
      },
      { name: 'L0', paulis: [[2, 'X']] },
    ]);
    expect(regions.map(({ path, look, isLine }) => [path, look, isLine])).toEqual([
      ['M 30 30 L 90 30 L 90 90 L 30 90 Z', 'Z', false],
      ['M 90 30 L 30 30 Z', 'mixed', true],
      ['M 90 90 Z', 'X', true],
    ]);
    expect(regions.map(({ letters }) => letters.map(({ text }) => text).join(''))).toEqual([
      'Z',
      'XY',
      'X',
    ]);
    expect(regions[0]?.letters[0]).toMatchObject({ x: 60, y: 60 });
    // Beside its qubit, not on it.
    expect(regions[2]?.letters[0]).toMatchObject({ x: 90, y: 105 });
    expect(regions[1]?.title).toBe('D1: X0 Y1');
  });
});

test('detection events are counted by detector and observable', () => {
  // Nine detectors and an observable in two bytes: D0 and L0; nothing; D0 and D8; L0.
  const rows = [
    [1, 2],
    [0, 0],
    [1, 1],
    [0, 2],
  ].flat();
  const rates = detectionRates({
    num_detectors: 9,
    num_logical_observables: 1,
    shots: 4,
    format: 'b8',
    bytes_per_shot: 2,
    data: Buffer.from(rows).toString('base64'),
  });
  expect(rates).toMatchObject({ numShots: 4, numWithEvents: 2 });
  expect([...rates.detectors]).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect([...rates.observables]).toEqual([2]);
});

describe('a run', () => {
  const simulator = {
    id: 'qvm',
    family: 'qvm',
    available: true,
    qubits: 30,
    max_shots: 1000,
    methods: [{ method: 'stabilizer', max_qubits: 20_000, max_noisy_qubits: 20_000 }],
  } as unknown as Processor;
  const refusal = (processor: Processor, stim: string) =>
    processorOptionsOf([processor], { stim }, 2, { ...FIRST_CHOICES, noise: 'none' })[0]?.refusal;

  test('asks for detection events if there are any, and for no noise beside that of the text', () => {
    const choices = { ...FIRST_CHOICES, noise: 'ibm-fez' };
    const shared = { target_processor: 'qvm', shots: 1000 };
    expect(requestOf({ stim: CODE }, 2, 'qvm', choices)).toEqual({
      stim: CODE,
      ...shared,
      return: ['detection_events'],
    });
    expect(requestOf({ stim: '# DETECTOR\nM 0' }, 1, 'qvm', choices)).toEqual({
      stim: '# DETECTOR\nM 0',
      ...shared,
    });
    expect(hasMeasurement({ stim: 'H 0\n  MXX 0 1' })).toBe(true);
    expect(hasMeasurement({ stim: 'H 0 # M' })).toBe(false);
  });

  test('is on a simulator, which gives events', () => {
    expect(refusal(simulator, CODE)).toBeUndefined();
    expect(refusal({ ...simulator, methods: [] }, CODE)).toBe('It gives no detection events.');
    expect(refusal({ ...simulator, family: 'superconducting' }, CODE)).toBe(
      'A text in Stim’s format runs on simulators.',
    );
  });
});

test('an address holds a text', async () => {
  for (const { stim } of TEXT_EXAMPLES) {
    expect(await readShared(await writeShared({ stim }))).toEqual({ stim });
  }
});
