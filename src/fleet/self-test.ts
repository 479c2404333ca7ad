/**
 * Self-tests: circuits with a known answer, one for each size class. A simulator is available while its
 * engines get them right.
 *
 * The small one has three parts on disjoint qubits, so that the exact state fits in four lines:
 * - Qubits 0–2 estimate the phase 2π·3/8 that P kicks back from qubit 3, by an inverse Fourier
 *   transform: any wrong phase or sign, qubit order or control leaves another integer than 3.
 * - Qubits 4–6 hold a GHZ state with a phase i between its halves.
 * - Qubit 7 is turned by RY(2π/3), so that outcomes are not equally likely.
 *
 * The wide one has the same on its highest qubits and H on eight below them: the least work that
 * all threads of an engine share. Its measured bits are the small one's.
 *
 * The counts follow from the state and the definition of a shot (engine/engine.ts).
 * @see Nielsen & Chuang, section 5.2 (phase estimation).
 */
import type { Circuit, GateOperation, Qubit } from '../circuit/circuit.ts';
import type { RunRequest, RunResult } from '../engine/engine.ts';
import { uniformDraw } from '../math/philox.ts';
import type { SizeClass } from './schedule/lane.ts';

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

const SMALL: Circuit = {
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

/** Qubits below the tested ones, by size class. */
const NUM_BELOW: Readonly<Record<SizeClass, number>> = { small: 0, wide: 8 };

/** The self-tests' circuits. */
export const SELF_TEST_CIRCUITS: Readonly<Record<SizeClass, Circuit>> = {
  small: SMALL,
  wide: above(SMALL, NUM_BELOW.wide),
};

/** The circuit on higher qubits, with H on those below. */
function above({ numQubits, numBits, operations }: Circuit, numBelow: number): Circuit {
  const raised = (qubits: readonly Qubit[]) => qubits.map((qubit) => qubit + numBelow);
  return {
    numQubits: numQubits + numBelow,
    numBits,
    operations: [
      ...Array.from({ length: numBelow }, (_, qubit) => gate('H', [qubit])),
      ...operations.map((operation) => {
        if (operation.kind === 'gate') {
          const { targets, controls } = operation;
          return { ...operation, targets: raised(targets), controls: raised(controls) };
        }
        if (operation.kind === 'measure') {
          return { ...operation, qubits: raised(operation.qubits) };
        }
        throw new Error('unreachable: the self-test has gates and a measurement');
      }),
    ],
  };
}

/** Request of the self-tests. */
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

/** The amplitudes of the small one that are not zero, ascending by basis index. */
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
 * Compares the result of a self-test with the expected one.
 *
 * @returns The fault, as a sentence; undefined if there is none.
 */
export function faultOfSelfTest(
  run: RunResult,
  precision: 'f32' | 'f64',
  width: SizeClass,
): string | undefined {
  return (
    faultOfState(run.statevector, TOLERANCE[precision], NUM_BELOW[width]) ?? faultOfCounts(run)
  );
}

function faultOfState(
  state: Float64Array | undefined,
  tolerance: number,
  numBelow: number,
): string | undefined {
  const numAmplitudes = 2 ** (NUM_QUBITS + numBelow);
  if (state?.length !== 2 * numAmplitudes)
    return 'The self-test gave no state vector of its width.';
  const expected = new Map(expectedAmplitudes().map((amplitude) => [amplitude.index, amplitude]));
  const scale = Math.SQRT1_2 ** numBelow;
  for (let index = 0; index < numAmplitudes; index++) {
    const amplitude = expected.get(index >> numBelow);
    const [re, im] =
      amplitude === undefined ? [0, 0] : [scale * amplitude.re, scale * amplitude.im];
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
