/** Channels in circuits and in noise models, by every method that takes noise. */
import type { Area } from '../area.ts';
import { type Angle, type Circuit, type NoiseModel, numBits, type Op } from '../circuits.ts';
import { type Channel, pauliStrings } from '../matrices.ts';
import type { Random } from '../random.ts';
import { type CircuitCase, checkCircuit } from './circuit-check.ts';
import {
  cliffordMatrix,
  randomCondition,
  randomGate,
  randomObservables,
  randomUnitary,
  someOf,
} from './generate.ts';

const PAULI_TYPES = ['bit_flip', 'phase_flip', 'bit_phase_flip', 'pauli', 'depolarizing'];
const OTHER_TYPES = [
  'amplitude_damping',
  'generalized_amplitude_damping',
  'phase_damping',
  'thermal_relaxation',
  'reset',
  'kraus',
];
const SINGLES = ['X', 'H', 'RX', 'RZ', 'P', 'S', 'U', '*1'];
const PAIRS = ['CX', 'CP', 'CZ', 'RZZ', 'SWAP', 'CS', 'ISWAP', 'CU3', 'CRX', '*2'];
const OTHERS = ['CCX', 'CCZ', 'CSWAP', 'UNITARY', '*', '*3'];

/** A random channel on `size` qubits. */
export function randomChannel(random: Random, size: number, isPauli: boolean): Channel {
  const strong = () => random.pick([0.02, 0.1, 0.3, random.uniform()]);
  const type = random.pick(
    isPauli || random.chance(0.5) ? PAULI_TYPES : size === 1 ? OTHER_TYPES : ['kraus'],
  );
  switch (type) {
    case 'pauli': {
      const strings = someOf(random, pauliStrings(size).slice(1)).slice(0, 4);
      const each = strong() / strings.length;
      return { type, probabilities: Object.fromEntries(strings.map((letters) => [letters, each])) };
    }
    case 'kraus': {
      const p = strong();
      const scale = (factor: number) =>
        randomUnitary(random, 2 ** size).map((row) =>
          row.map(([a, b]) => [a * factor, b * factor]),
        );
      return { type, matrices: [scale(Math.sqrt(p)), scale(Math.sqrt(1 - p))] };
    }
    case 'thermal_relaxation': {
      const t1_us = 10 + 90 * random.uniform();
      const t2_us = t1_us * 2 * random.uniform() + 0.1;
      const duration_ns = random.pick([100, 5000, 30000]);
      const excited = random.pick([0, 0.2, 1]);
      return { type, t1_us: Math.max(t1_us, t2_us / 2), t2_us, duration_ns, excited };
    }
    case 'generalized_amplitude_damping':
      return { type, gamma: strong(), excited: random.uniform() };
    case 'amplitude_damping':
    case 'phase_damping':
      return { type, gamma: strong() };
    case 'reset':
      return { type, probability: strong(), value: random.below(2) };
    case 'depolarizing':
      return { type, probability: strong(), ...(size === 1 && { num_qubits: 1 }) };
    default:
      return { type, probability: strong() };
  }
}

/** A random noise model: gates, readout and, without `isPauli`, idle qubits. */
export function randomNoise(random: Random, qubits: number, isPauli: boolean): NoiseModel {
  const entry = () => {
    // Operands that are named, and a channel on two qubits, need gates on as many.
    const width = random.pick(qubits > 1 ? [0, 0, 0, 1, 2, 2] : [0, 0, 1]);
    const isPair = width === 2;
    const names = isPair ? PAIRS : width === 1 ? SINGLES : [...SINGLES, ...PAIRS, ...OTHERS];
    return {
      gates: [...new Set(Array.from({ length: random.between(1, 4) }, () => random.pick(names)))],
      channel: randomChannel(random, isPair ? 2 : 1, isPauli),
      ...(width > 0 && random.chance(0.5) && { qubits: [random.distinct(width, qubits)] }),
    };
  };
  const gates = Array.from({ length: random.between(0, 3) }, entry);
  const readout = Array.from({ length: random.below(3) }, () => ({
    ...(random.chance(0.5) && { qubits: [random.below(qubits)] }),
    p1_given_0: random.pick([0, 0.02, 0.3]),
    p0_given_1: random.pick([0, 0.05, 1]),
  }));
  const t1_us = 20 + 80 * random.uniform();
  const idle = {
    t1_us,
    t2_us: t1_us * random.pick([0.3, 1, 2]),
    ...(random.chance(0.3) && { excited: 0.3 }),
    durations_ns: {
      '*1': 5000,
      '*2': random.pick([8000, 30000]),
      CX: 20000,
      M: 10000,
      RESET: 3000,
    },
  };
  return {
    gates,
    ...(readout.length > 0 && { readout }),
    ...(!isPauli && random.chance(0.25) && { idle: [idle] }),
  };
}

