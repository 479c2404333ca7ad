/** Noisy circuits for tests: every channel, chosen ones whose meaning is easy to get wrong, and random ones. */
import type {
  Circuit,
  DynamicCircuit,
  DynamicOperation,
  NoiseOperation,
  Operation,
  Qubit,
} from '../../src/circuit/circuit.ts';
import type { Channel } from '../../src/circuit/noise/channel.ts';
import { gate, randomDynamicCircuit, randomLoopCircuit, randomUnitary } from './random-circuits.ts';
import { RandomStream } from './random-stream.ts';
import {
  amplitudeDamping,
  bitFlip,
  bitPhaseFlip,
  channelOf,
  depolarizing,
  generalizedAmplitudeDamping,
  pauli,
  phaseDamping,
  phaseFlip,
  randomKraus,
  resetTo,
  type TextbookChannel,
  thermalRelaxation,
} from './textbook-channels.ts';

/** Every kind of channel, on one to three qubits. */
export const CHANNELS: readonly TextbookChannel[] = [
  bitFlip(0.2),
  phaseFlip(0.3),
  bitPhaseFlip(0.25),
  pauli({ X: 0.1, Y: 0.05, Z: 0.2 }),
  pauli({ XZ: 0.15, IY: 0.2, ZI: 0.1 }),
  pauli({ XYZ: 0.2, ZII: 0.1, IXI: 0.3 }),
  depolarizing(0.3, 1),
  depolarizing(0.4, 2),
  depolarizing(0.5, 3),
  // Something happens every time.
  bitFlip(1),
  depolarizing(1, 2),
  amplitudeDamping(0.35),
  amplitudeDamping(1),
  generalizedAmplitudeDamping(0.4, 0.2),
  phaseDamping(0.45),
  thermalRelaxation(50, 70, 20_000, 0.1),
  thermalRelaxation(40, 80, 15_000, 0),
  resetTo(0.3, 0),
  resetTo(0.4, 1),
  resetTo(1, 1),
  randomKraus(new RandomStream(1), 1, 4),
  randomKraus(new RandomStream(2), 2, 2),
  randomKraus(new RandomStream(3), 2, 4),
  randomKraus(new RandomStream(4), 3, 2),
];

/** A channel as an operation of a circuit. */
export function noise(channel: TextbookChannel, ...qubits: readonly Qubit[]): NoiseOperation {
  return { kind: 'noise', qubits, channel: channelOf(channel) };
}

/** Measures a qubit into a bit. */
const measure = (qubit: Qubit, bit: number): Operation => ({
  kind: 'measure',
  qubits: [qubit],
  bits: [bit],
});

const misread = (p1Given0: number, p0Given1: number, ...bits: readonly number[]) =>
  ({ kind: 'misread', bits, p1Given0, p0Given1 }) as const;

const where = <T extends Exclude<DynamicOperation, { kind: 'barrier' }>>(
  operation: T,
  bits: readonly number[],
  value: number,
): T => ({ ...operation, condition: { bits, value } });

/** Every order of so many of `count` qubits. */
function orders(count: number, chosen: number): readonly (readonly Qubit[])[] {
  if (chosen === 0) return [[]];
  return orders(count, chosen - 1).flatMap((start) =>
    Array.from({ length: count }, (_, qubit) => qubit)
      .filter((qubit) => !start.includes(qubit))
      .map((qubit) => [...start, qubit]),
  );
}

const PLACES = new Map<TextbookChannel, readonly DynamicCircuit[]>();

/**
 * A channel on every choice and order of operands in an entangled state of three qubits, all measured afterwards. The same
 * circuits whenever it is called, for which the oracle keeps its results.
 */
export function atEveryPlace(channel: TextbookChannel): readonly DynamicCircuit[] {
  const known = PLACES.get(channel) ?? placesOf(channel);
  PLACES.set(channel, known);
  return known;
}

function placesOf(channel: TextbookChannel): readonly DynamicCircuit[] {
  return orders(3, channel.numQubits).map((qubits, i) => {
    const stream = new RandomStream(900 + i);
    const scramble = (): Operation => ({
      kind: 'unitary',
      controls: [],
      targets: [0, 1, 2],
      matrix: randomUnitary(stream, 3),
    });
    const operations = [scramble(), noise(channel, ...qubits), scramble()];
    const readout = [0, 1, 2].map((qubit) => measure(qubit, qubit));
    return { numQubits: 3, numBits: 3, operations: [...operations, ...readout] };
  });
}

