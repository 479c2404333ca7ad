/**
 * Estimates expectation values from counts, basis by basis, as on a device.
 *
 * Terms that agree on every qubit that they share are estimated from the same shots. The terms of an
 * observable are grouped greedily, and each group is a circuit that ends in its measurement basis.
 */
import type { Circuit, Operation } from '../../../circuit/circuit.ts';
import type { PauliFactor, PauliSum } from '../../../circuit/observable.ts';
import { uniformDraw } from '../../../math/philox.ts';
import type { CircuitRunner } from '../../procedures/procedure-context.ts';
import { gateOperation as gate } from '../gate-operation.ts';

/** Estimates with their standard errors, circuit after circuit. */
export interface SampledEnergies {
  readonly values: Float64Array;
  readonly standardErrors: Float64Array;
}

/** Estimates of one observable in many circuits of a shape without measurements. */
export type EnergySampler = (
  shape: Circuit,
  angles: Float64Array,
  numCircuits: number,
) => Promise<SampledEnergies>;

/** Terms estimated from the same shots. */
interface TermGroup {
  readonly basis: ReadonlyMap<number, PauliFactor['pauli']>;
  /** The observable's value for each outcome's parity over `qubits`. */
  readonly terms: readonly { readonly coefficient: number; readonly qubits: readonly number[] }[];
}

/** Separates seeds of samples from other draws with the same seed. */
const SAMPLE_SEEDS = 0x5a3b1e;

/**
 * Makes a sampler of an observable; each call draws anew.
 *
 * @param shots - Number of shots of each circuit in each basis.
 */
export function energySampler(
  circuits: Pick<CircuitRunner, 'runBatch'>,
  observable: PauliSum,
  shots: number,
  seed: number,
): EnergySampler {
  const groups = termGroups(observable);
  const offset = observable
    .filter(({ factors }) => factors.length === 0)
    .reduce((sum, { coefficient }) => sum + coefficient, 0);
  const shapes = new Map<Circuit, readonly Circuit[]>();
  let numCalls = 0;
  return async (shape, angles, numCircuits) => {
    const measured = shapes.get(shape) ?? groups.map((group) => measuredIn(group, shape));
    shapes.set(shape, measured);
    const values = new Float64Array(numCircuits).fill(offset);
    const variances = new Float64Array(numCircuits);
    const call = numCalls++;
    for (const [g, group] of groups.entries()) {
      const seeds = Float64Array.from({ length: numCircuits }, (_, i) =>
        Math.floor(uniformDraw(seed, call, SAMPLE_SEEDS + g, i) * 2 ** 52),
      );
      const request = { numCircuits, angles, shots, seeds };
      const { counts } = await circuits.runBatch(measured[g]!, request);
      if (counts === undefined) throw new Error('unreachable: no counts came back');
      addGroup(group, counts, shots, values, variances);
    }
    return { values, standardErrors: variances.map(Math.sqrt) };
  };
}

/** Number of circuits per estimate: one for each measurement basis. */
export function numBases(observable: PauliSum): number {
  return termGroups(observable).length;
}

function termGroups(observable: PauliSum): readonly TermGroup[] {
  const groups: {
    basis: Map<number, PauliFactor['pauli']>;
    terms: TermGroup['terms'][number][];
  }[] = [];
  for (const { coefficient, factors } of observable) {
    if (factors.length === 0) continue;
    const fits = ({ basis }: (typeof groups)[number]) =>
      factors.every(({ pauli, qubit }) => (basis.get(qubit) ?? pauli) === pauli);
    let group = groups.find(fits);
    if (group === undefined) {
      group = { basis: new Map(), terms: [] };
      groups.push(group);
    }
    for (const { pauli, qubit } of factors) group.basis.set(qubit, pauli);
    group.terms.push({ coefficient, qubits: factors.map(({ qubit }) => qubit) });
  }
  return groups;
}

/** The shape with rotations to the group's basis and measurements, qubit q into bit q. */
function measuredIn({ basis }: TermGroup, shape: Circuit): Circuit {
  const turns = [...basis].flatMap(([qubit, pauli]): readonly Operation[] => {
    if (pauli === 'Z') return [];
    return pauli === 'X' ? [gate('H', [qubit])] : [gate('SDG', [qubit]), gate('H', [qubit])];
  });
  const qubits = Array.from({ length: shape.numQubits }, (_, qubit) => qubit);
  const measure: Operation = { kind: 'measure', qubits, bits: qubits };
  return {
    ...shape,
    numBits: shape.numQubits,
    operations: [...shape.operations, ...turns, measure],
  };
}

/** Adds a group's mean to the values, and the variance of that mean to the variances. */
function addGroup(
  { terms }: TermGroup,
  counts: Uint32Array,
  shots: number,
  values: Float64Array,
  variances: Float64Array,
): void {
  const numOutcomes = counts.length / values.length;
  const ofOutcome = Float64Array.from({ length: numOutcomes }, (_, outcome) =>
    terms.reduce((sum, { coefficient, qubits }) => {
      const parity = qubits.reduce((odd, qubit) => odd ^ ((outcome >> qubit) & 1), 0);
      return sum + (parity === 0 ? coefficient : -coefficient);
    }, 0),
  );
  for (let circuit = 0; circuit < values.length; circuit++) {
    let [mean, meanSquare] = [0, 0];
    for (let outcome = 0; outcome < numOutcomes; outcome++) {
      const part = counts[circuit * numOutcomes + outcome]! / shots;
      mean += part * ofOutcome[outcome]!;
      meanSquare += part * ofOutcome[outcome]! ** 2;
    }
    values[circuit]! += mean;
    variances[circuit]! += Math.max(0, meanSquare - mean ** 2) / shots;
  }
}
