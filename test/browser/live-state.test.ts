// @needs pages
/** The live state in headless Chromium, under a policy that allows scripts of the service alone: its worker answers what the service answers. */
import { afterAll, describe, expect } from 'vitest';
import type { Operation } from '../../src/circuit/circuit.ts';
import type { GateObject } from '../../src/circuit/gate-object.ts';
import { gateObjectsFromCircuit } from '../../src/circuit/gate-objects-from-circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { openTestService, type TestService } from '../service/support/test-service.ts';
import { EngineProcessor } from '../support/engine-processor.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { test } from './browser-page.ts';
import { type LiveStatePage, openLiveStatePage } from './live-state-page.ts';

const NUM_CIRCUITS = 200;
/** Largest distance of two amplitudes: of rounding, over some 40 gates. */
const TOLERANCE = 1e-12;
/** Bytes that the page loads before the first state, and of its own script. */
const MAX_WORKER_BYTES = 450_000;
const MAX_CLIENT_BYTES = 4096;

/** A circuit as both are asked for it. */
interface Asked {
  readonly circuit: readonly GateObject[];
  readonly qubits: number;
}

/** Every fifth has measurements at its end, which leave the state as it is. */
function randomCircuit(seed: number): Asked {
  const stream = new RandomStream(7000 + seed);
  const qubits = 1 + stream.below(10);
  const operations: Operation[] = [...randomGates(stream, qubits, 5 + stream.below(40), 4)];
  const measured = stream.distinct(1 + stream.below(qubits), qubits);
  if (seed % 5 === 0) {
    operations.push({ kind: 'measure', qubits: measured, bits: [...measured.keys()] });
  }
  return { circuit: gateObjectsFromCircuit({ operations }), qubits };
}

describeWith(['Chromium'], 'the live state in a page', () => {
  let live: LiveStatePage;
  let service: TestService;
  const processor = new EngineProcessor('statevector-sim');
  test.beforeAll(async ({ opened }) => {
    live = await openLiveStatePage(opened);
    service = await openTestService({ processors: [processor] });
  });
  afterAll(async () => {
    await live?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    await processor[Symbol.asyncDispose]();
  });

  /** What an expression of the page gives, as JSON. */
  async function inPage(expression: string): Promise<unknown> {
    return JSON.parse(
      String(await live.page.evaluate(`(async () => JSON.stringify(${expression}))()`)),
    );
  }

  async function serviceState(asked: Asked): Promise<readonly (readonly [number, number])[]> {
    const body = {
      ...asked,
      target_processor: 'statevector-sim',
      shots: 1,
      return: ['statevector'],
    };
    const answer = await service.submit(body);
    return answer.json().data.statevector;
  }

  test(`equals the service's statevector on ${NUM_CIRCUITS} random circuits`, async () => {
    const gates = new Set<string>();
    for (let seed = 0; seed < NUM_CIRCUITS; seed++) {
      const asked = randomCircuit(seed);
      for (const { gate } of asked.circuit) gates.add(gate);
      const source = JSON.stringify(asked);
      const shown = await inPage(
        `await live.show(${source}).then(({ amplitudes }) => [...amplitudes])`,
      );
      if (!Array.isArray(shown)) throw new Error('unreachable: no list');
      const expected = await serviceState(asked);
      expect(shown).toHaveLength(2 * expected.length);
      let worst = 0;
      for (const [i, [re, im]] of expected.entries()) {
        const distance = Math.hypot(shown[2 * i] - re, shown[2 * i + 1] - im);
        if (!(distance <= worst)) worst = distance;
      }
      expect(worst, `circuit ${seed}`).toBeLessThan(TOLERANCE);
    }
    expect([...gates]).toEqual(expect.arrayContaining(GATES.map(({ name }) => name)));
    expect(gates).toContain('UNITARY');
  });

  test('answers the newest of many calls, and at most the first besides', async () => {
    const shown = await inPage(`await Promise.all([0.1, 0.2, 0.3, 0.4, 0.5].map((theta) =>
      live.show({ circuit: [{ gate: 'RY', qubit: 0, theta }] })
        .then((answer) => answer && Math.atan2(answer.bloch[0], answer.bloch[2]).toFixed(9))))`);
    expect(shown).toEqual(['0.100000000', null, null, null, '0.500000000']);
  });

  test('has views of 16 qubits, with a pair', async () => {
    const shown = await inPage(`await live.show(
      { circuit: [{ gate: 'H', qubit: 0 }, { gate: 'CX', control: 0, target: 15 }] },
      { pair: [0, 15] },
    ).then(({ probabilities, bloch, pair }) => ({
      numProbabilities: probabilities.length,
      both: probabilities[2 ** 15 + 1].toFixed(9),
      first: [...bloch.subarray(0, 3)].map((part) => Math.abs(part).toFixed(9)),
      second: [...bloch.subarray(3, 6)].map((part) => part.toFixed(9)),
      corner: pair.density[6].toFixed(9),
    }))`);
    expect(shown).toEqual({
      numProbabilities: 65_536,
      both: '0.500000000',
      first: ['0.000000000', '0.000000000', '0.000000000'],
      second: ['0.000000000', '0.000000000', '1.000000000'],
      corner: '0.500000000',
    });
  });

  test('draws another trajectory for another seed', async () => {
    const shown = await inPage(`await (async () => {
      const circuit = [{ gate: 'H', qubit: 0 }, { gate: 'M', qubit: 0 }, { gate: 'X', qubit: 0 }];
      const seen = new Set();
      for (let seed = 0; seed < 20; seed++) {
        const { trajectory, probabilities } = await live.show({ circuit }, { seed });
        seen.add(trajectory.bits[0] + ' ' + Math.round(probabilities[0]));
      }
      return [...seen].sort();
    })()`);
    expect(shown).toEqual(['0 0', '1 1']);
  });

  describe('reads and writes texts', () => {
    test('of both versions', async () => {
      for (const version of [2, 3]) {
        const parsed = await inPage(`await (async () => {
          const source = { circuit: [{ gate: 'H', qubit: 0 }, { gate: 'CX', control: 0, target: 1 }] };
          const { text } = await live.writeOpenqasm(source, ${version});
          return { text, ...(await live.parseOpenqasm(text)) };
        })()`);
        expect(parsed).toMatchObject({
          kind: 'parsed',
          qubits: 2,
          circuit: [
            { gate: 'H', qubit: 0 },
            { gate: 'CX', control: 0, target: 1 },
          ],
          text: expect.stringContaining(`OPENQASM ${version}.0;`),
        });
      }
    });

    test('and says where one is at fault', async () => {
      const refused = await inPage(`await live.parseOpenqasm('OPENQASM 3.0;\\nqubit q;\\n h p;')`);
      expect(refused).toMatchObject({
        kind: 'refused',
        code: 'CIRCUIT_OPENQASM_INVALID',
        position: { line: 3, column: 4 },
      });
    });
  });

  test('loads a small client, and a worker without the reader of texts', () => {
    const sizes = [...live.scriptBytes];
    const text = sizes.find(([name]) => name.startsWith('read-text'));
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    expect(live.scriptBytes.get('client.js')).toBeLessThan(MAX_CLIENT_BYTES);
    expect(text?.[1]).toBeGreaterThan(50_000);
    expect(total - text![1]).toBeLessThan(MAX_WORKER_BYTES);
  });

  test('fails what is asked of it once it is closed', async () => {
    const failed = await inPage(`await (live.close(), live.show({ circuit: [] }))
      .then(() => 'answered', ({ name }) => name)`);
    expect(failed).toBe('LiveStateError');
  });
});
