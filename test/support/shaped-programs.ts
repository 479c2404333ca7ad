/** Circuits with parameters, and the programs that their shapes give for many angles. */
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { angleKinds } from '../../src/compiler/parametric.ts';
import type { Program, TargetProfile } from '../../src/compiler/program.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { gate, randomGates } from './random-circuits.ts';
import { RandomStream } from './random-stream.ts';

/** A program of a shape, and the circuit that it is of. */
export interface ShapedProgram {
  readonly program: Program;
  readonly circuit: Circuit;
  /** Number of its angles among those that are tried. */
  readonly trial: number;
}

/** Layers of one gate each, or random gates. */
export function shapedCircuit(seed: number, numQubits: number): Circuit {
  const stream = new RandomStream(7000 + seed);
  const operations =
    seed % 2 === 0 ? layeredGates(stream, numQubits) : randomGates(stream, numQubits, 40, 3);
  return { numQubits, numBits: 0, operations };
}

/** Layers of one gate each on all qubits or pairs, whose tangents and phases have every form there is. */
function layeredGates(stream: RandomStream, numQubits: number): readonly Operation[] {
  const names = ['RX', 'RY', 'RZ', 'U', 'H', 'RXX', 'RYY', 'RZZ', 'CX', 'CRX', 'CRY', 'CP'];
  const operations: Operation[] = [];
  for (let layer = 0; layer < 8; layer++) {
    const name = stream.pick(names);
    const order = stream.distinct(numQubits, numQubits);
    const numAngles = { H: 0, CX: 0, U: 3 }[name] ?? 1;
    const isShared = stream.below(3) === 0;
    const shared = stream.angle();
    const angles = () =>
      Array.from({ length: numAngles }, () => (isShared ? shared : stream.angle()));
    if (name.length < 3 && name !== 'CX' && name !== 'CP') {
      for (const qubit of order) operations.push(gate(name, [qubit], [], angles()));
      continue;
    }
    for (let i = 0; i + 1 < numQubits; i += 2) {
      const [a, b] = [order[i]!, order[i + 1]!];
      const isPair = name.startsWith('R');
      operations.push(isPair ? gate(name, [a, b], [], angles()) : gate(name, [a], [b], angles()));
    }
  }
  return operations;
}

/** Programs of a circuit's shape, at random and at special angles; those that need another form are missing. */
export function programsOf(
  circuit: Circuit,
  target: TargetProfile,
  seed: number,
): readonly ShapedProgram[] {
  const { slots, values } = angleKinds(anglesOf(circuit));
  const shape = compileShape(circuit, { slots }, target);
  return valuesToTry(seed, values).flatMap((each, trial) => {
    const program = shape.bind(each);
    if (program === undefined) return [];
    return [{ program, circuit: withValues(circuit, slots, each), trial }];
  });
}

function valuesToTry(seed: number, own: readonly number[]): readonly (readonly number[])[] {
  const stream = new RandomStream(seed);
  const { PI } = Math;
  const special = [0, PI, -PI, PI / 2, PI - 1e-9, 2 * PI, 1e-9, 1e-17, 3e-4, PI - 1e-4, 0.3];
  return [
    own,
    own.map(() => (stream.below(4) === 0 ? stream.pick(special) : stream.angle())),
    own.map(() => stream.pick(special)),
    own.map(() => 0),
    own.map(() => PI),
    own.map(() => stream.angle()),
  ];
}

/** The circuit with other angles in place of its parameters. */
export function withValues(
  circuit: Circuit,
  slots: Int32Array,
  values: readonly number[],
): Circuit {
  let next = 0;
  const operations = circuit.operations.map((operation): Operation => {
    if (operation.kind !== 'gate') return operation;
    const angles = operation.angles.map((angle) => values[slots[next++]!] ?? angle);
    return { ...operation, angles };
  });
  return { ...circuit, operations };
}
