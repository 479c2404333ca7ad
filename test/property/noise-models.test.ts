/** Noise models on random circuits, against a naive reading of what their entries say. */
import { expect } from 'vitest';
import type { Circuit, GateOperation, NoiseOperation } from '../../src/circuit/circuit.ts';
import { FaultList } from '../../src/circuit/errors.ts';
import { applyNoise } from '../../src/circuit/noise/apply-noise.ts';
import { noiseModelSchema } from '../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../src/circuit/noise/read-noise-model.ts';
import { worstAmplitude } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun } from '../support/noise-oracle.ts';
import { CHANNELS, noise } from '../support/noisy-circuits.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import type { TextbookChannel } from '../support/textbook-channels.ts';

const NUM_QUBITS = 4;
/** Gates by their number of controls and targets. */
const SHAPES: readonly (readonly [name: string, controls: number, targets: number])[] = [
  ['H', 0, 1],
  ['T', 0, 1],
  ['SX', 0, 1],
  ['CX', 1, 1],
  ['CZ', 1, 1],
  ['SWAP', 0, 2],
  ['ISWAP', 0, 2],
  ['CCX', 2, 1],
  ['CSWAP', 1, 2],
];
/** Other names of those gates. */
const ALIASES: Readonly<Record<string, string>> = { CX: 'cnot', CCX: 'toffoli', SX: 'sx' };

interface Entry {
  readonly names: readonly string[];
  readonly operands: readonly (readonly number[])[] | undefined;
  readonly channel: TextbookChannel;
}

interface Misread {
  readonly qubits: readonly number[];
  readonly p1Given0: number;
  readonly p0Given1: number;
}

const operandsOf = ({ controls, targets }: GateOperation) => [...controls, ...targets];

function randomUses(stream: RandomStream): readonly GateOperation[] {
  return Array.from({ length: 14 }, () => {
    const [name, controls, targets] = stream.pick(SHAPES);
    const qubits = stream.distinct(controls + targets, NUM_QUBITS);
    return gate(name, qubits.slice(controls), qubits.slice(0, controls));
  });
}

/** An entry for gates that occur: by name, by width or for all, and half of them for some operands only. */
function randomEntry(stream: RandomStream, gates: readonly GateOperation[]): Entry {
  const example = stream.pick(gates);
  const width = operandsOf(example).length;
  const same = gates.filter((other) => operandsOf(other).length === width);
  const names = stream.pick([
    ['*'],
    [`*${width}`],
    [example.gate],
    same.map((other) => other.gate),
  ]);
  const fitting = CHANNELS.filter(({ numQubits }) => numQubits === 1 || numQubits === width);
  const operands = [operandsOf(stream.pick(gates)), operandsOf(example)];
  const limited = stream.below(2) === 0 && names[0] !== '*';
  return {
    names,
    operands: limited ? operands.filter(({ length }) => length === width) : undefined,
    channel: stream.pick(fitting),
  };
}

/** What the entries say about one gate, straight from their description. */
function channelsAfter(operation: GateOperation, entries: readonly Entry[]) {
  const on = operandsOf(operation);
  return entries.flatMap(({ names, operands, channel }): readonly NoiseOperation[] => {
    const isNamed = names.some((name) => ['*', `*${on.length}`, operation.gate].includes(name));
    if (!isNamed) return [];
    if (operands !== undefined && !operands.some((list) => `${list}` === `${on}`)) return [];
    if (channel.numQubits === on.length) return [noise(channel, ...on)];
    return channel.numQubits === 1 ? on.map((qubit) => noise(channel, qubit)) : [];
  });
}

/** Outcomes of all qubits after their bits were misread, by one entry after the other. */
function misreadOutcomes(outcomes: ReadonlyMap<string, number>, entries: readonly Misread[]) {
  let before = outcomes;
  for (const { qubits, p1Given0, p0Given1 } of entries) {
    for (const qubit of qubits) {
      const after = new Map<string, number>();
      for (const [label, probability] of before) {
        const at = NUM_QUBITS - 1 - qubit;
        const flip = label[at] === '0' ? p1Given0 : p0Given1;
        const other = `${label.slice(0, at)}${label[at] === '0' ? 1 : 0}${label.slice(at + 1)}`;
        after.set(label, (after.get(label) ?? 0) + (1 - flip) * probability);
        after.set(other, (after.get(other) ?? 0) + flip * probability);
      }
      before = after;
    }
  }
  return before;
}

testSeeds('a model does what its entries say, in their order', seeds(12), (seed) => {
  const stream = new RandomStream(8000 + seed);
  const gates = randomUses(stream);
  const entries = Array.from({ length: 4 }, () => randomEntry(stream, gates));
  const misread = Array.from({ length: 2 }, () => ({
    qubits: stream.distinct(1 + stream.below(NUM_QUBITS), NUM_QUBITS),
    p1Given0: stream.uniform(),
    p0Given1: stream.uniform(),
  }));
  const all = [0, 1, 2, 3];
  const measured: Circuit = {
    numQubits: NUM_QUBITS,
    numBits: NUM_QUBITS,
    operations: [...gates, { kind: 'measure', qubits: all, bits: all }],
  };

  const faults = new FaultList();
  const model = readNoiseModel(
    noiseModelSchema.parse({
      gates: entries.map(({ names, operands, channel }) => ({
        gates: names.map((name) => (stream.below(2) === 0 ? name : (ALIASES[name] ?? name))),
        ...(operands !== undefined && { qubits: operands }),
        channel: channel.written,
      })),
      readout: misread.map(({ qubits, p1Given0, p0Given1 }) => ({
        qubits,
        p1_given_0: p1Given0,
        p0_given_1: p0Given1,
      })),
    }),
    faults,
    new Map(),
  );
  const noisy = applyNoise(measured, model!, faults);
  expect(faults.kept).toEqual([]);

  const written = gates.flatMap((operation) => [operation, ...channelsAfter(operation, entries)]);
  const readout = measured.operations.slice(-1);
  const naive = exactRun({ ...measured, operations: [...written, ...readout] });
  const outcomes = misreadOutcomes(naive.outcomes, misread);
  for (const [label, probability] of exactRun(noisy).outcomes) {
    expect(probability).toBeCloseTo(outcomes.get(label) ?? 0, 12);
  }
  const { density } = exactRun({ ...measured, operations: written });
  expect(worstAmplitude(densityBeforeReadout(noisy), density)).toBeLessThan(1e-12);
});