/** Goes on until bit 0 reads 0, each round through noise and a faulty measurement. */
const UNTIL_ZERO: DynamicCircuit = {
  numQubits: 2,
  numBits: 2,
  control: { numScratchBits: 0, maxRounds: 1000 },
  operations: [
    gate('RY', [0], [], [2]),
    gate('H', [1]),
    measure(0, 0),
    misread(0.1, 0.2, 0),
    {
      kind: 'while',
      condition: { bits: [0], value: 1 },
      body: [
        gate('RX', [0], [], [1]),
        noise(amplitudeDamping(0.3), 0),
        gate('CX', [1], [0]),
        noise(depolarizing(0.2, 2), 1, 0),
        measure(0, 0),
        misread(0.05, 0.15, 0),
      ],
    },
    gate('H', [1]),
    noise(phaseDamping(0.5), 1),
    gate('RX', [1], [], [0.7]),
    measure(1, 1),
  ],
};

/** Circuits by what they show. */
export const NOISY_CIRCUITS: readonly (readonly [string, DynamicCircuit])[] = [
  [
    'noise on a qubit that was measured',
    {
      numQubits: 2,
      numBits: 3,
      operations: [
        gate('H', [0]),
        gate('CX', [1], [0]),
        measure(0, 0),
        noise(amplitudeDamping(0.4), 0),
        noise(bitFlip(0.1), 1),
        measure(0, 1),
        measure(1, 2),
      ],
    },
  ],
  [
    'noise under conditions',
    {
      numQubits: 3,
      numBits: 4,
      operations: [
        gate('RY', [0], [], [1.2]),
        gate('RY', [1], [], [0.8]),
        measure(0, 0),
        measure(1, 1),
        where(noise(amplitudeDamping(0.6), 0), [0], 1),
        where(noise(bitFlip(0.3), 2), [1, 0], 1),
        where(noise(depolarizing(0.5, 2), 2, 1), [0, 1], 3),
        measure(0, 2),
        measure(2, 3),
      ],
    },
  ],
  [
    'conditions that see a misread bit',
    {
      numQubits: 2,
      numBits: 3,
      operations: [
        gate('RY', [0], [], [1.1]),
        measure(0, 0),
        misread(0.2, 0.3, 0),
        where(gate('X', [1]), [0], 1),
        measure(1, 1),
        where(misread(0.1, 0.4, 1), [0], 0),
        measure(0, 2),
      ],
    },
  ],
  [
    'bits that are misread once each, also where one operation names several',
    {
      numQubits: 3,
      numBits: 3,
      operations: [
        ...[0, 1, 2].map((qubit) => gate('RY', [qubit], [], [0.5 + qubit])),
        { kind: 'measure', qubits: [2, 0, 1], bits: [0, 1, 2] },
        misread(0.15, 0.35, 2, 0),
        misread(0, 0.25, 1),
      ],
    },
  ],
  [
    'noise between a reset and its reuse',
    {
      numQubits: 2,
      numBits: 3,
      operations: [
        gate('H', [0]),
        gate('CX', [1], [0]),
        measure(1, 0),
        { kind: 'reset', qubits: [0] },
        noise(generalizedAmplitudeDamping(0.5, 0.7), 0),
        where({ kind: 'reset', qubits: [1] }, [0], 1),
        noise(pauli({ XX: 0.3, IX: 0.1 }), 0, 1),
        measure(0, 1),
        measure(1, 2),
      ],
    },
  ],
  [
    'gates that do not commute with the noise between them',
    {
      numQubits: 2,
      numBits: 2,
      operations: [
        gate('H', [0]),
        noise(phaseFlip(0.2), 0),
        gate('H', [0]),
        noise(amplitudeDamping(0.3), 0),
        gate('X', [0]),
        noise(amplitudeDamping(0.3), 0),
        gate('X', [0]),
        gate('CX', [1], [0]),
        noise(bitFlip(0.15), 1),
        gate('CX', [1], [0]),
        gate('SWAP', [0, 1]),
        noise(resetTo(0.25, 1), 0),
        gate('RZZ', [0, 1], [], [0.8]),
        noise(depolarizing(0.1, 2), 0, 1),
        gate('RX', [1], [], [0.6]),
        measure(0, 0),
        measure(1, 1),
      ],
    },
  ],
  [
    'errors that are rare',
    {
      numQubits: 3,
      numBits: 3,
      operations: [
        ...Array.from({ length: 12 }, (_, i) => [
          gate('RY', [i % 3], [], [0.4]),
          gate('CX', [(i + 1) % 3], [i % 3]),
          noise(depolarizing(0.01, 2), (i + 1) % 3, i % 3),
        ]).flat(),
        ...[0, 1, 2].map((qubit) => measure(qubit, qubit)),
      ],
    },
  ],
  ['a loop with noise in it', UNTIL_ZERO],
];

