/**
 * qsim as a peer of the CPU engine: a circuit written in qsim's text format, run by its `qsim_base`,
 * with the time of the evolution alone and amplitudes to verify the answer with.
 *
 * Each operation takes the form that qsim is fastest with: gates on one or two qubits, which its
 * fuser merges. A gate under controls that has no such form of its own keeps its controls ("c"
 * lines), which qsim applies to their part of the state without fusing. Qubit 0 is the least
 * significant bit of a basis index there, too; `cp` turns |11⟩ by −φ, as `fs` does.
 *
 * @see https://github.com/quantumlib/qsim, docs/input_format.md, lib/gates_qsim.h
 *
 * The executable is qsim's own `apps/qsim_base.cc`:
 *
 *     g++ -O3 -std=c++17 -fopenmp -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mfma \
 *         -mbmi2 -mlzcnt -mpopcnt -o qsim_base_avx512.x qsim_base.cc
 */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {
  Circuit,
  GateOperation,
  Operation,
  Qubit,
  UnitaryOperation,
} from '../../src/circuit/circuit.ts';
import { eulerAngles } from '../../src/circuit/gate-matrices.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import { targetMatrix } from '../../src/circuit/operation-matrix.ts';
import { type ComplexMatrix, isDiagonal } from '../../src/math/complex-matrix.ts';

/** Settings of a qsim run. */
export interface QsimSettings {
  readonly threads: number;
  /** Widest gate that its fuser makes, 2 to 6 qubits. */
  readonly maxFusedQubits: number;
  /** Denormals as zeros (`-z`); without it circuits whose amplitudes decay are far slower. */
  readonly flushToZero: boolean;
}

/** Times and amplitudes of one run of qsim. */
export interface QsimRun {
  /** The evolution alone: neither reading the circuit, nor allocating and clearing the state. */
  readonly seconds: number;
  /** Seconds of fusing the gates, which `seconds` excludes. */
  readonly fuseSeconds: number;
  /** Amplitudes of the basis indices 0 … 7, fewer below three qubits; interleaved re, im. */
  readonly amplitudes: Float64Array;
}

/** A qsim executable. */
export interface QsimPeer {
  /**
   * Runs a circuit in a process of its own.
   *
   * @throws {Error} if the circuit has no form in qsim's format, or the run fails.
   */
  run(circuit: Circuit, settings: QsimSettings): Promise<QsimRun>;
  /**
   * The eight amplitudes from basis index `first` on, interleaved re, im. qsim prints those from 0
   * alone, so that the run ends with an X where `first` has a bit: do not time it.
   *
   * @param first - A multiple of 8.
   * @throws {Error} as `run` does.
   */
  amplitudesFrom(circuit: Circuit, settings: QsimSettings, first: number): Promise<Float64Array>;
}

/**
 * A peer that runs the given `qsim_base`.
 *
 * @param options.executable - Path of the program, built for the widest vectors of the machine.
 */
export function qsimPeer(options: { readonly executable: string }): QsimPeer {
  const run = async (circuit: Circuit, settings: QsimSettings): Promise<QsimRun> => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'qsim-peer-'));
    const file = join(folder.path, 'circuit');
    await writeFile(file, qsimText(circuit));
    const { threads, maxFusedQubits, flushToZero } = settings;
    const numbers = ['-t', `${threads}`, '-f', `${maxFusedQubits}`, '-v', '2'];
    const { stdout } = await promisify(execFile)(options.executable, [
      '-c',
      file,
      ...numbers,
      ...(flushToZero ? ['-z'] : []),
    ]);
    return parseQsimOutput(stdout, circuit.numQubits);
  };
  return {
    run,
    amplitudesFrom: async (circuit, settings, first) => {
      const { amplitudes } = await run(broughtToZero(circuit, first), settings);
      return amplitudes;
    },
  };
}

/** The circuit, then an X on each qubit where `first` has a bit. */
function broughtToZero(circuit: Circuit, first: number): Circuit {
  if (!Number.isInteger(first / 8) || first < 0 || first >= 2 ** circuit.numQubits) {
    throw new Error(`${first} is not a multiple of 8 below 2^${circuit.numQubits}`);
  }
  const flips: Operation[] = [];
  for (let q = 3; q < circuit.numQubits; q++) {
    if (Math.floor(first / 2 ** q) % 2 === 0) continue;
    flips.push({ kind: 'gate', gate: 'X', controls: [], targets: [q], angles: [] });
  }
  return { ...circuit, operations: [...circuit.operations, ...flips] };
}

