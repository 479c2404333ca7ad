/** The same circuit by every method that takes it. */
import { type Area, judged, type Wrong } from '../area.ts';
import type { Op } from '../circuits.ts';
import { bodyOf, type CircuitCase, checkCircuit } from './circuit-check.ts';
import { randomGate, randomObservables, someOf } from './generate.ts';
import { dynamicOps, withFinal } from './noise.ts';

interface MethodsCase extends CircuitCase {
  readonly methods: readonly string[];
  /** Cuts the bonds of matrix product states: only the norm of their values is checked. */
  readonly cut?: number;
}

const COMMON = ['counts', 'memory', 'probabilities', 'expectation'];
const FEW = ['T', 'TDG', 'RZ', 'P', 'RX', 'CP', 'CCX', 'CCZ', 'CS'];

/** The area. */
export const methodsArea: Area<MethodsCase> = {
  name: 'methods',
  generate(random) {
    const kind = random.pick(['clifford', 'near', 'any', 'dynamic', 'cut'] as const);
    const qubits =
      kind === 'cut' ? random.between(5, 8) : random.between(1, kind === 'any' ? 6 : 4);
    const clifford =
      kind === 'clifford' || kind === 'near' || (kind === 'dynamic' && random.chance(0.5));
    const length = kind === 'cut' ? 40 : random.between(1, 16);
    const isStatic = kind !== 'dynamic';
    const ops = dynamicOps(random, qubits, {
      isNew: false,
      channels: false,
      clifford,
      isStatic,
      length,
    }).filter(
      // Matrix product states take one and two qubits, and near-Clifford circuits no wide matrix.
      (op) => kind !== 'near' || op.op !== 'unitary',
    );
    if (kind === 'near') {
      for (let i = random.between(1, 3); i > 0; i--) {
        const few = randomGate(random, qubits, { names: FEW });
        ops.splice(random.between(0, ops.length), 0, few);
      }
    }
    const names: Readonly<Record<typeof kind, readonly string[]>> = {
      clifford: ['statevector', 'density_matrix', 'stabilizer', 'matrix_product_state', 'sparse'],
      near: ['stabilizer', 'statevector', 'sparse'],
      any: ['matrix_product_state', 'statevector', 'density_matrix', 'sparse'],
      dynamic: [
        'statevector',
        'density_matrix',
        'matrix_product_state',
        'sparse',
        ...(clifford ? ['stabilizer'] : []),
      ],
      cut: ['matrix_product_state'],
    };
    const whole: Op[] =
      kind === 'dynamic' || random.chance(0.5) ? withFinal(random, 'json', qubits, ops) : ops;
    const outputs = kind === 'dynamic' ? ['counts', 'memory'] : COMMON;
    return {
      circuit: { form: 'json', qubits, ops: whole },
      processor: 'qvm',
      methods: names[kind],
      outputs: kind === 'cut' ? ['probabilities'] : someOf(random, outputs),
      observables: randomObservables(random, qubits),
      basisStates: [],
      shots: 2000,
      seed: random.below(1e9),
      ...(kind === 'cut' && { cut: random.pick([2, 3, 4, 8]) }),
    };
  },
  async check(each, service): Promise<Wrong | undefined> {
    for (const method of each.methods) {
      if (each.cut === undefined) {
        const wrong = await checkCircuit({ ...each, method }, service);
        if (wrong) return { ...wrong, message: `${method}: ${wrong.message}` };
        continue;
      }
      const body = { ...bodyOf({ ...each, method }), max_bond_dimension: each.cut };
      const wrong = await judged(
        service,
        'circuits',
        body,
        ({ probabilities }) => {
          const values = Object.values(probabilities as Record<string, number>);
          const total = values.reduce((sum, p) => sum + p, 0);
          return Math.abs(total - 1) < 1e-9 ? undefined : `probabilities sum to ${total}`;
        },
        1,
      );
      if (wrong) return wrong;
    }
    return undefined;
  },
};
