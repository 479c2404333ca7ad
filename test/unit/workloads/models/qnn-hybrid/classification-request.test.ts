/** Limits of an inference: their values, and that a refusal names them. */
import { expect, test } from 'vitest';
import { CodedError } from '../../../../../src/errors/coded-error.ts';
import {
  type ClassificationRequest,
  checkClassification,
  type OwnCircuit,
  ownCircuitOf,
} from '../../../../../src/workloads/models/qnn-hybrid/classification-request.ts';

const FLOWER = [5.7, 2.9, 4.2, 1.3];
const SCALED = [0, -1, 1, 0.5];

function request(more: Partial<ClassificationRequest>): ClassificationRequest {
  return { rows: [FLOWER], pathOf: (row) => `inputs[${row}]`, seed: 1, ...more };
}

function own(more: Partial<OwnCircuit>, rows = [SCALED]): ClassificationRequest {
  return request({ rows, own: { theta: new Array(12).fill(0), ...more } });
}

function faultsOf(asked: ClassificationRequest) {
  try {
    checkClassification(asked);
    return [];
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    expect(error.code).toBe('WORKLOADS_INFERENCE_INVALID');
    return error.faults;
  }
}

const zeros = (length: number) => new Array<number>(length).fill(0);

test.each<[string, ClassificationRequest]>([
  ['one row', request({})],
  ['256 rows', request({ rows: new Array(256).fill(FLOWER) })],
  ['one shot', request({ shots: 1 })],
  ['8192 shots', request({ shots: 8192 })],
  ['100 cm', request({ rows: [[100, 0.001, 1, 1]] })],
  ['inputs at the ends of [-1, 1]', own({}, [[-1, 1, -1, 1]])],
  ['12 qubits in 8 layers', own({ numQubits: 12, theta: zeros(288) })],
  ['one qubit in one layer', own({ numQubits: 1, theta: zeros(3) })],
  ['thresholds at the ends', own({ threshold: -1 })],
  ['large angles', own({ theta: zeros(12).fill(1e300) })],
])('takes %s', (_, asked) => {
  expect(faultsOf(asked)).toEqual([]);
});

test.each<[string, ClassificationRequest, string, readonly string[]]>([
  ['0 shots', request({ shots: 0 }), 'shots', ['0', '1 to 8192']],
  ['8193 shots', request({ shots: 8193 }), 'shots', ['8193', '8192']],
  ['half a shot', request({ shots: 0.5 }), 'shots', ['0.5', 'whole']],
  ['shots that are no number', request({ shots: Number.NaN }), 'shots', ['NaN']],
  ['no rows', request({ rows: [] }), 'inputs', ['0 rows', '256']],
  ['257 rows', request({ rows: new Array(257).fill(FLOWER) }), 'inputs', ['257 rows', '256']],
  ['3 values', request({ rows: [FLOWER, [1, 2, 3]] }), 'inputs[1]', ['3 values', '4']],
  ['5 values', request({ rows: [[1, 2, 3, 4, 5]] }), 'inputs[0]', ['5 values', '4']],
  ['no length', request({ rows: [[1, 2, 0, 4]] }), 'inputs[0][2]', ['0', 'above 0', '100 cm']],
  ['a negative length', request({ rows: [[-1, 2, 3, 4]] }), 'inputs[0][0]', ['-1', 'above 0']],
  ['a metre', request({ rows: [[1, 2, 3, 100.1]] }), 'inputs[0][3]', ['100.1', '100 cm']],
  [
    'a length that is no number',
    request({ rows: [[1, Number.NaN, 3, 4]] }),
    'inputs[0][1]',
    ['NaN'],
  ],
  ['an endless length', request({ rows: [[1, Infinity, 3, 4]] }), 'inputs[0][1]', ['Infinity']],
  ['an input above 1', own({}, [[0, 0, 1.001, 0]]), 'inputs[0][2]', ['1.001', 'from -1 to 1']],
  [
    'an input below -1',
    own({}, [SCALED, [-1.5, 0, 0, 0]]),
    'inputs[1][0]',
    ['-1.5', 'from -1 to 1'],
  ],
  ['an input that is no number', own({}, [[Number.NaN, 0, 0, 0]]), 'inputs[0][0]', ['NaN']],
  ['13 qubits', own({ numQubits: 13, theta: zeros(39) }), 'parameters.qubits', ['13', '12']],
  ['0 qubits', own({ numQubits: 0, theta: [] }), 'parameters.qubits', ['0', '12']],
  ['half a qubit', own({ numQubits: 1.5 }), 'parameters.qubits', ['1.5', 'whole']],
  ['9 layers', own({ theta: zeros(108) }), 'parameters.theta', ['108', '8 layers', '96']],
  [
    'a count of no whole layers',
    own({ theta: zeros(13) }),
    'parameters.theta',
    ['13', '4 qubits', '12 a layer', '12, 24, 36, 48, 60, 72, 84, 96.'],
  ],
  ['no parameters', own({ theta: [] }), 'parameters.theta', ['0 numbers', '12, 24']],
  [
    'a count for other qubits',
    own({ numQubits: 2, theta: zeros(9) }),
    'parameters.theta',
    ['9', '6, 12, 18, 24, 30, 36, 42, 48.'],
  ],
  [
    'a theta that is no number',
    own({ theta: zeros(12).with(3, Number.NaN) }),
    'parameters.theta[3]',
    ['finite'],
  ],
  [
    'an endless theta',
    own({ theta: zeros(12).with(11, -Infinity) }),
    'parameters.theta[11]',
    ['finite'],
  ],
  [
    'thetas whose sum is endless',
    own({ theta: zeros(12).with(0, 1.7e308) }),
    'parameters.theta[0]',
    ['1.7e+308', 'below 1e308'],
  ],
  [
    'a threshold above 1',
    own({ threshold: 1.01 }),
    'parameters.threshold',
    ['1.01', 'from -1 to 1'],
  ],
  [
    'a threshold that is no number',
    own({ threshold: Number.NaN }),
    'parameters.threshold',
    ['NaN'],
  ],
])('refuses %s by its path, and names the limit', (_, asked, path, words) => {
  const faults = faultsOf(asked);
  expect(faults.map((fault) => fault.path)).toEqual([path]);
  for (const word of words) expect(faults[0]!.message).toContain(word);
});