/**
 * The times and amplitudes in what `qsim_base -v 2` prints.
 *
 * @throws {Error} if something is missing from it.
 */
export function parseQsimOutput(output: string, numQubits: number): QsimRun {
  const seconds = (name: string) => {
    const found = new RegExp(`^${name} time is (\\S+) seconds\\.$`, 'm').exec(output);
    return Number(found?.[1] ?? Number.NaN);
  };
  const amplitudes = [...output.matchAll(/^[01]+: +(\S+) +(\S+) +\S+$/gm)].flatMap(([, re, im]) => [
    Number(re),
    Number(im),
  ]);
  const run = {
    seconds: seconds('simu'),
    fuseSeconds: seconds('fuse'),
    amplitudes: Float64Array.from(amplitudes),
  };
  const isComplete = run.amplitudes.length === 2 * Math.min(8, 2 ** numQubits);
  if (!isComplete || Number.isNaN(run.seconds + run.fuseSeconds)) {
    throw new Error(`qsim printed no times or not all amplitudes:\n${output}`);
  }
  return run;
}

/**
 * Distance of two lists of amplitudes after the best global phase, relative to their size: ‖a −
 * e^{iφ}b‖ / ‖a‖. Interleaved re, im.
 *
 * @returns NaN when the lists differ in length, or `expected` is all zero and so shows nothing.
 */
export function phaseFreeError(expected: Float64Array, found: Float64Array): number {
  if (expected.length !== found.length) return Number.NaN;
  // The phase of ⟨found|expected⟩ is the best one.
  let [re, im] = [0, 0];
  for (let i = 0; i < expected.length; i += 2) {
    re += found[i]! * expected[i]! + found[i + 1]! * expected[i + 1]!;
    im += found[i]! * expected[i + 1]! - found[i + 1]! * expected[i]!;
  }
  const size = Math.hypot(re, im);
  const [cos, sin] = size === 0 ? [1, 0] : [re / size, im / size];
  let [difference, norm] = [0, 0];
  for (let i = 0; i < expected.length; i += 2) {
    const turnedRe = cos * found[i]! - sin * found[i + 1]!;
    const turnedIm = cos * found[i + 1]! + sin * found[i]!;
    difference += (expected[i]! - turnedRe) ** 2 + (expected[i + 1]! - turnedIm) ** 2;
    norm += expected[i]! ** 2 + expected[i + 1]! ** 2;
  }
  return Math.sqrt(difference / norm);
}

/**
 * Where the largest amplitude is: `amplitudesFrom` there says most about a state.
 *
 * @param amplitudes - Interleaved re, im.
 * @returns The basis index, rounded down to a multiple of 8.
 */
export function windowOfLargest(amplitudes: Float64Array): number {
  let best = 0;
  let largest = 0;
  for (let i = 0; i < amplitudes.length; i += 2) {
    const mass = amplitudes[i]! ** 2 + amplitudes[i + 1]! ** 2;
    if (mass > largest) {
      largest = mass;
      best = i / 2;
    }
  }
  return best - (best % 8);
}

/** One line of the text but for its time: a gate, under controls if any. */
interface QsimGate {
  readonly name: string;
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
  readonly angles: readonly number[];
}

/** Gates whose product, turned by `phase` radians, is an operation. */
interface Form {
  readonly gates: readonly QsimGate[];
  readonly phase: number;
}

/**
 * The circuit in qsim's text format, the same up to a global phase.
 *
 * @returns The number of qubits, then a gate a line, each at the earliest time its qubits are free.
 * @throws {Error} at measurements, resets, conditions, and unitaries on several targets.
 */
export function qsimText(circuit: Circuit): string {
  const times: number[] = new Array(circuit.numQubits).fill(0);
  const lines = circuit.operations.flatMap((operation, index) =>
    qsimGates(operation, index).map((gate) => {
      const qubits = [...gate.controls, ...gate.targets];
      const time = Math.max(...qubits.map((q) => times[q]!));
      for (const q of qubits) times[q] = time + 1;
      const controls = gate.controls.length === 0 ? [] : ['c', ...gate.controls];
      return [time, ...controls, gate.name, ...gate.targets, ...gate.angles].join(' ');
    }),
  );
  return `${[circuit.numQubits, ...lines].join('\n')}\n`;
}

