import { describe, expect, test } from 'vitest';
import {
  allOperations,
  type DynamicCircuit,
  type DynamicOperation,
  withFinalMeasurement,
} from '../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../src/circuit/errors.ts';
import type { GateObject } from '../../../../src/circuit/gate-object.ts';
import { circuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { applyNoise } from '../../../../src/circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import {
  circuitOf,
  serializeCircuit,
  writeCircuit,
} from '../../../../src/fleet/workers/sent-circuit.ts';

const limits = { maxQubits: 30, maxGates: 1000 };
const circuitOfObjects = (objects: readonly GateObject[], numQubits?: number) =>
  circuitFromGateObjects(objects, numQubits === undefined ? { limits } : { limits, numQubits });

function noisy(circuit: DynamicCircuit, object: NoiseModelObject): DynamicCircuit {
  const faults = new FaultList();
  const model = readNoiseModel(object, faults, new Map());
  const found = model && applyNoise(circuit, model, faults);
  expect(faults.kept).toEqual([]);
  return found!;
}

/** Operations as short text: `CX 0,1`, `noise X 0`, `misread 0`, with their conditions. */
function listed(operations: readonly DynamicOperation[]): readonly string[] {
  return operations.map((operation) => {
    const { condition } = operation as { condition?: { bits: readonly number[]; value: number } };
    const suffix = condition === undefined ? '' : ` if ${condition.bits.join()}=${condition.value}`;
    switch (operation.kind) {
      case 'gate':
        return `${operation.gate} ${[...operation.controls, ...operation.targets].join()}${suffix}`;
      case 'noise': {
        const { channel } = operation;
        const name =
          channel.kind === 'pauli'
            ? channel.errors.map(({ flips, signs }) => `${flips}${signs}`).join('+')
            : 'kraus';
        return `noise ${name} ${operation.qubits.join()}${suffix}`;
      }
      case 'misread':
        return `misread ${operation.bits.join()}${suffix}`;
      case 'measure':
        return `M ${operation.qubits.join()}${suffix}`;
      default:
        return `${operation.kind}${suffix}`;
    }
  });
}

const bitFlip = { type: 'bit_flip', probability: 0.1 } as const;
const phaseFlip = { type: 'phase_flip', probability: 0.2 } as const;
const both = { type: 'pauli', probabilities: { XX: 0.1 } } as const;

