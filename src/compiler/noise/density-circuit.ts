/**
 * A circuit on density matrices: twice the qubits, those of the rows first. A gate U acts as U on the rows and as its
 * conjugate on the columns; a channel is a linear map on both.
 */
import type {
  Condition,
  DynamicCircuit,
  DynamicOperation,
  GateOperation,
  Operation,
  Qubit,
  UnitaryOperation,
} from '../../circuit/circuit.ts';
import type { Channel, KrausChannel } from '../../circuit/noise/channel.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import { type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import type { LinearMap } from './linear-map.ts';
import { partsOf, superoperatorOf } from './superoperator.ts';

/** Returns a qubit to |0⟩. */
const RESET: KrausChannel = {
  kind: 'kraus',
  numQubits: 1,
  matrices: [Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0), Float64Array.of(0, 0, 1, 0, 0, 0, 0, 0)],
};

/** The circuit on rows and columns. Resets become channels, so that they draw nothing. */
export function densityCircuit(circuit: DynamicCircuit): DynamicCircuit {
  const operations = new Doubler(circuit.numQubits).doubled(circuit.operations);
  return { ...circuit, numQubits: 2 * circuit.numQubits, operations };
}

/** A channel on one qubit that the next one on it is multiplied onto. */
interface OpenChannel {
  superoperator: ComplexMatrix;
}

class Doubler {
  readonly #numQubits: number;
  readonly #superoperators = new Map<Channel, ComplexMatrix>();
  /** Matrices of gates without angles, conjugated. */
  readonly #conjugates = new Map<ComplexMatrix, ComplexMatrix>();

  constructor(numQubits: number) {
    this.#numQubits = numQubits;
  }

  doubled(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
    const out: (DynamicOperation | { readonly qubit: Qubit; readonly open: OpenChannel })[] = [];
    const open = new Map<Qubit, OpenChannel>();
    const addChannel = (
      qubits: readonly Qubit[],
      superoperator: ComplexMatrix,
      condition: Condition | undefined,
    ) => {
      const [qubit] = qubits as [Qubit];
      if (qubits.length > 1 || condition !== undefined) {
        for (const each of qubits) open.delete(each);
        out.push(...this.#maps(qubits, superoperator, condition));
        return;
      }
      const earlier = open.get(qubit);
      if (earlier !== undefined) {
        earlier.superoperator = multiply(superoperator, earlier.superoperator);
        return;
      }
      const channel = { superoperator };
      open.set(qubit, channel);
      out.push({ qubit, open: channel });
    };
    for (const operation of operations) {
      switch (operation.kind) {
        case 'noise':
          addChannel(
            operation.qubits,
            this.#superoperatorOf(operation.channel),
            operation.condition,
          );
          break;
        case 'reset':
          for (const qubit of operation.qubits) {
            addChannel([qubit], this.#superoperatorOf(RESET), operation.condition);
          }
          break;
        case 'gate':
        case 'unitary':
          for (const qubit of operation.controls) open.delete(qubit);
          for (const qubit of operation.targets) open.delete(qubit);
          out.push(...this.#gates(operation));
          break;
        case 'measure': {
          for (const qubit of operation.qubits) open.delete(qubit);
          const { qubits, bits } = operation;
          const all = [...qubits, ...qubits.map((qubit) => this.#column(qubit))];
          out.push({ ...operation, qubits: all, bits: [...bits, ...bits] });
          break;
        }
        case 'while':
          open.clear();
          out.push({ ...operation, body: this.doubled(operation.body) });
          break;
        case 'barrier':
          // Only passes heed barriers, and they are done.
          break;
        case 'assign':
        case 'misread':
          out.push(operation);
          break;
      }
    }
    return out.flatMap((each): readonly DynamicOperation[] =>
      'open' in each ? this.#maps([each.qubit], each.open.superoperator, undefined) : [each],
    );
  }

  readonly #column = (qubit: Qubit): Qubit => this.#numQubits + qubit;

  #superoperatorOf(channel: Channel): ComplexMatrix {
    const known = this.#superoperators.get(channel);
    if (known !== undefined) return known;
    const superoperator = superoperatorOf(channel);
    this.#superoperators.set(channel, superoperator);
    return superoperator;
  }

  #maps(
    qubits: readonly Qubit[],
    superoperator: ComplexMatrix,
    condition: Condition | undefined,
  ): readonly LinearMap[] {
    const targets = [...qubits, ...qubits.map(this.#column)];
    return partsOf(superoperator).map((part) => ({
      kind: 'unitary',
      controls: [],
      targets,
      ...part,
      ...(condition === undefined ? {} : { condition }),
    }));
  }

  #gates(operation: GateOperation | UnitaryOperation): readonly Operation[] {
    const controls = operation.controls.map(this.#column);
    const targets = operation.targets.map(this.#column);
    const matrix = targetMatrix(operation);
    const isReal = matrix.every((x, i) => i % 2 === 0 || x === 0);
    if (isReal) return [operation, { ...operation, controls, targets }];
    const { condition } = operation;
    return [
      operation,
      {
        kind: 'unitary',
        controls,
        targets,
        matrix: this.#conjugate(matrix),
        ...(condition === undefined ? {} : { condition }),
      },
    ];
  }

  #conjugate(matrix: ComplexMatrix): ComplexMatrix {
    const known = this.#conjugates.get(matrix);
    if (known !== undefined) return known;
    const conjugate = matrix.map((x, i) => (i % 2 === 0 ? x : -x));
    this.#conjugates.set(matrix, conjugate);
    return conjugate;
  }
}
