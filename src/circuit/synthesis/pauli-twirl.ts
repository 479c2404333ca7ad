/**
 * Pauli twirling: random Paulis before each two-qubit Clifford gate, and after it those that undo them. The circuit stays
 * the same, up to a global phase. Averaged over seeds, noise after the gates becomes a Pauli channel.
 *
 * @see Wallman, Emerson, "Noise tailoring for scalable quantum computation via randomized compiling", Phys. Rev. A 94,
 *   052325 (2016).
 */
import { adjoint, maxAbsDifference, multiply } from '../../math/complex-matrix.ts';
import { uniformDraw } from '../../math/philox.ts';
import { type Circuit, type GateOperation, operationQubits, type Qubit } from '../circuit.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import type { GateSet } from './gate-set.ts';
import { synthesizeOne } from './unitary-gates.ts';

/** Gates that are twirled. */
export const TWIRLED_GATES: readonly string[] = ['CX', 'CZ', 'ECR', 'ISWAP'];

const PAULIS = ['ID', 'X', 'Y', 'Z'] as const;
const NUM_PAIRS = PAULIS.length ** 2;

/**
 * Returns the circuit with Paulis around its two-qubit Clifford gates. Those under a condition have theirs under the same
 * condition; gates of a verbatim box have none.
 *
 * @param seed - Decides which Paulis; a whole number up to 2^53 − 1.
 * @param set - Gates that the Paulis are written in, up to a global phase.
 */
export function twirled(circuit: Circuit, seed: number, set: GateSet): Circuit {
  let numTwirled = 0;
  const operations = circuit.operations.flatMap((operation) => {
    if (operation.kind !== 'gate' || !isTwirled(operation)) return [operation];
    const pair = Math.floor(NUM_PAIRS * uniformDraw(seed, 0, numTwirled++, 0));
    const qubits = operationQubits(operation);
    const { condition } = operation;
    const paulis = (of: number) =>
      pauliPair(of, qubits).flatMap((pauli) => {
        const gates = set.names.has(pauli.gate)
          ? [pauli]
          : synthesizeOne(matrixOfOperations([onFirst(pauli)], 1), pauli.targets[0]!, set)
              .operations;
        return condition === undefined ? gates : gates.map((gate) => ({ ...gate, condition }));
      });
    return [...paulis(pair), operation, ...paulis(imagesOf(operation.gate)[pair]!)];
  });
  return { ...circuit, operations };
}

const isTwirled = ({ gate, controls, targets, isVerbatim }: GateOperation): boolean =>
  TWIRLED_GATES.includes(gate) && controls.length + targets.length === 2 && !isVerbatim;

/** The Paulis of a pair that are not the identity. */
function pauliPair(pair: number, [first, second]: readonly Qubit[]): readonly GateOperation[] {
  return [
    [PAULIS[pair % 4]!, first!] as const,
    [PAULIS[Math.floor(pair / 4)]!, second!] as const,
  ].flatMap(([gate, qubit]): readonly GateOperation[] =>
    gate === 'ID' ? [] : [{ kind: 'gate', gate, controls: [], targets: [qubit], angles: [] }],
  );
}

const onFirst = (gate: GateOperation): GateOperation => ({ ...gate, targets: [0] });

const known = new Map<string, readonly number[]>();

/** For each pair of Paulis P the pair Q with U·P = ±Q·U. */
function imagesOf(gate: string): readonly number[] {
  let images = known.get(gate);
  if (images === undefined) {
    images = findImages(gate);
    known.set(gate, images);
  }
  return images;
}

function findImages(gate: string): readonly number[] {
  const [controls, targets] = gate.startsWith('C') ? [[0], [1]] : [[], [0, 1]];
  const unitary = matrixOfOperations([{ kind: 'gate', gate, controls, targets, angles: [] }], 2);
  const pairs = Array.from({ length: NUM_PAIRS }, (_, pair) =>
    matrixOfOperations(pauliPair(pair, [0, 1]), 2),
  );
  return pairs.map((pauli) => {
    const image = multiply(multiply(unitary, pauli), adjoint(unitary));
    const found = pairs.findIndex((other) =>
      [1, -1].some(
        (sign) =>
          maxAbsDifference(
            image,
            other.map((x) => sign * x),
          ) < 1e-9,
      ),
    );
    if (found < 0) throw new Error(`unreachable: ${gate} is no Clifford gate`);
    return found;
  });
}