function qsimGates(operation: Operation, index: number): readonly QsimGate[] {
  const refuse = (what: string) =>
    new Error(`qsim's text format has no form for operation ${index}: ${what}`);
  switch (operation.kind) {
    case 'barrier':
      return [];
    case 'measure':
    case 'reset':
      throw refuse(operation.kind);
    case 'gate':
    case 'unitary': {
      if (operation.condition !== undefined) throw refuse('a gate under a classical condition');
      const { controls, targets } = operation;
      if (controls.length > 0 && targets.length === 1) {
        const gates = controlledOneQubit(targetMatrix(operation), controls, targets[0]!);
        if (gates !== undefined) return gates;
      }
      const form = formOf(operation);
      if (form === undefined) throw refuse(`a unitary on ${targets.length} targets`);
      // The parser looks for a qubit used twice in sorted lists.
      const sorted = [...controls].sort((a, b) => a - b);
      return [
        ...form.gates.map((gate) => ({ ...gate, controls: sorted })),
        ...phaseOn(sorted, form.phase),
      ];
    }
  }
}

const plain = (
  name: string,
  targets: readonly Qubit[],
  ...angles: readonly number[]
): QsimGate => ({ name, controls: [], targets, angles });

/** The phase e^{iγ} where all the qubits are |1⟩, up to a global one. */
function phaseOn(qubits: readonly Qubit[], gamma: number): readonly QsimGate[] {
  if (gamma === 0 || qubits.length === 0) return [];
  if (qubits.length === 1) return [plain('rz', qubits, gamma)];
  if (qubits.length > 2) return [{ name: 'p', controls: qubits, targets: [], angles: [gamma] }];
  return Math.abs(gamma) === Math.PI ? [plain('cz', qubits)] : [plain('cp', qubits, -gamma)];
}

/** Operations that can be fused: any gate under one control, and phases; undefined for others. */
function controlledOneQubit(
  unitary: ComplexMatrix,
  controls: readonly Qubit[],
  target: Qubit,
): readonly QsimGate[] | undefined {
  if (isDiagonal(unitary)) {
    const zero = Math.atan2(unitary[1]!, unitary[0]!);
    const one = Math.atan2(unitary[7]!, unitary[6]!);
    const all = [...controls, target].sort((a, b) => a - b);
    return [...phaseOn(controls, zero), ...phaseOn(all, one - zero)];
  }
  if (controls.length > 1) return undefined;
  const cnot = plain('cnot', [...controls, target]);
  const native = nativeForm(unitary, target);
  if (native?.gates[0]?.name === 'x') return [cnot, ...phaseOn(controls, native.phase)];
  // Nielsen & Chuang, corollary 4.2: A·X·B·X·C is the gate, A·B·C is none.
  const { theta, phi, lambda, gamma } = eulerAngles(unitary);
  return [
    plain('rz', [target], (lambda - phi) / 2),
    cnot,
    plain('rz', [target], -(lambda + phi) / 2),
    plain('ry', [target], -theta / 2),
    cnot,
    plain('ry', [target], theta / 2),
    plain('rz', [target], phi),
    ...phaseOn(controls, gamma + (phi + lambda) / 2),
  ];
}

