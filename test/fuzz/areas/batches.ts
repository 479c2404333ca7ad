/**
 * Batches of programs and points: every point against the oracle, its gradient against differences of the
 * oracle's values, and its counts equal to those of the circuit sent alone with the documented seed.
 */
import { type Answer, type Area, judged, type Service, type Wrong } from '../area.ts';
import { type Angle, type Circuit, FLAGS, numBits, type Op, written } from '../circuits.ts';
import { countsDiffer, differs, pairs } from '../compare.ts';
import type { Random } from '../random.ts';
import {
  cutTolerance,
  expectations,
  type Observable,
  oracle,
  pauliText,
  TOLERANCE,
} from './circuit-check.ts';
import { randomGate, randomObservables, someOf } from './generate.ts';
import { dynamicOps, randomNoise, withFinal } from './noise.ts';

type Inputs = Readonly<Record<string, number>>;

interface Program {
  readonly circuit: Circuit;
  /** Values of the inputs at each point. */
  readonly points: readonly Inputs[];
  readonly outputs: readonly string[];
  readonly observables: readonly Observable[];
}

interface BatchCase {
  readonly programs: readonly Program[];
  readonly processor: string;
  readonly method?: string;
  readonly isBase64: boolean;
  readonly shots: number;
  readonly seed: number;
}

interface Packed {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: string;
}

const GRADIENT_TOLERANCE = 2e-6;
const FEW = ['a', 'b'];

function randomProgram(random: Random, isDensity: boolean, hasNoise: boolean): Program {
  const form = random.pick(['json', 'json', 'qasm3'] as const);
  const qubits = random.between(1, isDensity ? 3 : 4);
  const options = { isNew: form === 'qasm3', channels: false, clifford: false, isStatic: true };
  const length = random.between(1, 8);
  const names = FEW.slice(0, random.between(0, 2));
  const angleOf = (): Angle => ({
    input: random.pick(names),
    scale: random.pick([1, 2, -0.5]),
    offset: random.pick([0, 0.3]),
  });
  const ops: Op[] = dynamicOps(random, qubits, { ...options, length }).map((op) => {
    if (op.op !== 'gate' || names.length === 0 || op.angles.length === 0) return op;
    return { ...op, angles: op.angles.map((angle) => (random.chance(0.6) ? angleOf() : angle)) };
  });
  for (const input of names) {
    const place = random.below(qubits);
    const gate = random.pick(['RX', 'RY', 'RZ', 'P']);
    const angle = { input, scale: 1, offset: 0 };
    ops.splice(random.between(0, ops.length), 0, {
      op: 'gate',
      gate,
      qubits: [place],
      angles: [angle],
      extra: [],
    });
  }
  const hasFlags = form === 'qasm3' && random.chance(0.4);
  if (hasFlags) {
    for (let bit = 0; bit < FLAGS; bit++) {
      const condition = { bits: [bit], value: random.below(2), isInput: true };
      ops.splice(random.between(0, ops.length), 0, { ...randomGate(random, qubits), condition });
    }
  }
  // As Qiskit's initialize writes it: of a qubit that nothing has acted on.
  if (random.chance(0.2)) ops.unshift({ op: 'reset', qubits: [random.below(qubits)] });
  const point = (): Inputs =>
    Object.fromEntries([
      ...names.map((name) => [name, random.angle()]),
      ...(hasFlags ? [['flags', random.below(2 ** FLAGS)]] : []),
    ]);
  const points = Array.from({ length: random.between(1, 4) }, point);
  const exact = ['probabilities', 'expectation', 'variance'];
  const more = names.length > 0 && !hasFlags ? ['gradient'] : [];
  const state = isDensity || hasNoise ? [] : ['statevector'];
  const outputs = someOf(random, ['counts', ...exact, ...more, ...state]);
  return {
    circuit: {
      form,
      qubits,
      ops: withFinal(random, form, qubits, ops),
      ...(hasNoise && { noise: { ...randomNoise(random, qubits, false), idle: [] } }),
    },
    // Without inputs a program has one point.
    points: names.length === 0 && !hasFlags ? points.slice(0, 1) : points,
    outputs,
    observables: randomObservables(random, qubits),
  };
}

function columns({ points }: Program, isLabel: boolean): Record<string, unknown> {
  const names = Object.keys(points[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = points.map((point) => point[name]!);
      if (name !== 'flags' || !isLabel) return [name, values];
      return [name, values.map((value) => value.toString(2).padStart(FLAGS, '0'))];
    }),
  );
}

