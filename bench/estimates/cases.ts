/** Requests of every method, of sizes drawn from a seed, whose times the service is to estimate. */
import { generateStim } from '../../src/circuit/stim/generate/generate-stim.ts';
import { NO_NOISE } from '../../src/circuit/stim/generate/memory-text.ts';
import { uniformDraw } from '../../src/math/philox.ts';
import { surfaceCodeText } from '../surface-code-text.ts';

/** A request. */
export interface Case {
  readonly family: string;
  readonly path: '/quantum/circuits' | '/quantum/batches' | '/quantum/experiments';
  readonly body: Readonly<Record<string, unknown>>;
}

type Gate = Readonly<Record<string, unknown>>;

/** Draws from a seed. */
class Draws {
  readonly #seed: number;
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Uniform in [0, 1). */
  next(): number {
    return uniformDraw(this.#seed, this.#count++, 0, 0);
  }

  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most + 1 - least));
  }

  /** As many between each two powers. */
  spread(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.next());
  }

  of<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)]!;
  }

  /** Two different qubits. */
  pair(numQubits: number): readonly [number, number] {
    const first = this.whole(0, numQubits - 1);
    return [first, (first + this.whole(1, numQubits - 1)) % numQubits];
  }
}

/** Gates of layers, each of which rotates all qubits and then has gates on random pairs. */
function rotations(draws: Draws, numQubits: number, depth: number): readonly Gate[] {
  const gates: Gate[] = [];
  for (let layer = 0; layer < depth; layer++) {
    for (let qubit = 0; qubit < numQubits; qubit++) {
      gates.push({ gate: draws.of(['RX', 'RY', 'RZ']), qubit, theta: draws.next() * 6 });
    }
    for (let i = 0; i < numQubits / 2; i++) {
      const [control, target] = draws.pair(numQubits);
      gates.push({ gate: draws.of(['CX', 'CZ']), control, target });
    }
  }
  return gates;
}

function cliffords(draws: Draws, numQubits: number, numGates: number): readonly Gate[] {
  return Array.from({ length: numGates }, () => {
    if (draws.next() < 0.5) {
      return { gate: draws.of(['H', 'S', 'X', 'SX']), qubit: draws.whole(0, numQubits - 1) };
    }
    const [control, target] = draws.pair(numQubits);
    return { gate: draws.of(['CX', 'CZ']), control, target };
  });
}

const QVM = { target_processor: 'qvm' };
const depolarizing = (probability: number) => ({
  gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability } }],
});
const measureAll = (numQubits: number) => ({
  gate: 'M',
  qubits: Array.from({ length: numQubits }, (_, qubit) => qubit),
});
const circuitCase = (family: string, body: Case['body']): Case => ({
  family,
  path: '/quantum/circuits',
  body: { ...QVM, ...body },
});

