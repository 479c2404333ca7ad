import { describe, expect, test } from 'vitest';
import { faultOfCounts, MIXES, mirrorCircuit } from '../../../../bench/capacity/circuit-mix.ts';
import { circuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { compile } from '../../../../src/compiler/compile.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { countsByLabel, runProgram } from '../../../support/engine-runs.ts';

const LIMITS = { maxQubits: 30, maxGates: 100_000 };

describe('a mirrored circuit', () => {
  test.each([2, 3, 5, 8])(
    'of %i qubits gives only outcomes that its check allows',
    async (qubits) => {
      const engine = openReferenceEngine({ maxQubits: 10 });
      const checked = mirrorCircuit({ qubits, layers: 3, shots: 200, weight: 1 }, qubits);
      const circuit = circuitFromGateObjects(checked.gates, { limits: LIMITS, numQubits: qubits });
      const { program } = compile(circuit, engine.target, { keepState: false });
      const { counts } = await runProgram(engine, program, { shots: 200 });

      expect(faultOfCounts(checked, Object.fromEntries(countsByLabel(counts)))).toBeUndefined();
    },
  );

  test('is not undone by the compiler: the barrier holds its halves apart', () => {
    const checked = mirrorCircuit({ qubits: 6, layers: 4, shots: 1, weight: 1 }, 1);
    const circuit = circuitFromGateObjects(checked.gates, { limits: LIMITS, numQubits: 6 });
    const { target } = openReferenceEngine({ maxQubits: 10 });
    const { report } = compile(circuit, target, { keepState: false });

    expect(report.gatesAfter).toBeGreaterThan(2 * 6 * 4);
  });

  test('differs with its seed', () => {
    const kind = { qubits: 8, layers: 2, shots: 1, weight: 1 };

    expect(mirrorCircuit(kind, 1).gates).not.toEqual(mirrorCircuit(kind, 2).gates);
    expect(mirrorCircuit(kind, 1)).toEqual(mirrorCircuit(kind, 1));
  });
});

describe('the check of counts refuses', () => {
  const checked = { qubits: 3, shots: 10, gates: [], outcome: '1??' };

  test.each([
    ['an outcome that cannot be', { '100': 9, '000': 1 }, '000 was counted'],
    ['a label of another width', { '10': 10 }, '10 was counted'],
    ['shots that are missing', { '100': 9 }, '9 of 10 shots'],
    ['no counts at all', undefined, '0 of 10 shots'],
  ])('%s', (_, counts, fault) => {
    expect(faultOfCounts(checked, counts)).toContain(fault);
  });

  test('nothing that can be', () => {
    expect(faultOfCounts(checked, { '100': 4, '111': 6 })).toBeUndefined();
  });
});

test('every mix has circuits, and each of them a part of the load', () => {
  for (const mix of Object.values(MIXES)) {
    expect(mix.length).toBeGreaterThan(0);
    for (const { weight } of mix) expect(weight).toBeGreaterThan(0);
  }
});
