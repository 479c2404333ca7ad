/** Circuits through the plug-ins for Qiskit, Cirq and PennyLane, against these frameworks' own simulators. */
import type { Area } from '../area.ts';
import type { Op } from '../circuits.ts';
import { countsDiffer, differs } from '../compare.ts';
import { askPython, hasPython } from '../python.ts';
import { TOLERANCE } from './circuit-check.ts';
import { randomGate } from './generate.ts';

interface ClientCase {
  readonly framework: 'qiskit' | 'cirq' | 'pennylane';
  readonly qubits: number;
  readonly ops: readonly Op[];
  /** Letters by qubit, that of qubit 0 last. */
  readonly pauli: string;
  readonly processor: string;
  readonly shots: number;
}

interface Found {
  readonly counts?: Readonly<Record<string, number>>;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly values: readonly number[];
  readonly exact: readonly number[];
}

/** Gates that all three have under one meaning. */
const NAMES = [
  'ID',
  'H',
  'X',
  'Y',
  'Z',
  'S',
  'SDG',
  'T',
  'TDG',
  'SX',
  'RX',
  'RY',
  'RZ',
  'P',
  'CX',
  'CZ',
  'CY',
  'CP',
  'CRX',
  'SWAP',
  'ISWAP',
  'RXX',
  'RZZ',
  'CCX',
  'CSWAP',
  'CH',
  'CCZ',
];

/** The area. */
export const clientsArea: Area<ClientCase> = {
  name: 'clients',
  generate(random) {
    const qubits = random.between(1, 4);
    return {
      framework: random.pick(['qiskit', 'cirq', 'pennylane']),
      qubits,
      ops: Array.from({ length: random.between(1, 12) }, () =>
        randomGate(random, qubits, { names: NAMES }),
      ),
      pauli: Array.from({ length: qubits }, () => random.pick([...'IXYZ'])).join(''),
      processor: random.pick(['statevector-sim', 'qvm']),
      shots: 1000,
    };
  },
  async check(each, { origin, key }) {
    if (!hasPython('clients')) return undefined;
    const { framework, ...request } = each;
    const message = await askPython(framework, { ...request, url: origin, key }).then(
      (value) => {
        const { counts, probabilities, values, exact } = value as Found;
        const labels = new Map(Object.entries(probabilities));
        const found = counts && countsDiffer(counts, labels, each.shots);
        return found ?? differs('values', values, exact, 100 * TOLERANCE['f64']!);
      },
      (error: Error) => error.message,
    );
    const facts = { request: each, answer: null, expected: null };
    return message === undefined
      ? undefined
      : {
          ...facts,
          kind: `wrong ${message.replaceAll(/[-\d.e]+/g, '').slice(0, 60)}`,
          message: `${framework}: ${message}`,
        };
  },
};
