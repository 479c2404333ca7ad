/** Random circuits for property tests: every gate of the table, any operands, measured bits only. */
import fc from 'fast-check';
import type { Circuit, Condition, Operation } from '../../src/circuit/circuit.ts';
import type { Bit } from '../../src/circuit/classical-expression.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { withoutIdleResets } from '../../src/circuit/idle-resets.ts';
import { type ComplexMatrix, multiply } from '../../src/math/complex-matrix.ts';

const angle = fc.double({ min: -10, max: 10, noNaN: true });

/** A unitary that is no tensor product: phases, a permutation and rotations, multiplied. */
function unitaryFrom(numTargets: number, angles: readonly number[]): ComplexMatrix {
  const d = 2 ** numTargets;
  let out: ComplexMatrix = new Float64Array(2 * d * d);
  for (let i = 0; i < d; i++) {
    const theta = angles[i % angles.length]! * (i + 1);
    const at = 2 * (i * d + ((i + 1) % d));
    out[at] = Math.cos(theta);
    out[at + 1] = Math.sin(theta);
  }
  for (let i = 0; i + 1 < d; i++) {
    const theta = angles[i % angles.length]!;
    const rotation: ComplexMatrix = new Float64Array(2 * d * d);
    for (let j = 0; j < d; j++) rotation[2 * (j * d + j)] = 1;
    rotation[2 * (i * d + i)] = Math.cos(theta);
    rotation[2 * ((i + 1) * d + i + 1)] = Math.cos(theta);
    rotation[2 * (i * d + i + 1)] = -Math.sin(theta);
    rotation[2 * ((i + 1) * d + i)] = Math.sin(theta);
    out = multiply(rotation, out);
  }
  return out;
}

/** Raw material of one operation; what it may refer to depends on what came before. */
const seed = fc.record({
  kind: fc.constantFrom('gate', 'gate', 'gate', 'unitary', 'measure', 'reset', 'barrier'),
  gate: fc.nat(GATES.length - 1),
  order: fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
  count: fc.nat(100),
  angles: fc.array(angle, { minLength: 5, maxLength: 5 }),
  conditionBits: fc.nat(3),
  isConditioned: fc.boolean(),
  value: fc.nat(1000),
});

/** Circuits on 5 to 8 qubits, as they are read. */
export const circuits: fc.Arbitrary<Circuit> = fc
  .record({
    numQubits: fc.integer({ min: 5, max: 8 }),
    seeds: fc.array(seed, { minLength: 1, maxLength: 20 }),
  })
  .map(({ numQubits, seeds }) => {
    const operations: Operation[] = [];
    const written = new Set<Bit>();
    for (const { kind, gate, order, count, angles, ...rest } of seeds) {
      const qubits = Array.from({ length: numQubits }, (_, i) => i).sort(
        (a, b) => order[a]! - order[b]! || a - b,
      );
      const bits = [...written].slice(0, rest.conditionBits + 1);
      const condition: { condition?: Condition } =
        rest.isConditioned && bits.length > 0
          ? { condition: { bits, value: rest.value % 2 ** bits.length } }
          : {};
      const some = qubits.slice(0, 1 + (count % numQubits));
      switch (kind) {
        case 'gate': {
          const { name, numControls, numTargets, parameters } = GATES[gate]!;
          const used = numControls + numTargets;
          const further = qubits.slice(used, used + (count % 3));
          operations.push({
            kind: 'gate',
            gate: name,
            controls: [...qubits.slice(0, numControls), ...further],
            targets: qubits.slice(numControls, used),
            angles: angles.slice(0, parameters.length),
            ...condition,
          });
          break;
        }
        case 'unitary': {
          const numTargets = 1 + (count % 3);
          operations.push({
            kind: 'unitary',
            controls: qubits.slice(numTargets, numTargets + (count % 2)),
            targets: qubits.slice(0, numTargets),
            matrix: unitaryFrom(numTargets, angles),
            ...condition,
          });
          break;
        }
        case 'measure': {
          const into = some.map((_, i) => (order[i]! % 7) * 8 + i);
          for (const bit of into) written.add(bit);
          operations.push({ kind: 'measure', qubits: some, bits: into, ...condition });
          break;
        }
        case 'reset':
          operations.push({ kind: 'reset', qubits: some, ...condition });
          break;
        default:
          operations.push({ kind: 'barrier', qubits: some });
      }
    }
    return withoutIdleResets({ numQubits, numBits: Math.max(-1, ...written) + 1, operations });
  });