/** An angle that measured bits decide. */
function angleOfBits(random: Random, bits: readonly number[]): Angle {
  const terms = someOf(random, bits).map((bit): [number, number] => [bit, random.angle()]);
  return { offset: random.chance(0.5) ? 0 : random.angle(), bits: terms.slice(0, 3) };
}

/** A circuit of any kind: measurements, resets and conditions in the middle, channels, angles of measured bits. */
export function dynamicOps(
  random: Random,
  qubits: number,
  options: {
    isNew: boolean;
    channels: boolean;
    clifford: boolean;
    isStatic: boolean;
    length: number;
  },
): Op[] {
  const ops: Op[] = [];
  const bits = new Set<number>();
  const { isNew, channels, clifford, isStatic } = options;
  for (let i = 0; i < options.length; i++) {
    const known = [...bits];
    const conditional = !isStatic && known.length > 0 && random.chance(0.3);
    const condition = conditional && { condition: randomCondition(random, known) };
    const choice = random.uniform();
    const qubit = random.below(qubits);
    if (channels && !isNew && choice < 0.15) {
      const size = qubits > 1 && random.chance(0.4) ? 2 : 1;
      const channel = randomChannel(random, size, clifford);
      const wide =
        channel.type === 'depolarizing' || channel.type === 'kraus' || channel.type === 'pauli';
      const places = random.distinct(wide ? size : 1, qubits);
      ops.push({ op: 'noise', qubits: places, channel, ...condition });
    } else if (!isStatic && choice < 0.3) {
      const bit = random.below(3);
      bits.add(bit);
      ops.push({ op: 'measure', qubits: [qubit], bits: [bit] });
    } else if (!isStatic && choice < 0.36) ops.push({ op: 'reset', qubits: [qubit], ...condition });
    else if (clifford && choice < 0.42) {
      ops.push({
        op: 'unitary',
        matrix: cliffordMatrix(random),
        qubits: [qubit],
        extra: [],
        ...condition,
      });
    } else {
      const gate = randomGate(random, qubits, {
        clifford,
        controls: clifford ? 0 : 2,
        unitaries: !isNew && !clifford,
      });
      const isOfBits =
        isNew &&
        gate.op === 'gate' &&
        gate.angles.length === 1 &&
        known.length > 0 &&
        random.chance(0.6);
      const angles = isOfBits && { angles: [angleOfBits(random, known)] };
      ops.push({ ...gate, ...angles, ...condition } as Op);
    }
  }
  return ops;
}

/** With a measurement of all qubits at the end, of all together or of each; sometimes with none. */
export function withFinal(
  random: Random,
  form: Circuit['form'],
  qubits: number,
  ops: readonly Op[],
): Op[] {
  const bits = numBits({ form, qubits, ops });
  if (bits === 0 && random.chance(0.5)) return [...ops];
  const all = Array.from({ length: qubits }, (_, i) => i);
  const isJoint = form === 'json' && random.chance(0.5);
  const groups = isJoint ? [all] : all.map((qubit) => [qubit]);
  const measure = (group: number[]): Op => ({
    op: 'measure',
    qubits: group,
    bits: group.map((i) => i + bits),
  });
  return [...ops, ...groups.map(measure)];
}

/** The area. */
export const noiseArea: Area<CircuitCase> = {
  name: 'noise',
  generate(random) {
    const qubits = random.between(1, random.chance(0.8) ? 3 : 4);
    const clifford = random.chance(0.3);
    const isNew = random.chance(0.4);
    const isStatic = random.chance(0.4);
    const length = random.between(1, 10);
    const form = isNew ? 'qasm3' : 'json';
    const noise = randomNoise(random, qubits, clifford);
    const dynamic = dynamicOps(random, qubits, {
      isNew,
      channels: true,
      clifford,
      isStatic,
      length,
    });
    const ops = withFinal(random, form, qubits, dynamic);
    const method = random.pick([
      'density_matrix',
      'density_matrix',
      'statevector',
      clifford ? 'stabilizer' : 'automatic',
    ]);
    const isExact = method === 'density_matrix' && isStatic && !noise.idle;
    const outputs = isExact
      ? ['counts', 'memory', 'probabilities', 'expectation', 'density_matrix', 'purity']
      : method === 'density_matrix'
        ? ['counts', 'memory', 'probabilities']
        : ['counts', 'memory'];
    return {
      circuit: { form, qubits, ops, noise },
      processor:
        method === 'statevector' ? random.pick(['statevector-sim', 'gpu-fleet', 'qvm']) : 'qvm',
      ...(method !== 'statevector' && { method }),
      outputs: someOf(random, outputs),
      observables: randomObservables(random, qubits),
      basisStates: [],
      shots: method === 'density_matrix' ? 2000 : 1000,
      seed: random.below(1e9),
    };
  },
  check: checkCircuit,
};
