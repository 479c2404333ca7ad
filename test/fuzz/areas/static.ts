/** Circuits without measurement in the middle: every gate in every form, and every output. */
import type { Area, Wrong } from '../area.ts';
import { type Circuit, isDynamic, type Op, written } from '../circuits.ts';
import { differs, pairs } from '../compare.ts';
import { askPython, hasPython } from '../python.ts';
import { type CircuitCase, checkCircuit, oracle } from './circuit-check.ts';
import { finalMeasurement, randomGate, randomObservables, someOf } from './generate.ts';

const EXACT = ['probabilities', 'statevector', 'amplitudes', 'expectation'];
const DENSITY = ['probabilities', 'expectation', 'density_matrix', 'purity'];
const SAMPLED = ['counts', 'memory'];
/** Gates that passes like to drop or to move. */
const ENDINGS = [
  'T',
  'S',
  'Z',
  'CZ',
  'RZ',
  'P',
  'CP',
  'RZZ',
  'GPHASE',
  'X',
  'CX',
  'SWAP',
  'CCX',
  'DCX',
];

/** The area. */
export const staticArea: Area<CircuitCase> = {
  name: 'static',
  generate(random) {
    const form = random.pick(['json', 'qasm2', 'qasm3'] as const);
    const isDensity = random.chance(0.3);
    const qubits = random.between(1, isDensity ? 5 : random.chance(0.7) ? 5 : 8);
    const isNew = form === 'qasm3';
    const options = {
      controls: form === 'qasm2' ? 0 : 3,
      negative: isNew,
      modifiers: isNew,
      // A pragma cannot be controlled.
      unitaries: form === 'json',
    };
    const skip = form === 'qasm2' ? ['GPHASE'] : [];
    const gate = (): Op => {
      for (;;) {
        if (isNew && random.chance(0.08))
          return { ...randomGate(random, qubits, { unitaries: true }), extra: [] } as Op;
        const found = randomGate(random, qubits, options);
        if (found.op !== 'gate' || !skip.includes(found.gate)) return found;
      }
    };
    const ops: Op[] = Array.from({ length: random.between(1, 20) }, gate);
    if (random.chance(0.3)) ops.splice(random.below(ops.length), 0, { op: 'barrier', qubits: [0] });
    const ending = random.below(5);
    const names = ENDINGS.filter((name) => !skip.includes(name));
    if (ending === 0) {
      ops.push(...Array.from({ length: 3 }, () => randomGate(random, qubits, { names })));
    }
    if (ending === 1) {
      ops.push({ op: 'reset', qubits: [random.below(qubits)] });
    }
    if (ending === 2 && form === 'json') {
      const bit = random.below(qubits);
      ops.push({ op: 'measure', qubits: [bit], bits: [0] });
      const condition = { bits: [0], value: random.below(2) };
      ops.push({ ...randomGate(random, qubits, { names }), condition });
    } else if (random.chance(0.4)) ops.push(finalMeasurement(random, qubits));
    const circuit: Circuit = { form, qubits, ops };
    const isMid = isDynamic(circuit);
    // The oracle holds the state of a circuit with resets or conditions as a density matrix.
    const small =
      isMid && qubits > 5 ? { ...circuit, ops: ops.filter((op) => !isLater(op)) } : circuit;
    const isMixed = isDynamic(small);
    const outputs = isDensity
      ? isMixed
        ? ['probabilities', ...SAMPLED]
        : [...DENSITY, ...SAMPLED]
      : isMixed
        ? SAMPLED
        : [...EXACT, ...SAMPLED];
    return {
      circuit: small,
      processor: isDensity ? 'qvm' : random.pick(['statevector-sim', 'gpu-fleet', 'qvm']),
      ...(isDensity && { method: 'density_matrix' }),
      outputs: someOf(random, outputs),
      observables: randomObservables(random, qubits),
      basisStates: Array.from({ length: random.between(1, 4) }, () => random.below(2 ** qubits)),
      shots: random.pick([1, 100, 1000, 4000]),
      seed: random.below(1e9),
    };
  },
  async check(each, service) {
    const wrong = await checkCircuit(each, service);
    return wrong ?? secondOpinion(each);
  },
};

/** The oracle against Qiskit Aer (OpenQASM 2), where there is a Python. */
async function secondOpinion({ circuit }: CircuitCase): Promise<Wrong | undefined> {
  const { form, qubits, ops } = circuit;
  const isUnitary = ops.every((op) => op.op === 'gate');
  if (form !== 'qasm2' || !isUnitary || !hasPython('Qiskit Aer')) return undefined;
  const { qasm } = written({ form, qubits, ops });
  const theirs = await askPython('aer', { qasm, qubits }).catch((error: Error) => error.message);
  if (theirs === null) return undefined;
  const expected = pairs(oracle(circuit).state.entries);
  const message = differs('statevector', theirs, expected, 1e-7);
  return message === undefined
    ? undefined
    : { kind: 'oracle', message: `Aer: ${message}`, request: qasm, answer: theirs, expected };
}

function isLater(op: Op): boolean {
  return op.op === 'reset' || op.op === 'measure' || op.condition !== undefined;
}