/** The gate on its targets, without its controls; undefined where there is no form. */
function formOf(operation: GateOperation | UnitaryOperation): Form | undefined {
  const { targets } = operation;
  if (targets.length === 1) return oneQubitForm(targetMatrix(operation), targets[0]!);
  if (operation.kind === 'unitary') return undefined;
  const [theta = 0, second = 0] = operation.angles;
  const [q = 0, r = 0] = targets;
  const exact = (...gates: readonly QsimGate[]): Form => ({ gates, phase: 0 });
  const between = (
    before: readonly QsimGate[],
    angle: number,
    after: readonly QsimGate[],
  ): Form => {
    const { gates, phase } = rzz(q, r, angle);
    return { gates: [...before, ...gates, ...after], phase };
  };
  switch (operation.gate) {
    case 'GPHASE':
      return { gates: [], phase: theta };
    case 'SWAP':
    case 'CSWAP':
      return exact(plain('sw', targets));
    case 'ISWAP':
      return exact(plain('is', targets));
    case 'SQRTISWAP':
      return exact(plain('fs', targets, -Math.PI / 4, 0));
    case 'FSIM':
      return exact(plain('fs', targets, theta, second));
    case 'XX+YY':
      return exact(
        plain('rz', [q], second),
        plain('fs', targets, theta / 2, 0),
        plain('rz', [q], -second),
      );
    case 'DCX':
      return exact(plain('cnot', [q, r]), plain('cnot', [r, q]));
    case 'RZZ':
      return rzz(q, r, theta);
    case 'RXX': {
      const turn = [plain('h', [q]), plain('h', [r])];
      return between(turn, theta, turn);
    }
    case 'RYY': {
      const turn = (angle: number) => [plain('rx', [q], angle), plain('rx', [r], angle)];
      return between(turn(Math.PI / 2), theta, turn(-Math.PI / 2));
    }
    case 'RZX':
      return between([plain('h', [r])], theta, [plain('h', [r])]);
    case 'ECR':
      return between([plain('h', [r])], Math.PI / 2, [plain('h', [r]), plain('x', [q])]);
    default:
      return undefined;
  }
}

/** exp(−iθ/2 · Z⊗Z): three diagonal gates, so that no order binds the fuser. */
function rzz(q: Qubit, r: Qubit, theta: number): Form {
  return {
    gates: [plain('rz', [q], theta), plain('rz', [r], theta), plain('cp', [q, r], 2 * theta)],
    phase: theta / 2,
  };
}

/** Gates that qsim has without angles; the last two are √Y and √W. */
const NATIVE: readonly (readonly [name: string, unitary: ComplexMatrix])[] = [
  ['h', gateNamed('H').matrix([])],
  ['x', gateNamed('X').matrix([])],
  ['y', gateNamed('Y').matrix([])],
  ['z', gateNamed('Z').matrix([])],
  ['s', gateNamed('S').matrix([])],
  ['t', gateNamed('T').matrix([])],
  ['x_1_2', gateNamed('SX').matrix([])],
  ['y_1_2', gateNamed('CU').matrix([Math.PI / 2, 0, 0, Math.PI / 4])],
  ['hz_1_2', gateNamed('CU').matrix([Math.PI / 2, -Math.PI / 4, Math.PI / 4, Math.PI / 4])],
];

/**
 * Largest distance of a gate from one of qsim's own that it is replaced by; qsim's entries are f32.
 */
const SAME = 1e-12;

function nativeForm(unitary: ComplexMatrix, target: Qubit): Form | undefined {
  for (const [name, native] of NATIVE) {
    if (!(phaseFreeError(unitary, native) < SAME)) continue;
    // The phase at the native gate's largest entry of the first column.
    const at = Math.hypot(native[0]!, native[1]!) > 0.5 ? 0 : 4;
    const angle = (m: ComplexMatrix) => Math.atan2(m[at + 1]!, m[at]!);
    const phase = angle(unitary) - angle(native);
    return { gates: [plain(name, [target])], phase: Math.abs(phase) < SAME ? 0 : phase };
  }
  return undefined;
}

/** One of qsim's own gates, else a rotation about an axis of the equator and one about Z. */
function oneQubitForm(unitary: ComplexMatrix, target: Qubit): Form {
  const native = nativeForm(unitary, target);
  if (native !== undefined) return native;
  // U(θ, φ, λ) is, up to the phase (φ + λ)/2, RZ(φ + λ) after the rotation by θ about π/2 − λ.
  const { theta, phi, lambda, gamma } = eulerAngles(unitary);
  const z = phi + lambda;
  const gates: QsimGate[] = [];
  if (theta !== 0) gates.push(plain('rxy', [target], Math.PI / 2 - lambda, theta));
  const hasZ = Math.abs(Math.sin(z / 2)) > SAME;
  if (hasZ) gates.push(plain('rz', [target], z));
  // A turn of 2πk about Z is the sign that the phase z/2 takes back.
  return { gates, phase: hasZ ? gamma + z / 2 : gamma };
}