function unpacked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('dtype' in value)) return value;
  const { shape, data } = value as Packed;
  const bytes = Buffer.from(data, 'base64');
  const flat: unknown[] = Array.from({ length: bytes.length / 8 }, (_, i) =>
    bytes.readDoubleLE(8 * i),
  );
  return [...shape]
    .reverse()
    .slice(0, -1)
    .reduce<unknown[]>((list, size) => {
      return Array.from({ length: list.length / size }, (_, i) =>
        list.slice(i * size, (i + 1) * size),
      );
    }, flat);
}

/** Counts of each point, from either form. */
function countsOf(result: Readonly<Record<string, unknown>>): Record<string, number>[] {
  const { counts } = result;
  if (Array.isArray(counts)) return counts as Record<string, number>[];
  const read = (name: string): number[] => {
    const { dtype, data } = (result[name] ?? (counts as Record<string, unknown>)[name]) as Packed;
    const width = Number(dtype.at(-1));
    const bytes = Buffer.from(data, 'base64');
    return Array.from({ length: bytes.length / width }, (_, i) =>
      bytes.readUIntLE(i * width, width),
    );
  };
  const bits = Number(result['bits'] ?? (counts as Record<string, unknown>)['bits']);
  const size = Math.ceil(bits / 8);
  const [outcomes, occurrences] = [read('outcomes'), read('occurrences')];
  let next = 0;
  return read('outcomes_per_point').map((length) => {
    const found: Record<string, number> = {};
    for (const end = next + length; next < end; next++) {
      const value = outcomes
        .slice(next * size, (next + 1) * size)
        .reduce((sum, byte, i) => sum + byte * 256 ** i, 0);
      found[value.toString(2).padStart(bits, '0')] = occurrences[next]!;
    }
    return found;
  });
}

/** Derivatives of the oracle's values, by central differences of fourth order. */
function derivatives({ circuit, observables }: Program, point: Inputs): number[][] {
  const names = Object.keys(point).filter((name) => name !== 'flags');
  const step = 1e-2;
  const columnsOf = names.map((name) => {
    const at = (k: number) => {
      const moved = { ...point, [name]: point[name]! + k * step };
      return expectations(oracle(circuit, moved).state, observables);
    };
    const values = [-3, -2, -1, 1, 2, 3].map(at);
    const weights = [-1, 9, -45, 45, -9, 1];
    return observables.map(
      (_, o) => weights.reduce((sum, w, k) => sum + w * values[k]![o]!, 0) / (60 * step),
    );
  });
  return observables.map((_, o) => columnsOf.map((column) => column[o]!));
}

/** ⟨O²⟩ − ⟨O⟩² of a Pauli string with its coefficient. */
function variances(values: readonly number[], observables: readonly Observable[]): number[] {
  return values.map((value, i) => observables[i]!.coefficient ** 2 - value ** 2);
}

function programDiffers(
  program: Program,
  result: Readonly<Record<string, unknown>>,
  { shots, processor }: BatchCase,
  estimated: boolean,
): string | undefined {
  const { circuit, points, outputs, observables } = program;
  const cuts = unpacked(result['truncation_error']) as readonly number[] | undefined;
  const size = Math.max(...observables.map((o) => Math.abs(o.coefficient)), 1);
  for (const [k, point] of points.entries()) {
    const precision = processor === 'gpu-fleet' ? 'f32' : 'f64';
    const tolerance = TOLERANCE[precision]! + cutTolerance(cuts?.[k]);
    const { exact, state } = oracle(circuit, point);
    const values = expectations(state, observables);
    for (const output of outputs) {
      const name = `${output}[${k}]`;
      if (output === 'counts') {
        const found = countsDiffer(countsOf(result)[k]!, exact, shots);
        if (found) return `point ${k}: ${found}`;
        continue;
      }
      const got = (unpacked(result[output]) as unknown[])[k];
      const expected = (() => {
        switch (output) {
          case 'probabilities': {
            const bits = numBits(circuit) || circuit.qubits;
            return Array.from(
              { length: 2 ** bits },
              (_, i) => exact.get(i.toString(2).padStart(bits, '0')) ?? 0,
            );
          }
          case 'expectation':
            return values;
          case 'variance':
            return variances(values, observables);
          case 'statevector':
            return pairs(state.entries);
          default:
            return derivatives(program, point);
        }
      })();
      if (estimated && (output === 'gradient' || output === 'expectation')) {
        const errors = (unpacked(result['standard_error']) as number[][] | undefined)?.[k];
        if (output === 'gradient' || !errors) continue;
        const found = differs(name, got, expected, (8 * size) / Math.sqrt(shots));
        if (found) return found;
        const bound = errors.find(
          (error) => !(error >= 0 && error <= (1.01 * size) / Math.sqrt(shots - 1)),
        );
        if (bound !== undefined) return `standard_error[${k}] is ${bound}`;
        continue;
      }
      const found = differs(
        name,
        got,
        expected,
        (output === 'gradient' ? GRADIENT_TOLERANCE + tolerance : tolerance) * size * 4,
      );
      if (found) return found;
    }
  }
  return undefined;
}