test('names every fault of a request at once', () => {
  const asked = request({
    rows: [
      [2, 0, 0, 0],
      [0, 0, 0],
      [0, 0, -3, 4],
    ],
    shots: 10_000,
    own: { theta: [Number.NaN], numQubits: 4, threshold: 7 },
  });
  expect(faultsOf(asked).map(({ path }) => path)).toEqual([
    'shots',
    'parameters.theta',
    'parameters.theta[0]',
    'parameters.threshold',
    'inputs[0][0]',
    'inputs[1]',
    'inputs[2][2]',
    'inputs[2][3]',
  ]);
});

test('keeps 20 faults at most, and says how many there are', () => {
  const rows = new Array(256).fill([-1, 1, -1, 1]);
  const asked = request({ rows, shots: 0 });
  const faults = faultsOf(asked);
  expect(faults).toHaveLength(20);
  expect(faults[0]!.path).toBe('shots');
  expect(faults.at(-1)!.path).toBe('inputs[9][0]');
  expect(() => checkClassification(asked)).toThrow('has 513 faults; the first: shots must be');
});

test('looks at no more rows than it takes', () => {
  const rows = [...new Array(256).fill(FLOWER), [0, 0, 0, 0]];
  expect(faultsOf(request({ rows })).map(({ path }) => path)).toEqual(['inputs']);
});

test('says in which row of what was sent a fault is', () => {
  const asked = request({ rows: [[0, 1, 1, 1]], pathOf: () => 'input' });
  expect(faultsOf(asked).map(({ path }) => path)).toEqual(['input[0]']);
});

test('the number of parameters decides the layers of a caller’s circuit', () => {
  expect(ownCircuitOf({ theta: zeros(24) })).toMatchObject({
    numLayers: 2,
    circuit: { numParameters: 24, shape: { numQubits: 4 } },
  });
  expect(ownCircuitOf({ theta: zeros(24), numQubits: 8 })).toMatchObject({
    numLayers: 1,
    circuit: { numParameters: 24, shape: { numQubits: 8 } },
  });
});

test('circuits of one width and depth are one object, so that a processor knows them again', () => {
  const { circuit } = ownCircuitOf({ theta: zeros(24) });
  expect(ownCircuitOf({ theta: zeros(24).fill(1), numQubits: 4 }).circuit).toBe(circuit);
  expect(ownCircuitOf({ theta: zeros(24), numQubits: 2 }).circuit).not.toBe(circuit);
  expect(ownCircuitOf({ theta: zeros(12) }).circuit).not.toBe(circuit);
});
