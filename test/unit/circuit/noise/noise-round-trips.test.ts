/** Noise through every form of a circuit: JSON, OpenQASM, and the form that crosses to workers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  DynamicCircuit,
  MisreadOperation,
  NoiseOperation,
  Operation,
} from '../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../src/circuit/errors.ts';
import { noisyCircuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { gateObjectsFromCircuit } from '../../../../src/circuit/gate-objects-from-circuit.ts';
import { type Channel, krausMatrices } from '../../../../src/circuit/noise/channel.ts';
import type { ChannelObject } from '../../../../src/circuit/noise/channel-object.ts';
import { readChannel } from '../../../../src/circuit/noise/read-channel.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../../../src/circuit/openqasm/print-openqasm.ts';
import { circuitOf, serializeCircuit } from '../../../../src/fleet/workers/sent-circuit.ts';

const limits = { maxQubits: 8, maxGates: 1000 };
const RUNS = { seed: 22, numRuns: 100 };
/** No number so small that a channel is as good as none. */
const fraction = fc.integer({ min: 0, max: 1_000_000 }).map((parts) => parts / 1_000_000);
const pauliStrings = (numQubits: number) =>
  fc
    .array(fc.constantFrom(...'IXYZ'), { minLength: numQubits, maxLength: numQubits })
    .map((letters) => letters.join(''));

/** Channels on so many qubits. */
function channels(numQubits: number): fc.Arbitrary<ChannelObject> {
  const depolarizing = fraction.map((probability): ChannelObject => {
    return { type: 'depolarizing', probability, num_qubits: numQubits };
  });
  const pauli = fc
    .uniqueArray(pauliStrings(numQubits), { minLength: 1, maxLength: 4 })
    .chain((strings) =>
      fc.tuple(...strings.map(() => fraction)).map((weights): ChannelObject => {
        const each = weights.map((weight) => weight / strings.length);
        return {
          type: 'pauli',
          probabilities: Object.fromEntries(strings.map((letters, i) => [letters, each[i]!])),
        };
      }),
    );
  if (numQubits > 1) return fc.oneof(depolarizing, pauli);
  const named = fc.constantFrom('bit_flip', 'phase_flip', 'bit_phase_flip', 'reset');
  return fc.oneof(
    depolarizing,
    pauli,
    fc.record({ type: named, probability: fraction }),
    fc.record({ type: fc.constantFrom('amplitude_damping', 'phase_damping'), gamma: fraction }),
    fc.record({
      type: fc.constant('generalized_amplitude_damping' as const),
      gamma: fraction,
      excited: fraction,
    }),
    fc.record({
      type: fc.constant('thermal_relaxation' as const),
      t1_us: fc.double({ min: 1, max: 100, noNaN: true }),
      t2_us: fc.double({ min: 0.1, max: 2, noNaN: true }),
      duration_ns: fraction.map((part) => 1e6 * part),
      excited: fraction,
    }),
  );
}

const noise = fc.integer({ min: 1, max: 3 }).chain((numQubits) =>
  fc.record({
    channel: channels(numQubits).map((object): Channel | undefined => {
      const faults = new FaultList();
      const found = readChannel(object, numQubits, '', faults);
      expect(faults.kept).toEqual([]);
      return found!.channel;
    }),
    qubits: fc.shuffledSubarray([0, 1, 2, 3], { minLength: numQubits, maxLength: numQubits }),
    isConditional: fc.boolean(),
  }),
);

type Entry = Operation | NoiseOperation;

/** Circuits that measure, then have channels between gates. */
const circuits = fc.array(noise, { minLength: 1, maxLength: 6 }).map((list) => {
  const operations: Entry[] = [{ kind: 'measure', qubits: [3], bits: [0] }];
  for (const { channel, qubits, isConditional } of list) {
    operations.push({ kind: 'gate', gate: 'H', controls: [], targets: [qubits[0]!], angles: [] });
    if (channel === undefined) continue;
    const condition = { bits: [0], value: 1 };
    operations.push({ kind: 'noise', qubits, channel, ...(isConditional && { condition }) });
  }
  return { numQubits: 4, numBits: 1, operations };
});

