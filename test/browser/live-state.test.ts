// @needs browser
/// <reference types="vite/types/importMeta.d.ts" />
/** The live state in a page: what its worker answers is what the oracle computes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../src/circuit/gate-objects-from-circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import type {
  CircuitSource,
  LiveReply,
  LiveState,
  ShowOptions,
  TextForm,
  TextSource,
} from '../../src/console/live-state/messages.ts';
import { worstAmplitude } from '../support/engine-runs.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';

const NUM_CIRCUITS = 200;
/** Largest distance of two amplitudes: of rounding, over some 40 gates. */
const TOLERANCE = 1e-12;

/** `LiveStates` of the console, whose file has the types of browsers. */
interface Live {
  show(source: CircuitSource, options?: ShowOptions): Promise<LiveReply | undefined>;
  parseText(source: TextSource): Promise<LiveReply>;
  writeText(source: CircuitSource, form: TextForm): Promise<LiveReply>;
  close(): void;
}
const [load] = Object.values(
  import.meta.glob<{ openLiveState(): Live }>('../../src/console/live-state/live-state.ts'),
);

/** Every fifth has measurements at its end, which leave the state as it is. */
function randomOperations(stream: RandomStream, numQubits: number, seed: number): Operation[] {
  const operations: Operation[] = [...randomGates(stream, numQubits, 5 + stream.below(40), 4)];
  const qubits = stream.distinct(1 + stream.below(numQubits), numQubits);
  if (seed % 5 === 0) operations.push({ kind: 'measure', qubits, bits: [...qubits.keys()] });
  return operations;
}

describeWith(['Chromium'], 'the live state in a page', () => {
  let live: Live;
  beforeAll(async () => {
    if (load === undefined) throw new Error('unreachable: the file is there');
    live = (await load()).openLiveState();
  });
  afterAll(() => live.close());

  async function show(source: CircuitSource, options?: ShowOptions): Promise<LiveState> {
    const answer = await live.show(source, options);
    if (answer?.kind !== 'state') throw new Error(`The answer is ${JSON.stringify(answer)}.`);
    return answer;
  }

  test(`equals the oracle's on ${NUM_CIRCUITS} random circuits`, async () => {
    const gates = new Set<string>();
    for (let seed = 0; seed < NUM_CIRCUITS; seed++) {
      const stream = new RandomStream(7000 + seed);
      const qubits = 1 + stream.below(10);
      const operations = randomOperations(stream, qubits, seed);
      const circuit = gateObjectsFromCircuit({ operations });
      for (const { gate } of circuit) gates.add(gate);
      const { amplitudes } = await show({ circuit, qubits });
      const expected = finalAmplitudes({ numQubits: qubits, numBits: 0, operations });
      expect(worstAmplitude(amplitudes, expected), `circuit ${seed}`).toBeLessThan(TOLERANCE);
    }
    expect([...gates]).toEqual(expect.arrayContaining(GATES.map(({ name }) => name)));
    expect(gates).toContain('UNITARY');
  });

  test('answers the newest of many calls, and at most the first besides', async () => {
    const answers = await Promise.all(
      [0.1, 0.2, 0.3, 0.4, 0.5].map((theta) =>
        live.show({ circuit: [{ gate: 'RY', qubit: 0, theta }] }),
      ),
    );
    const angles = answers.map((answer) =>
      answer?.kind === 'state' ? Math.atan2(answer.bloch[0]!, answer.bloch[2]!) : undefined,
    );
    expect(angles).toEqual([
      expect.closeTo(0.1, 9),
      undefined,
      undefined,
      undefined,
      expect.closeTo(0.5, 9),
    ]);
  });

  test('has views of 16 qubits, with a pair', async () => {
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 15 },
    ];
    const { probabilities, bloch, pair } = await show({ circuit }, { pair: [0, 15] });
    expect(probabilities).toHaveLength(65_536);
    expect(probabilities[2 ** 15 + 1]).toBeCloseTo(0.5, 9);
    for (const [i, part] of [0, 0, 0, 0, 0, 1].entries()) expect(bloch[i]).toBeCloseTo(part, 9);
    expect(pair?.density[6]).toBeCloseTo(0.5, 9);
  });

  test('draws another trajectory for another seed', async () => {
    const circuit = ['H', 'M', 'X'].map((gate) => ({ gate, qubit: 0 }));
    const seen = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const { trajectory, probabilities } = await show({ circuit }, { seed });
      seen.add(`${trajectory?.bits[0]} ${Math.round(probabilities[0]!)}`);
    }
    expect([...seen].sort()).toEqual(['0 0', '1 1']);
  });

  describe('reads and writes texts', () => {
    test.each([2, 3] as const)('of version %i', async (version) => {
      const circuit = [
        { gate: 'H', qubit: 0 },
        { gate: 'CX', control: 0, target: 1 },
      ];
      const written = await live.writeText({ circuit }, `openqasm${version}`);
      const text = written.kind === 'written' ? written.text : '';
      expect(text).toContain(`OPENQASM ${version}.0;`);
      const parsed = { kind: 'parsed', qubits: 2, circuit };
      expect(await live.parseText({ qasm: text })).toMatchObject(parsed);
    });

    test('and says where one is at fault', async () => {
      expect(await live.parseText({ qasm: 'OPENQASM 3.0;\nqubit q;\n h p;' })).toMatchObject({
        kind: 'refused',
        code: 'CIRCUIT_OPENQASM_INVALID',
        position: { line: 3, column: 4 },
      });
    });
  });

  test('fails what is asked of it once it is closed', async () => {
    live.close();
    await expect(live.show({ circuit: [] })).rejects.toMatchObject({ name: 'LiveStateError' });
  });
});