describe('a channel after gates', () => {
  const h: GateObject = { gate: 'H', qubit: 0 };
  const cx: GateObject = { gate: 'CX', control: 0, target: 1 };

  test.each<[string, readonly string[], readonly string[]]>([
    ['a name', ['CX'], ['H 0', 'CX 0,1', 'noise 10 0', 'noise 10 1']],
    ['an alias, in any case', ['Hadamard'], ['H 0', 'noise 10 0', 'CX 0,1']],
    ['all gates on one qubit', ['*1'], ['H 0', 'noise 10 0', 'CX 0,1']],
    ['all gates on two qubits', ['*2'], ['H 0', 'CX 0,1', 'noise 10 0', 'noise 10 1']],
    ['all gates', ['*'], ['H 0', 'noise 10 0', 'CX 0,1', 'noise 10 0', 'noise 10 1']],
    [
      'a gate once, however often it is named',
      ['H', '*1', '*'],
      ['H 0', 'noise 10 0', 'CX 0,1', 'noise 10 0', 'noise 10 1'],
    ],
    ['other gates', ['X', '*3'], ['H 0', 'CX 0,1']],
  ])('is placed after %s, on each operand', (_, gates, operations) => {
    const circuit = noisy(circuitOfObjects([h, cx]), {
      gates: [{ gates: [...gates], channel: bitFlip }],
    });
    expect(listed(circuit.operations)).toEqual(operations);
  });

  test('acts on operands in the order of the gate, controls first', () => {
    const circuit = circuitOfObjects([{ gate: 'CX', control: 2, target: 1 }]);
    const found = noisy(circuit, {
      gates: [{ gates: ['*'], channel: { type: 'pauli', probabilities: { XZ: 0.1 } } }],
    });
    // Z on the first operand, which is the control.
    expect(listed(found.operations)).toEqual(['CX 2,1', 'noise 21 2,1']);
  });

  test('on two qubits follows only gates on two', () => {
    const ccx: GateObject = { gate: 'CCX', qubits: [0, 1, 2] };
    const circuit = noisy(circuitOfObjects([h, cx, ccx]), {
      gates: [{ gates: ['*'], channel: both }],
    });
    expect(listed(circuit.operations)).toEqual(['H 0', 'CX 0,1', 'noise 30 0,1', 'CCX 0,1,2']);
  });

  test('depolarizing acts on all operands together, unless it says on how many', () => {
    const depolarizing = { type: 'depolarizing', probability: 0.1 } as const;
    const circuit = circuitOfObjects([h, cx]);
    const widths = (object: NoiseModelObject) =>
      noisy(circuit, object).operations.flatMap((operation) =>
        operation.kind === 'noise' ? [operation.channel.numQubits] : [],
      );
    expect(widths({ gates: [{ gates: ['*'], channel: depolarizing }] })).toEqual([1, 2]);
    expect(
      widths({ gates: [{ gates: ['*'], channel: { ...depolarizing, num_qubits: 1 } }] }),
    ).toEqual([1, 1, 1]);
    expect(
      widths({ gates: [{ gates: ['*'], channel: { ...depolarizing, num_qubits: 2 } }] }),
    ).toEqual([2]);
  });

  test('all entries that match are applied, in the order of the list', () => {
    const circuit = noisy(circuitOfObjects([cx]), {
      gates: [
        { gates: ['*'], channel: phaseFlip },
        { gates: ['CX'], channel: both },
        { gates: ['*2'], channel: bitFlip },
      ],
    });
    expect(listed(circuit.operations)).toEqual([
      'CX 0,1',
      'noise 01 0',
      'noise 01 1',
      'noise 30 0,1',
      'noise 10 0',
      'noise 10 1',
    ]);
  });

  test('holds for the listed operands in their order', () => {
    const circuit = circuitOfObjects([
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 1, target: 0 },
      { gate: 'CX', control: 1, target: 2 },
    ]);
    const qubits = [
      [1, 0],
      [1, 2],
    ];
    const found = noisy(circuit, { gates: [{ gates: ['CX'], qubits, channel: both }] });
    expect(listed(found.operations)).toEqual([
      'CX 0,1',
      'CX 1,0',
      'noise 30 1,0',
      'CX 1,2',
      'noise 30 1,2',
    ]);
  });

  test('knows a gate by its controls: X under two is CCX', () => {
    const circuit = circuitOfObjects([
      { gate: 'X', controls: [0, 1], target: 2 },
      { gate: 'CX', controls: [3], qubits: [0, 1] },
      { gate: 'RZ', control: 0, target: 1, theta: 0.3 },
      { gate: 'X', controls: [0, 1, 2], target: 3 },
    ]);
    const numAfter = (name: string) =>
      listed(noisy(circuit, { gates: [{ gates: [name], channel: bitFlip }] }).operations).filter(
        (text) => text.startsWith('noise'),
      ).length;
    expect(numAfter('CCX')).toBe(6);
    expect(numAfter('CRZ')).toBe(2);
    expect(numAfter('X')).toBe(0);
    expect(numAfter('CX')).toBe(0);
    expect(numAfter('*4')).toBe(4);
  });

  test.each([
    ['ctrl @ gphase(0.3) q[0];', 'P', 1],
    ['ctrl(2) @ gphase(0.3) q[0], q[1];', 'CP', 2],
    ['ctrl @ p(0.3) q[0], q[1];', 'CP', 2],
    ['ctrl @ swap q[0], q[1], q[2];', 'CSWAP', 3],
    ['ctrl(2) @ z q[0], q[1], q[2];', 'CCZ', 3],
    ['negctrl @ z q[0], q[1];', 'CZ', 2],
    ['inv @ ctrl @ gphase(0.3) q[0];', 'P', 1],
  ])('knows %s as %s', (call, name, numOperands) => {
    const circuit = readOpenQasm(`include "stdgates.inc"; qubit[3] q; ${call}`, limits).circuit;
    const numAfter = (gate: string) =>
      noisy(circuit, { gates: [{ gates: [gate], channel: bitFlip }] }).operations.filter(
        ({ kind }) => kind === 'noise',
      ).length;
    expect(numAfter(name)).toBe(numOperands);
    expect(numAfter(`*${numOperands}`)).toBe(numOperands);
    for (const other of ['GPHASE', 'X', 'Z', 'SWAP'].filter((gate) => gate !== name)) {
      expect(numAfter(other)).toBe(0);
    }
  });

  test('follows one gate as often as a model of very many entries says', () => {
    const gates = Array.from({ length: 200_000 }, () => ({ gates: ['X'], channel: bitFlip }));
    const circuit = circuitOfObjects([{ gate: 'X', qubit: 0 }]);
    expect(noisy(circuit, { gates }).operations).toHaveLength(200_001);
  });

  test('follows explicit unitaries by the name UNITARY and by their width', () => {
    const swap = [0, 2, 1, 3].map((row) =>
      [0, 1, 2, 3].map((column): [number, number] => [row === column ? 1 : 0, 0]),
    );
    const circuit = circuitOfObjects([{ gate: 'UNITARY', qubits: [0, 1], matrix: swap }]);
    for (const name of ['UNITARY', '*2', '*']) {
      const found = noisy(circuit, { gates: [{ gates: [name], channel: both }] });
      expect(listed(found.operations)).toEqual(['unitary', 'noise 30 0,1']);
    }
  });

  test('does not follow measurements, resets, barriers and global phases', () => {
    const circuit = circuitOfObjects([
      { gate: 'X', qubit: 0 },
      { gate: 'RESET', qubit: 0 },
      { gate: 'BARRIER' },
      { gate: 'GPHASE', gamma: 1 },
      { gate: 'M', qubit: 0 },
    ]);
    const found = noisy(circuit, { gates: [{ gates: ['*'], channel: bitFlip }] });
    expect(listed(found.operations)).toEqual([
      'X 0',
      'noise 10 0',
      'reset',
      'barrier',
      'GPHASE ',
      'M 0',
    ]);
  });

  test('has the condition of its gate', () => {
    const circuit = circuitOfObjects([
      { gate: 'M', qubit: 0 },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
    ]);
    const found = noisy(circuit, { gates: [{ gates: ['X'], channel: bitFlip }] });
    expect(listed(found.operations)).toEqual(['M 0', 'X 1 if 0=1', 'noise 10 1 if 0=1']);
  });

  test.each([
    ['rx(pi * n / 4) q[0];', 1],
    ['rx(pi * c[0]) q[0];', 1],
    ['rx(pi / 3 + pi * c[0] - pi * c[1]) q[0];', 1],
    ['rx(n * n) q[0];', 1],
    ['U(n, n * n, 0.1) q[0];', 1],
    ['ctrl @ rx(pi * n) q[0], q[1];', 2],
    ['negctrl @ rx(pi * n) q[0], q[1];', 2],
    ['negctrl @ U(n * n, 0, 0) q[0], q[1];', 2],
    ['inv @ rx(pi * n) q[0];', 1],
    ['pow(3) @ rx(pi * n) q[0];', 1],
    ['turn(pi * n) q[0];', 1],
    ['if (c[0] || c[1]) { h q[0]; }', 1],
    ['if (n > 1 || c[0] == 1) { rx(pi * n) q[0]; }', 1],
    ['negctrl @ x q[0], q[1];', 2],
    ['negctrl(2) @ x q[0], q[1], q[2];', 3],
    ['ctrl @ negctrl @ x q[0], q[1], q[2];', 3],
    ['pow(0.5) @ negctrl @ x q[0], q[1];', 2],
  ])('follows %s once, whatever the measured bits are', (call, numChannels) => {
    const text = `OPENQASM 3.0; include "stdgates.inc"; gate turn(t) a { ry(t) a; }
      qubit[3] q; qubit[2] m; bit[2] c; c = measure m; uint[4] n = c; ${call}`;
    const { circuit } = readOpenQasm(text, limits);
    const found = noisy(circuit, { gates: [{ gates: ['*'], channel: bitFlip }] });
    const { operations } = found;
    for (let value = 0; value < 4; value++) {
      const happens = (operation: DynamicOperation) =>
        !('condition' in operation && operation.condition) ||
        operation.condition.bits.reduce((sum, bit, i) => sum + (((value >> bit) & 1) << i), 0) ===
          operation.condition.value;
      const isSkipped = call.startsWith('if') && value === 0;
      const acting = operations.filter(happens);
      const channels = acting.filter(({ kind }) => kind === 'noise');
      expect(channels).toHaveLength(isSkipped ? 0 : numChannels);
      // Noise comes after all operations that the gate was written as.
      expect(acting.slice(acting.length - channels.length)).toEqual(channels);
    }
  });

  test('is placed inside loops, and after the gates that a defined gate consists of', () => {
    const text = `OPENQASM 3.0; include "stdgates.inc";
      gate bell a, b { h a; cx a, b; }
      qubit[2] q; bit c; c = 1;
      while (c) { bell q[0], q[1]; c = measure q[0]; }`;
    const { circuit } = readOpenQasm(text, limits);
    const found = noisy(circuit, {
      gates: [{ gates: ['H'], channel: bitFlip }],
      readout: [{ p1_given_0: 0.1, p0_given_1: 0 }],
    });
    const loop = found.operations.find(({ kind }) => kind === 'while');
    const body = allOperations(loop?.kind === 'while' ? loop.body : []);
    expect(listed(body).slice(0, 3)).toEqual(['H 0', 'noise 10 0', 'CX 0,1']);
    expect(listed(body).some((text) => text.startsWith('misread'))).toBe(true);
  });

  test('that does nothing leaves the circuit as it is', () => {
    const circuit = circuitOfObjects([h, cx]);
    expect(
      noisy(circuit, {
        gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 0 } }],
        readout: [{ p1_given_0: 0, p0_given_1: 0 }],
        idle: [{ t1_us: 100, t2_us: 100, durations_ns: { '*': 0 } }],
      }),
    ).toBe(circuit);
    expect(noisy(circuit, {})).toBe(circuit);
  });

  test('that has no form for a gate of many qubits is a fault', () => {
    const faults = new FaultList();
    const controls = [0, 1, 2, 3, 4, 5];
    const circuit = circuitOfObjects([{ gate: 'X', controls, target: 6 }]);
    const object = {
      gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 0.1 } }],
    } as const;
    const model = readNoiseModel(
      { gates: [{ ...object.gates[0], gates: ['*'] }] },
      faults,
      new Map(),
    );
    applyNoise(circuit, model!, faults);
    expect(faults.kept).toEqual([
      {
        path: 'noise.gates[0].channel',
        message: 'depolarizing acts on 1 to 6 qubits, not 7: its 4^k − 1 Pauli strings are listed.',
        code: 'CIRCUIT_LIMIT_EXCEEDED',
      },
    ]);
  });
});

