/**
 * A small circuit with a known answer: what a simulator must get right to be called available.
 *
 * Three parts on disjoint qubits, so that the exact state fits in four lines:
 * - Qubits 0–2 estimate the phase 2π·3/8 that P kicks back from qubit 3, by an inverse Fourier
 *   transform: any wrong phase or sign, qubit order or control leaves another integer than 3.
 * - Qubits 4–6 hold a GHZ state with a phase i between its halves.
 * - Qubit 7 is turned by RY(2π/3), so that outcomes are not equally likely.
 *
 * The counts follow from the state and the definition of a shot (engine/engine.ts).
 * @see Nielsen & Chuang, section 5.2 (phase estimation).
 */
import type { Circuit, GateOperation, Qubit } from '../circuit/circuit.ts';
import type { RunRequest, RunResult } from '../engine/engine.ts';
import { uniformDraw } from '../math/philox.ts';

const NUM_QUBITS = 8;
const PHASE = 3;
const SHOTS = 256;
const SEED = 2;
/** Largest difference of an amplitude's part. */
const TOLERANCE = { f32: 1e-5, f64: 1e-12 } as const;

function gate(
  name: string,
  targets: readonly Qubit[],
  controls: readonly Qubit[] = [],
  angles: readonly number[] = [],
): GateOperation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}

const ALL = Array.from({ length: NUM_QUBITS }, (_, qubit) => qubit);

/** The self-test's circuit. */
export const SELF_TEST_CIRCUIT: Circuit = {
  numQubits: NUM_QUBITS,
  numBits: NUM_QUBITS,
  operations: [
    ...[0, 1, 2].map((qubit) => gate('H', [qubit])),
    gate('X', [3]),
    ...[0, 1, 2].map((j) => gate('CP', [3], [j], [(2 * Math.PI * PHASE * 2 ** j) / 8])),
    // The inverse Fourier transform on qubits 0 to 2.
    gate('SWAP', [0, 2]),
    gate('H', [0]),
    gate('CP', [1], [0], [-Math.PI / 2]),
    gate('H', [1]),
    gate('CP', [2], [0], [-Math.PI / 4]),
    gate('CP', [2], [1], [-Math.PI / 2]),
    gate('H', [2]),
    gate('H', [4]),
    gate('CX', [5], [4]),
    gate('CX', [6], [5]),
    gate('S', [5]),
    gate('RY', [7], [], [(2 * Math.PI) / 3]),
    { kind: 'measure', qubits: ALL, bits: ALL },
  ],
};

/** What is asked of it. */
export const SELF_TEST_REQUEST: Omit<RunRequest, 'onProgress'> = {
  shots: SHOTS,
  seed: SEED,
  statevector: true,
};

interface Amplitude {
  readonly index: number;
  readonly re: number;
  readonly im: number;
}

/** The amplitudes that are not zero, ascending by basis index. */
function expectedAmplitudes(): readonly Amplitude[] {
  const base = PHASE + 2 ** 3;
  const ghz = 2 ** 4 + 2 ** 5 + 2 ** 6;
  const turned = 2 ** 7;
  const cosine = Math.cos(Math.PI / 3) * Math.SQRT1_2;
  const sine = Math.sin(Math.PI / 3) * Math.SQRT1_2;
  return [
    { index: base, re: cosine, im: 0 },
    { index: base + ghz, re: 0, im: cosine },
    { index: base + turned, re: sine, im: 0 },
    { index: base + turned + ghz, re: 0, im: sine },
  ];
}

/** Occurrences by basis index, each shot drawn as engine/engine.ts defines it. */
export function expectedCounts(): ReadonlyMap<number, number> {
  const amplitudes = expectedAmplitudes();
  const counts = new Map<number, number>();
  for (let shot = 0; shot < SHOTS; shot++) {
    const draw = uniformDraw(SEED, shot, 0, 0);
    let cumulative = 0;
    for (const { index, re, im } of amplitudes) {
      cumulative += re * re + im * im;
      if (draw >= cumulative) continue;
      counts.set(index, (counts.get(index) ?? 0) + 1);
      break;
    }
  }
  return counts;
}

/**
 * Compares what came back with what must.
 *
 * @returns What is wrong, as a sentence; undefined when nothing is.
 */
export function faultOfSelfTest(run: RunResult, precision: 'f32' | 'f64'): string | undefined {
  return faultOfState(run.statevector, TOLERANCE[precision]) ?? faultOfCounts(run);
}

function faultOfState(state: Float64Array | undefined, tolerance: number): string | undefined {
  if (state?.length !== 2 * 2 ** NUM_QUBITS)
    return 'The self-test gave no state vector of its width.';
  const expected = new Map(expectedAmplitudes().map((amplitude) => [amplitude.index, amplitude]));
  for (let index = 0; index < 2 ** NUM_QUBITS; index++) {
    const { re, im } = expected.get(index) ?? { re: 0, im: 0 };
    const [foundRe, foundIm] = [state[2 * index]!, state[2 * index + 1]!];
    // Written so that NaN counts as wrong.
    if (Math.abs(foundRe - re) <= tolerance && Math.abs(foundIm - im) <= tolerance) continue;
    return `The self-test gave a wrong amplitude: ${foundRe} ${foundIm}i at basis index ${index}, where ${re} ${im}i is right.`;
  }
  return undefined;
}

function faultOfCounts({ counts }: RunResult): string | undefined {
  const expected = expectedCounts();
  const { outcomes, occurrences } = counts;
  const isRight =
    counts.numBits === NUM_QUBITS &&
    counts.wordsPerOutcome === 1 &&
    outcomes.length === expected.size &&
    occurrences.length === expected.size &&
    outcomes.every((outcome, i) => expected.get(outcome) === occurrences[i]);
  return isRight ? undefined : 'The self-test gave wrong counts for its seed.';
}
