/**
 * The first run of an engine: kernels are compiled when they are first used, and JavaScript when it
 * has run for a while, for which no circuit of a caller is to wait.
 */
import type { Circuit, GateOperation } from '../../circuit/circuit.ts';
import { compile } from '../../compiler/compile.ts';
import type { Engine } from '../../engine/engine.ts';

/** Wide enough that every kernel of sampling has work, and little on a driver that is slow. */
const RUN_QUBITS = 16;
/** Qubits of the circuit that is only compiled, until V8 has compiled the compiler. */
const COMPILED_QUBITS = 20;
const NUM_COMPILED = 5;
const NUM_LAYERS = 4;
const SHOTS = 1000;

function layer(numQubits: number, depth: number): readonly GateOperation[] {
  return Array.from({ length: numQubits }, (_, qubit): readonly GateOperation[] => [
    { kind: 'gate', gate: 'RY', controls: [], targets: [qubit], angles: [0.3 + qubit + depth] },
    {
      kind: 'gate',
      gate: 'X',
      controls: [qubit],
      targets: [(qubit + 1 + depth) % numQubits],
      angles: [],
    },
  ]).flat();
}

function layered(numQubits: number): Circuit {
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits: numQubits,
    operations: [
      ...Array.from({ length: NUM_LAYERS }, (_, depth) => layer(numQubits, depth)).flat(),
      { kind: 'measure', qubits: all, bits: all },
    ],
  };
}

/** Runs a circuit, and compiles wider ones. */
export async function warmUp(engine: Engine): Promise<void> {
  const { target } = engine;
  const prepare = (numQubits: number) => {
    const circuit = layered(Math.min(numQubits, target.maxQubits));
    return engine.prepare(compile(circuit, target, { keepState: false }).program);
  };
  await using executable = await prepare(RUN_QUBITS);
  await executable.run({ shots: SHOTS, seed: 1 }, new AbortController().signal);
  for (let i = 0; i < NUM_COMPILED; i++) {
    await (await prepare(COMPILED_QUBITS))[Symbol.asyncDispose]();
  }
}