/** The area. */
export const batchesArea: Area<BatchCase> = {
  name: 'batches',
  generate(random) {
    const method = random.pick(['density_matrix', 'matrix_product_state', undefined, undefined]);
    const isDensity = method === 'density_matrix';
    const processor = method ? 'qvm' : random.pick(['statevector-sim', 'gpu-fleet', 'qvm']);
    const programs = Array.from({ length: random.between(1, 3) }, () =>
      randomProgram(random, isDensity, isDensity && random.chance(0.5)),
    );
    return {
      programs,
      processor,
      ...(method && { method }),
      isBase64: random.chance(0.3),
      shots: 2000,
      seed: random.below(1e9),
    };
  },
  async check(each, service: Service): Promise<Wrong | undefined> {
    const { programs, processor, method, isBase64, shots, seed } = each;
    const needsShots = programs.some(({ outputs }) => outputs.includes('counts')) || seed % 4 === 0;
    const bodies = programs.map((program, i) => ({
      ...written(program.circuit),
      inputs: columns(program, (seed + i) % 2 === 0),
      return: program.outputs,
      ...(program.outputs.some((o) => ['expectation', 'variance', 'gradient'].includes(o)) && {
        observables: program.observables.map((o) => ({
          pauli: pauliText(o),
          coefficient: o.coefficient,
        })),
      }),
    }));
    // The default threshold cuts amplitudes of about 1e-6.
    const isCut = method === 'matrix_product_state';
    const common = {
      target_processor: processor,
      seed,
      ...(method && { method }),
      ...(isCut && { truncation_threshold: 0 }),
    };
    const more = { ...(needsShots && { shots }), ...(isBase64 && { array_format: 'base64' }) };
    const body = { ...common, ...more, programs: bodies };
    const compare = (data: Answer['data']): string | undefined => {
      const results = data['programs'] as Readonly<Record<string, unknown>>[];
      for (const [i, program] of programs.entries()) {
        const exactBy = method !== undefined || program.outputs.includes('counts');
        const found = programDiffers(program, results[i]!, each, needsShots && !exactBy);
        if (found) return `program ${i}: ${found}`;
      }
      return undefined;
    };
    let batch: Answer['data'] = {};
    const keep = (data: Answer['data']) => {
      batch = data;
      return compare(data);
    };
    const wrong = await judged(service, 'batches', body, keep, null);
    if (wrong) return wrong;
    return alone(each, bodies, batch, service);
  },
};

const OF_CIRCUITS = ['counts', 'probabilities', 'expectation', 'statevector'];

/** The first point of each program with counts, sent as a circuit: the same counts. */
async function alone(
  { programs, seed, shots, processor, method }: BatchCase,
  bodies: readonly {
    readonly inputs: Record<string, unknown>;
    readonly return: readonly string[];
  }[],
  batch: Answer['data'],
  service: Service,
): Promise<Wrong | undefined> {
  let before = 0;
  for (const [i, program] of programs.entries()) {
    const k = program.points.length - 1;
    const place = before + k;
    before += program.points.length;
    const isBoth =
      program.outputs.includes('counts') && program.outputs.every((o) => OF_CIRCUITS.includes(o));
    if (!isBoth) continue;
    const { inputs: all, ...rest } = bodies[i]!;
    const inputs = Object.fromEntries(
      Object.entries(all).map(([name, values]) => [name, (values as unknown[])[k]]),
    );
    const body = {
      ...rest,
      inputs,
      target_processor: processor,
      shots,
      seed: seed + place,
      ...(method && { method }),
      ...(method === 'matrix_product_state' && { truncation_threshold: 0 }),
    };
    const result = (batch['programs'] as Readonly<Record<string, unknown>>[])[i]!;
    const expected = countsOf(result)[k]!;
    const same = ({ counts }: Answer['data']) => {
      const found = differs('counts', counts, expected, 0);
      return found && `program ${i}, point ${k}: alone its ${found}`;
    };
    const wrong = await judged(service, 'circuits', body, same, expected);
    if (wrong) return wrong;
  }
  return undefined;
}