describe('noise is the same after a trip', () => {
  test('through gate objects as JSON', () => {
    fc.assert(
      fc.property(circuits, (circuit) => {
        const objects = JSON.parse(JSON.stringify(gateObjectsFromCircuit(circuit)));
        const again = noisyCircuitFromGateObjects(objects, { limits, numQubits: 4 });
        expect(again).toEqual(circuit);
      }),
      RUNS,
    );
  });

  test('to a worker', () => {
    fc.assert(
      fc.property(circuits, (circuit) => {
        const misread: MisreadOperation = {
          kind: 'misread',
          bits: [0],
          p1Given0: 0.1,
          p0Given1: 0.2,
        };
        const sent: DynamicCircuit = { ...circuit, operations: [...circuit.operations, misread] };
        expect(circuitOf(serializeCircuit(sent))).toEqual(sent);
      }),
      RUNS,
    );
  });

  test('through OpenQASM 3, where a channel keeps what it does', () => {
    fc.assert(
      fc.property(circuits, fc.boolean(), (circuit, isPhysical) => {
        const text = printOpenQasm(circuit, '3', isPhysical);
        const { circuit: again } = readOpenQasm(text, limits);
        expect(again.operations.map(withoutChannel)).toEqual(
          circuit.operations.map(inOrderOf(again.operations)).map(withoutChannel),
        );
        for (const [i, operation] of circuit.operations.entries()) {
          const other = again.operations[i]!;
          if (operation.kind !== 'noise' || other.kind !== 'noise') continue;
          const found = choiOn(other, operation.qubits);
          const wanted = choiOn(operation, operation.qubits);
          const worst = Math.max(...found.map((entry, j) => Math.abs(entry - wanted[j]!)));
          expect(worst).toBeLessThan(1e-14);
        }
      }),
      RUNS,
    );
  });
});

const withoutChannel = (operation: object) =>
  'channel' in operation ? { ...operation, channel: undefined } : operation;

/** A text may name the operands of a channel in another order. */
const inOrderOf =
  (others: DynamicCircuit['operations']) =>
  (operation: Entry, i: number): Entry => {
    const other = others[i];
    if (operation.kind !== 'noise' || other?.kind !== 'noise') return operation;
    return { ...operation, qubits: other.qubits };
  };

/** Σ K_ij·K*_kl with the qubits of indices in a given order. */
function choiOn({ qubits, channel }: NoiseOperation, order: readonly number[]): readonly number[] {
  const d = 2 ** qubits.length;
  const moved = (index: number) =>
    qubits.reduce(
      (sum, qubit, i) => sum + (Math.floor(index / 2 ** i) % 2) * 2 ** order.indexOf(qubit),
      0,
    );
  const out = new Array<number>(2 * d ** 4).fill(0);
  for (const matrix of krausMatrices(channel)) {
    const flat = new Float64Array(matrix.length);
    for (let at = 0; at < d * d; at++) {
      const to = moved(Math.floor(at / d)) * d + moved(at % d);
      flat.set(matrix.subarray(2 * at, 2 * at + 2), 2 * to);
    }
    for (let a = 0; a < d * d; a++) {
      const [ar, ai] = [flat[2 * a]!, flat[2 * a + 1]!];
      if (ar === 0 && ai === 0) continue;
      for (let b = 0; b < d * d; b++) {
        const [br, bi] = [flat[2 * b]!, flat[2 * b + 1]!];
        out[2 * (a * d * d + b)]! += ar * br + ai * bi;
        out[2 * (a * d * d + b) + 1]! += ai * br - ar * bi;
      }
    }
  }
  return out;
}
