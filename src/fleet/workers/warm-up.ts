/**
 * The first runs of an engine: kernels are compiled when they are first used, and JavaScript when it
 * has run for a while, for which no circuit of a caller is to wait.
 */
import type { Circuit, GateOperation, Qubit } from '../../circuit/circuit.ts';
import { compile } from '../../compiler/compile.ts';
import type { Engine } from '../../engine/engine.ts';
import { writeCircuit } from './sent-circuit.ts';
import type { ServedEngine } from './served-engine.ts';

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

/** Shapes of a thread's warm-up: 300 ms of processor time. V8 has compiled most of the compiler by then. */
const NUM_SHAPES = 60;
/** Widths of a thread's circuits: the time is for the compiler, not for amplitudes. */
const THREAD_WIDTHS = [6, 8, 10] as const;

/** Gates of the kinds that callers send most, on qubits that depend on `round`, so that each is a new shape. */
function common(numQubits: number, round: number, draw: () => number): readonly GateOperation[] {
  const gate = (
    name: string,
    targets: readonly Qubit[],
    numAngles = 0,
    controls: readonly Qubit[] = [],
  ): GateOperation => {
    const angles = Array.from({ length: numAngles }, () => 6 * draw());
    return { kind: 'gate', gate: name, controls, targets, angles };
  };
  const gates: GateOperation[] = [];
  for (let qubit = 0; qubit < numQubits; qubit++) {
    const q = (5 * qubit + round) % numQubits;
    const r = (q + 1 + (round % (numQubits - 1))) % numQubits;
    gates.push(gate('H', [q]), gate('RY', [q], 1), gate('RZ', [q], 1), gate('CX', [r], 0, [q]));
    if (round % 2 === 0) gates.push(gate('RXX', [q, r], 1), gate('RYY', [q, r], 1));
    if (round % 3 === 0) gates.push(gate('CP', [r], 1, [q]), gate('T', [q]), gate('SX', [r]));
    if (round % 3 === 1) gates.push(gate('U', [q], 3), gate('CX', [r], 0, [q]), gate('U', [r], 3));
    gates.push(gate('RZZ', [q, r], 1), gate('CX', [r], 0, [q]), gate('RZ', [r], 1));
  }
  return gates;
}

/**
 * Circuits to run while a new thread has nothing to do: every shape twice, with other angles, because the
 * second takes another way.
 *
 * @param engine - The engine that serves circuits.
 */
export function* warmUpSteps(engine: ServedEngine): Generator<() => Promise<void>> {
  // Angles without relations to each other; no answer depends on them.
  let last = 0;
  const draw = () => {
    last = (last + 0.618033988749895) % 1;
    return last;
  };
  for (let round = 0; round < NUM_SHAPES; round++) {
    yield () => runCommon(engine, round, draw);
    yield () => runCommon(engine, round, draw);
  }
}

async function runCommon(engine: ServedEngine, round: number, draw: () => number): Promise<void> {
  const numQubits = THREAD_WIDTHS[round % THREAD_WIDTHS.length]!;
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const circuit = writeCircuit({
    numQubits,
    numBits: numQubits,
    operations: [...common(numQubits, round, draw), { kind: 'measure', qubits: all, bits: all }],
  });
  if (circuit === undefined) throw new Error('unreachable: a circuit with a matrix');
  const run = { id: 0, precision: 'f32', circuit, request: { shots: SHOTS, seed: 1 } } as const;
  await engine.run(run, () => {}, new AbortController().signal);
}

/** Runs a circuit, and compiles wider ones. */
export async function warmUp(engine: Engine): Promise<void> {
  const { target } = engine;
  const prepare = (numQubits: number) => {
    const circuit = layered(Math.min(numQubits, target.maxQubits));
    return engine.prepare.statevector(compile(circuit, target, { keepState: false }).program);
  };
  await using executable = await prepare(RUN_QUBITS);
  await executable.run({ shots: SHOTS, seed: 1 }, new AbortController().signal);
  for (let i = 0; i < NUM_COMPILED; i++) {
    await (await prepare(COMPILED_QUBITS))[Symbol.asyncDispose]();
  }
}
