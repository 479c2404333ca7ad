/**
 * A rotated surface code keeps a logical 0 for as many rounds as its distance, under depolarizing noise. Needs only
 * Node 24:
 *
 *     QCS_API_KEY=qcs_… node examples/surface-code.ts 5 0.002
 *
 * The arguments are the distance, odd, and the probability of an error after each CX and in each reading. Checks are
 * measured and reset in each round; where one differs from the round before, a detection event is counted. A decoder,
 * which is not part of this example, would tell from these events whether the logical value was flipped.
 *
 * @see Fowler, Mariantoni, Martinis, Cleland, "Surface codes: towards practical large-scale quantum computation" (2012).
 */
// In a project of your own: import … from 'quantum-compute-service/client'.
import { type GateObjectInput, QcsClient } from '../src/client/client.ts';

const SHOTS = 2000;
const [distance = 3, p = 0.002] = process.argv.slice(2).map(Number);
const data = (row: number, column: number) => row * distance + column;
const isInside = (place: number) => place >= 0 && place < distance;

/** A check of the parity of up to four neighbours, which lie around the corner `row`, `column`. */
interface Check {
  readonly qubit: number;
  readonly isOfZ: boolean;
  /** In the order of the gates; undefined beyond the edge. */
  readonly neighbours: readonly (number | undefined)[];
}

const checks: Check[] = [];
for (let row = 0; row <= distance; row++) {
  for (let column = 0; column <= distance; column++) {
    const isOfZ = (row + column) % 2 === 1;
    const [atTop, atSide] = [row % distance === 0, column % distance === 0];
    // X checks lie along the top and bottom, Z checks along the sides.
    if ((atTop && atSide) || (atTop && isOfZ) || (atSide && !isOfZ)) continue;
    const [nw, ne, sw, se] = [
      [-1, -1],
      [-1, 0],
      [0, -1],
      [0, 0],
    ].map(([y = 0, x = 0]) =>
      isInside(row + y) && isInside(column + x) ? data(row + y, column + x) : undefined,
    );
    // An error of a check's qubit then spreads across the direction of the logical operator.
    const neighbours = isOfZ ? [nw, sw, ne, se] : [nw, ne, sw, se];
    checks.push({ qubit: distance ** 2 + checks.length, isOfZ, neighbours });
  }
}

const gates: GateObjectInput[] = [];
const turnChecksOfX = () => {
  for (const { qubit, isOfZ } of checks) if (!isOfZ) gates.push({ gate: 'H', qubit });
};
for (let round = 0; round < distance; round++) {
  turnChecksOfX();
  for (let layer = 0; layer < 4; layer++) {
    for (const { qubit, isOfZ, neighbours } of checks) {
      const other = neighbours[layer];
      if (other === undefined) continue;
      gates.push({ gate: 'CX', control: isOfZ ? other : qubit, target: isOfZ ? qubit : other });
    }
  }
  turnChecksOfX();
  const qubits = checks.map(({ qubit }) => qubit);
  gates.push({ gate: 'M', qubits }, { gate: 'RESET', qubits });
}
const dataQubits = Array.from({ length: distance ** 2 }, (_, qubit) => qubit);
gates.push({ gate: 'M', qubits: dataQubits });

const client = new QcsClient({
  baseUrl: process.env['QCS_URL'] ?? 'http://127.0.0.1:8080',
  key: process.env['QCS_API_KEY'] ?? '',
});
const { memory = [], ...record } = await client.circuits.run({
  circuit: gates,
  target_processor: 'qvm',
  shots: SHOTS,
  seed: 7,
  return: ['memory'],
  noise: {
    gates: [{ gates: ['CX'], channel: { type: 'depolarizing', probability: p, num_qubits: 2 } }],
    readout: [{ p1_given_0: p, p0_given_1: p }],
  },
});

/** A bit of a label, which is a hexadecimal number where it has more than 64 bits. */
function bitOf(label: string, bit: number): number {
  if (record.label_format !== 'hex') return Number(label.at(-1 - bit));
  return (Number.parseInt(label.at(-1 - (bit >> 2)) ?? '0', 16) >> (bit & 3)) & 1;
}

let numEvents = 0;
let numFlipped = 0;
const firstOfData = checks.length * distance;
for (const label of memory) {
  const parityOf = (qubits: readonly (number | undefined)[]) =>
    qubits.reduce<number>(
      (sum, qubit) => sum ^ (qubit === undefined ? 0 : bitOf(label, firstOfData + qubit)),
      0,
    );
  for (const [k, { isOfZ, neighbours }] of checks.entries()) {
    if (!isOfZ) continue;
    const readings = Array.from({ length: distance }, (_, round) =>
      bitOf(label, round * checks.length + k),
    );
    const all = [0, ...readings, parityOf(neighbours)];
    for (let i = 1; i < all.length; i++) numEvents += all[i] === all[i - 1] ? 0 : 1;
  }
  numFlipped += parityOf(Array.from({ length: distance }, (_, column) => data(0, column)));
}
const numDetectors = (SHOTS * (distance + 1) * checks.length) / 2;
console.log(`${record.method}: ${record.qubits} qubits, ${distance} rounds, ${SHOTS} shots`);
console.log(`detection events ${((100 * numEvents) / numDetectors).toFixed(2)} %`);
console.log(`logical flips before decoding ${((100 * numFlipped) / SHOTS).toFixed(2)} %`);