describe('readout errors', () => {
  test('follow each measurement, also the one that is added at the end', () => {
    const circuit = withFinalMeasurement(circuitOfObjects([{ gate: 'H', qubit: 0 }], 2));
    const found = noisy(circuit, { readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }] });
    expect(found.operations.slice(2)).toEqual([
      { kind: 'misread', bits: [0, 1], p1Given0: 0.1, p0Given1: 0.2 },
    ]);
  });

  test('of several entries act one after the other, and bits of equal errors stand together', () => {
    const circuit = circuitOfObjects([{ gate: 'M', qubits: [0, 1, 2], bits: [5, 4, 3] }]);
    const found = noisy(circuit, {
      readout: [
        { p1_given_0: 0.1, p0_given_1: 0.2 },
        { qubits: [1], p1_given_0: 0.3, p0_given_1: 0.4 },
      ],
    });
    const [, two, one] = found.operations;
    expect(two).toEqual({ kind: 'misread', bits: [5, 3], p1Given0: 0.1, p0Given1: 0.2 });
    expect(one).toMatchObject({ kind: 'misread', bits: [4] });
    // 0 → 1 stays 1, or 0 → 0 → 1.
    expect((one as { p1Given0: number }).p1Given0).toBeCloseTo(0.1 * 0.6 + 0.9 * 0.3, 15);
    expect((one as { p0Given1: number }).p0Given1).toBeCloseTo(0.2 * 0.7 + 0.8 * 0.4, 15);
  });

  test('have the condition of the measurement, also where it overwrites what it reads', () => {
    const condition = { bits: [0, 1], value: 2 };
    const circuit = circuitOfObjects([
      { gate: 'M', qubits: [0, 1] },
      { gate: 'M', qubit: 2, bits: [2], condition },
      { gate: 'M', qubit: 2, bits: [0], condition },
    ]);
    const found = noisy(circuit, { readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }] });
    expect(listed(found.operations)).toEqual([
      'M 0,1',
      'misread 0,1',
      'M 2 if 0,1=2',
      'misread 2 if 0,1=2',
      'assign',
      'M 2 if 0,1=2',
      'misread 0 if 3=1',
    ]);
    expect(found.control?.numScratchBits).toBe(1);
    expect(found.operations[4]).toEqual({
      kind: 'assign',
      bits: [3],
      value: {
        kind: 'read',
        // Bit 1 must be set, and bit 0 must not.
        bits: [
          {
            nodes: [
              [0, -2, -1],
              [1, -1, 0],
            ],
          },
        ],
        encoding: 'uint',
        type: 'uint',
      },
    });
  });
});