/** Makes the request of a family with some draws. */
const FAMILIES: Readonly<Record<string, (draws: Draws, family: string) => Case>> = {
  'state vector, 4 to 17 qubits': (draws, family) =>
    circuitCase(family, {
      method: 'statevector',
      circuit: rotations(draws, draws.whole(4, 17), draws.spread(2, 60)),
      shots: draws.spread(10, 100_000),
    }),
  'state vector, 18 to 23 qubits': (draws, family) =>
    circuitCase(family, {
      method: 'statevector',
      circuit: rotations(draws, draws.whole(18, 23), draws.spread(2, 16)),
      shots: draws.spread(10, 100_000),
    }),
  'measured in mid-circuit': (draws, family) => {
    const numQubits = draws.whole(4, 14);
    const part = () => rotations(draws, numQubits, draws.spread(2, 12));
    const measured = Array.from({ length: draws.whole(1, 4) }, (_, bit) => [
      ...part(),
      { gate: 'M', qubits: [bit], bits: [bit] },
      { gate: 'X', qubit: bit, condition: { bits: [bit], value: 1 } },
    ]).flat();
    return circuitCase(family, {
      method: 'statevector',
      circuit: [...measured, ...part(), measureAll(numQubits)],
      shots: draws.spread(10, 10_000),
    });
  },
  trajectories: (draws, family) =>
    circuitCase(family, {
      method: 'statevector',
      circuit: rotations(draws, draws.whole(4, 14), draws.spread(2, 12)),
      noise: depolarizing(0.1 / draws.spread(3, 300)),
      shots: draws.spread(10, 2000),
    }),
  'density matrix': (draws, family) =>
    circuitCase(family, {
      method: 'density_matrix',
      circuit: rotations(draws, draws.whole(3, 10), draws.spread(2, 12)),
      noise: depolarizing(0.1 / draws.spread(3, 300)),
      shots: draws.spread(10, 100_000),
    }),
  stabilizer: (draws, family) => {
    const numQubits = draws.spread(20, 1000);
    return circuitCase(family, {
      method: 'stabilizer',
      circuit: cliffords(draws, numQubits, draws.spread(100, 9000)),
      ...(draws.next() < 0.5 && { noise: depolarizing(0.01) }),
      shots: draws.spread(10, 100_000),
    });
  },
  'near-Clifford': (draws, family) => {
    const numQubits = draws.whole(20, 50);
    const gates = [...cliffords(draws, numQubits, draws.spread(100, 1000))];
    for (let t = draws.whole(1, 10); t > 0; t--) {
      const qubit = draws.whole(0, numQubits - 1);
      gates.splice(draws.whole(0, gates.length), 0, { gate: 'T', qubit });
    }
    return circuitCase(family, {
      method: 'stabilizer',
      circuit: gates,
      shots: draws.spread(10, 10_000),
    });
  },
  'matrix product state': (draws, family) => {
    const numQubits = draws.whole(20, 60);
    const gates: Gate[] = [];
    for (let layer = draws.whole(1, 8); layer > 0; layer--) {
      for (let qubit = 0; qubit < numQubits; qubit++) {
        gates.push({ gate: 'RY', qubit, theta: draws.next() * 6 });
      }
      for (let qubit = layer % 2; qubit + 1 < numQubits; qubit += 2) {
        gates.push({ gate: 'CX', control: qubit, target: qubit + 1 });
      }
    }
    return circuitCase(family, {
      method: 'matrix_product_state',
      circuit: gates,
      shots: draws.spread(10, 2000),
    });
  },
  sparse: (draws, family) => {
    const numQubits = draws.whole(25, 60);
    const gates: Gate[] = [];
    for (let h = draws.whole(2, 14); h > 0; h--) {
      gates.push({ gate: 'H', qubit: draws.whole(0, numQubits - 1) });
    }
    for (let i = draws.spread(20, 400); i > 0; i--) {
      const [control, target] = draws.pair(numQubits);
      if (draws.next() < 0.2) gates.push({ gate: 'T', qubit: control });
      else gates.push({ gate: 'CX', control, target });
    }
    return circuitCase(family, {
      method: 'sparse',
      circuit: gates,
      shots: draws.spread(10, 10_000),
    });
  },
  'Pauli propagation': (draws, family) => {
    const numQubits = draws.whole(20, 60);
    const gates: Gate[] = [];
    for (let layer = draws.whole(1, 5); layer > 0; layer--) {
      for (let qubit = 0; qubit < numQubits; qubit++) {
        gates.push({ gate: 'RX', qubit, theta: draws.next() * 6 });
      }
      for (let qubit = layer % 2; qubit + 1 < numQubits; qubit += 2) {
        gates.push({ gate: 'RZZ', qubits: [qubit, qubit + 1], theta: draws.next() });
      }
    }
    const middle = Math.floor(numQubits / 2);
    return circuitCase(family, {
      method: 'pauli_propagation',
      circuit: gates,
      observables: [{ pauli: `Z${middle}` }, { pauli: `Z${middle} Z${middle + 1}` }],
      return: ['expectation'],
      shots: 1,
    });
  },
  'exact values': (draws, family) => {
    const numQubits = draws.whole(4, 18);
    return circuitCase(family, {
      method: 'statevector',
      circuit: rotations(draws, numQubits, draws.spread(2, 30)),
      observables: Array.from({ length: draws.spread(1, 30) }, () => {
        const [a, b] = draws.pair(numQubits);
        return { pauli: `${draws.of(['X', 'Y', 'Z'])}${a} ${draws.of(['X', 'Y', 'Z'])}${b}` };
      }),
      return: ['expectation'],
      shots: 1,
    });
  },
  'sweeps of up to 12 qubits': (draws, family) =>
    sweep(draws, family, draws.whole(2, 12), ['counts']),
  'sweeps of 13 to 16 qubits': (draws, family) =>
    sweep(draws, family, draws.whole(13, 16), ['counts']),
  'sweeps of exact values': (draws, family) =>
    sweep(draws, family, draws.whole(2, 12), ['expectation']),
  gradients: (draws, family) =>
    sweep(draws, family, draws.whole(2, 14), ['expectation', 'gradient']),
  experiments: (draws, family) => {
    const distance = draws.of([3, 5, 7]);
    const probability = 0.001 * draws.spread(1, 8);
    const stim = (draws.next() < 0.7 ? surfaceCodeText : repetition)(distance, probability);
    return {
      family,
      path: '/quantum/experiments',
      body: {
        tasks: [{ stim }],
        decoder: draws.of(['matching', 'matching', 'union_find']),
        max_shots: draws.spread(10_000, 100_000),
      },
    };
  },
};

function repetition(distance: number, probability: number): string {
  const noise = { ...NO_NOISE, beforeRoundDataDepolarization: probability };
  const code = { code: 'repetition_code', task: 'memory', distance, rounds: 3 * distance, noise };
  const made = generateStim(code);
  if ('problem' in made) throw new Error(made.problem);
  return made.text;
}

function sweep(draws: Draws, family: string, numQubits: number, outputs: readonly string[]): Case {
  const circuit = rotations(draws, numQubits, draws.spread(1, 8)).map((gate, i) =>
    i < numQubits ? { ...gate, theta: { input: `a${i % 3}` } } : gate,
  );
  const wide = 2 ** Math.max(0, numQubits - 8);
  const numPoints = draws.spread(Math.max(5, 20 / wide), Math.max(10, 4000 / wide));
  const inputs = Object.fromEntries(
    [0, 1, 2]
      .slice(0, Math.min(3, numQubits))
      .map((k) => [`a${k}`, Array.from({ length: numPoints }, () => draws.next() * 6)]),
  );
  const isSampled = outputs.includes('counts');
  const observables = [{ pauli: 'Z0' }, { pauli: 'X0 X1' }];
  return {
    family,
    path: '/quantum/batches',
    body: {
      ...QVM,
      programs: [{ circuit, inputs, return: outputs, ...(!isSampled && { observables }) }],
      ...(isSampled && { shots: draws.spread(10, 1000) }),
      array_format: 'base64',
    },
  };
}

/** Yields `numEach` requests of each family, families in turn. */
export function* casesOf(seed: number, numEach: number): Generator<Case, void, undefined> {
  for (let k = 0; k < numEach; k++) {
    for (const [f, [family, make]] of Object.entries(FAMILIES).entries()) {
      yield make(new Draws(seed + 1000 * k + f), family);
    }
  }
}
