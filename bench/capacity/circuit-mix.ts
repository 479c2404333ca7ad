/**
 * Mirror circuits for loads, whose counts are known in advance. Random layers are followed by their inverse
 * behind a barrier, which no compiler pass may cross, so the engine runs every gate. The outcome is the bits
 * that were set first, except for a few qubits that end in H and may be either.
 *
 * @see Proctor et al., "Measuring the capabilities of quantum computers", 2022: mirror circuits.
 */
import type { GateObject } from '../../src/circuit/gate-object.ts';
import { SeededDraws } from './model/seeded-draws.ts';

/** Kind of circuit in a mix. */
export interface MixClass {
  readonly qubits: number;
  /** Layers of rotations and CX before the mirror; the same number follows it. */
  readonly layers: number;
  readonly shots: number;
  /** Share of the load: this weight divided by the sum of all weights. */
  readonly weight: number;
}

/** Kinds of circuits, each with a share of the load. */
export type CircuitMix = readonly MixClass[];

/** Circuit mixes by name. */
export const MIXES: Readonly<Record<string, CircuitMix>> = {
  bell: [{ qubits: 2, layers: 1, shots: 100, weight: 1 }],
  small: [
    { qubits: 2, layers: 2, shots: 100, weight: 4 },
    { qubits: 4, layers: 4, shots: 1000, weight: 4 },
    { qubits: 8, layers: 6, shots: 1000, weight: 2 },
  ],
  mixed: [
    { qubits: 2, layers: 2, shots: 100, weight: 30 },
    { qubits: 4, layers: 4, shots: 1000, weight: 28 },
    { qubits: 8, layers: 6, shots: 1000, weight: 22 },
    { qubits: 12, layers: 8, shots: 1000, weight: 14 },
    { qubits: 16, layers: 8, shots: 1000, weight: 5 },
    { qubits: 20, layers: 4, shots: 1000, weight: 1 },
  ],
  wide: [
    { qubits: 18, layers: 4, shots: 1000, weight: 3 },
    { qubits: 20, layers: 4, shots: 1000, weight: 2 },
    { qubits: 22, layers: 4, shots: 1000, weight: 1 },
  ],
};

/** Greatest number of qubits that end in H. Counts then have several outcomes but stay short. */
const MAX_OPEN_QUBITS = 6;
/** Purposes of random draws; draws for different purposes are independent. */
const SET_BIT = 1;
const ANGLE = 2;
const GATE = 3;

/** Circuit with the counts that it must give. */
export interface CheckedCircuit {
  readonly qubits: number;
  readonly shots: number;
  readonly gates: readonly GateObject[];
  /** One character per qubit, qubit 0 rightmost: `0`, `1`, or `?` for either. */
  readonly outcome: string;
}

/** Makes a mirror circuit. Each seed gives a different one. */
export function mirrorCircuit({ qubits, layers, shots }: MixClass, seed: number): CheckedCircuit {
  const draws = new SeededDraws(seed);
  const all = Array.from({ length: qubits }, (_, q) => q);
  const isSet = all.map((q) => draws.uniform(q, SET_BIT) < 0.5);
  const forward: GateObject[] = [];
  for (let layer = 0; layer < layers; layer++) {
    for (const qubit of all) {
      const place = layer * qubits + qubit;
      const gate = draws.uniform(place, GATE) < 0.5 ? 'RY' : 'RX';
      forward.push({ gate, qubit, theta: 0.1 + 3 * draws.uniform(place, ANGLE) });
    }
    for (let control = layer % 2; control + 1 < qubits; control += 2) {
      forward.push({ gate: 'CX', control, target: control + 1 });
    }
  }
  const back = forward
    .toReversed()
    .map((gate) => (gate.theta === undefined ? gate : { ...gate, theta: -gate.theta }));
  const numOpen = Math.min(MAX_OPEN_QUBITS, qubits - 1);
  const gates: GateObject[] = [
    ...all.filter((q) => isSet[q]).map((qubit) => ({ gate: 'X', qubit })),
    ...forward,
    { gate: 'BARRIER', qubits: all },
    ...back,
    ...all.slice(0, numOpen).map((qubit) => ({ gate: 'H', qubit })),
    { gate: 'M', qubits: all },
  ];
  const characters = all.map((q) => (q < numOpen ? '?' : isSet[q] ? '1' : '0'));
  return { qubits, shots, gates, outcome: characters.toReversed().join('') };
}

/**
 * Describes the fault in a circuit's counts; undefined if they are correct.
 *
 * @param counts - As the service answers them.
 */
export function faultOfCounts(
  { shots, outcome }: CheckedCircuit,
  counts: Readonly<Record<string, number>> | undefined,
): string | undefined {
  let sum = 0;
  for (const [label, count] of Object.entries(counts ?? {})) {
    if (!matches(label, outcome)) return `${label} was counted, and can only be ${outcome}`;
    sum += count;
  }
  return sum === shots ? undefined : `${sum} of ${shots} shots were counted`;
}

function matches(label: string, outcome: string): boolean {
  if (label.length !== outcome.length) return false;
  for (let i = 0; i < label.length; i++) {
    if (outcome[i] !== '?' && outcome[i] !== label[i]) return false;
  }
  return true;
}