test('a noisy circuit crosses to a worker as it is', () => {
  const circuit = noisy(
    circuitOfObjects([
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubit: 0 },
    ]),
    {
      gates: [
        { gates: ['H'], channel: { type: 'amplitude_damping', gamma: 0.1 } },
        { gates: ['H'], channel: phaseFlip },
      ],
      readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }],
    },
  );
  // Only noiseless circuits have the short form.
  expect(writeCircuit(circuit)).toBeUndefined();
  expect(circuitOf(serializeCircuit(circuit))).toEqual(circuit);
});

describe('noise of measurements, resets and layers', () => {
  const on = (gates: string[], qubits?: number[][]): NoiseModelObject => ({
    gates: [{ gates, ...(qubits && { qubits }), channel: bitFlip }],
  });
  const circuit = circuitOfObjects(
    [
      { gate: 'X', qubit: 0 },
      { gate: 'X', qubit: 1 },
      { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      { gate: 'RESET', qubits: [0, 1], condition: { bits: [0], value: 1 } },
      { gate: 'M', qubits: [0], bits: [0], condition: { bits: [0], value: 1 } },
    ],
    2,
  );

  test('comes before each measured qubit and after each reset one, under their conditions', () => {
    const flip = 'noise 10';
    expect(listed(noisy(circuit, on(['measure', 'RESET'])).operations)).toEqual([
      'X 0',
      'X 1',
      `${flip} 0`,
      `${flip} 1`,
      'M 0,1',
      'reset if 0=1',
      `${flip} 0 if 0=1`,
      `${flip} 1 if 0=1`,
      `${flip} 0 if 0=1`,
      'M 0 if 0=1',
    ]);
  });

  test('keeps to the listed qubits, and every gate does not stand for it', () => {
    expect(listed(noisy(circuit, on(['M'], [[1]])).operations).slice(0, 4)).toEqual([
      'X 0',
      'X 1',
      'noise 10 1',
      'M 0,1',
    ]);
    expect(listed(noisy(circuit, on(['*'])).operations)).toEqual([
      'X 0',
      'noise 10 0',
      'X 1',
      'noise 10 1',
      'M 0,1',
      'reset if 0=1',
      'M 0 if 0=1',
    ]);
  });

  test('a layer has its channels after the barrier, on the listed qubits that the barrier has', () => {
    const layers = circuitOfObjects(
      [
        { gate: 'BARRIER' },
        { gate: 'CX', control: 0, target: 1 },
        { gate: 'BARRIER', qubits: [1, 2] },
      ],
      3,
    );
    const pairs = {
      gates: [
        {
          gates: ['BARRIER'],
          qubits: [
            [0, 1],
            [2, 1],
          ],
          channel: { type: 'pauli' as const, probabilities: { ZX: 0.1 } },
        },
        { gates: ['BARRIER'], channel: phaseFlip },
      ],
    };
    expect(listed(noisy(layers, pairs).operations)).toEqual([
      'barrier',
      'noise 12 0,1',
      'noise 12 2,1',
      'noise 01 0',
      'noise 01 1',
      'noise 01 2',
      'CX 0,1',
      'barrier',
      'noise 12 2,1',
      'noise 01 1',
      'noise 01 2',
    ]);
  });
});