/** Channels, after operations of all kinds, and misread bits, after measurements. */
export function withRandomNoise(
  operations: readonly DynamicOperation[],
  stream: RandomStream,
  numQubits: number,
): readonly DynamicOperation[] {
  const fitting = CHANNELS.filter((channel) => channel.numQubits <= numQubits);
  return operations.flatMap((operation): readonly DynamicOperation[] => {
    if (operation.kind === 'while') {
      return [{ ...operation, body: withRandomNoise(operation.body, stream, numQubits) }];
    }
    const condition = 'condition' in operation ? operation.condition : undefined;
    const carried = condition !== undefined && stream.below(2) === 0 ? { condition } : {};
    if (operation.kind === 'measure' && stream.below(2) === 0) {
      const [p1Given0, p0Given1] = [0.3 * stream.uniform(), 0.3 * stream.uniform()];
      const bits = operation.bits;
      return [operation, { kind: 'misread', bits, p1Given0, p0Given1, ...carried }];
    }
    if (operation.kind === 'assign' || stream.below(3) > 0) return [operation];
    const channel = stream.pick(fitting);
    const qubits = stream.distinct(channel.numQubits, numQubits);
    return [operation, { ...noise(channel, ...qubits), ...carried }];
  });
}

/** Gates, measurements, resets and conditions, with noise among them; all qubits are measured in the end. */
export function randomNoisyCircuit(stream: RandomStream, numQubits: number): DynamicCircuit {
  const numBits = numQubits + 1;
  const circuit: Circuit = randomDynamicCircuit(stream, numQubits, numBits, 20);
  const readout = Array.from({ length: numQubits }, (_, qubit) => measure(qubit, qubit));
  const operations = withRandomNoise(circuit.operations, stream, numQubits);
  return { ...circuit, operations: [...operations, ...readout] };
}

/** Loops with noise in them, before and after. */
export function randomNoisyLoops(stream: RandomStream, numQubits: number): DynamicCircuit {
  const circuit = randomLoopCircuit(stream, numQubits);
  return { ...circuit, operations: withRandomNoise(circuit.operations, stream, numQubits) };
}

/** Gates with a channel after each, on the operands in one order or the other. */
export function noisyCircuit(
  channel: Channel,
  numQubits: number,
  depth: number,
  seed: number,
): DynamicCircuit {
  const random = new RandomStream(seed);
  const operations: DynamicOperation[] = [];
  for (let layer = 0; layer < depth; layer++) {
    const qubits = random.distinct(Math.max(2, channel.numQubits), numQubits);
    operations.push(gate('U', [qubits[0]!], [], [random.angle(), random.angle(), random.angle()]));
    operations.push(gate('CX', [qubits[1]!], [qubits[0]!]));
    operations.push({
      kind: 'noise',
      qubits: random.shuffled(qubits).slice(0, channel.numQubits),
      channel,
    });
    if (layer % 3 === 0) operations.push(gate('RXX', qubits.slice(0, 2), [], [random.angle()]));
  }
  const all = Array.from({ length: numQubits }, (_, q) => q);
  operations.push({ kind: 'measure', qubits: all, bits: random.shuffled(all) });
  return { numQubits, numBits: numQubits, operations };
}
