/**
 * `npm run bench method-memory`: what runs by each method take of the system's memory, beside what is declared for them
 * before they run. Each runs in a process of its own, which a small run has warmed up; the increase of its resident memory
 * is measured by the system, and has the garbage of the thread in it.
 *
 * Linux alone has the figures.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Circuit, Operation } from '../src/circuit/circuit.ts';
import { compileMatrixProduct } from '../src/compiler/chain/compile-matrix-product.ts';
import { chainCost } from '../src/compiler/chain/matrix-product-cost.ts';
import { compileStabilizer } from '../src/compiler/clifford/compile-stabilizer.ts';
import { compile } from '../src/compiler/compile.ts';
import { compileDensity } from '../src/compiler/noise/compile-density.ts';
import { countingBytes } from '../src/engine/counts-builder.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Executable } from '../src/engine/engine.ts';
import { stabilizerBytes } from '../src/engine/stabilizer/run-stabilizer.ts';
import { type Measurement, report } from './harness.ts';

const METHODS = ['stabilizer', 'matrix_product_state', 'statevector', 'density_matrix'] as const;
type Method = (typeof METHODS)[number];

interface Case {
  readonly method: Method;
  readonly numQubits: number;
  readonly numLayers: number;
  readonly numBits: number;
  readonly shots: number;
}

const CASES: readonly Case[] = [
  { method: 'stabilizer', numQubits: 20_000, numLayers: 1, numBits: 20_000, shots: 13_000 },
  { method: 'stabilizer', numQubits: 20_000, numLayers: 1, numBits: 2684, shots: 100_000 },
  { method: 'stabilizer', numQubits: 1000, numLayers: 2, numBits: 268, shots: 1_000_000 },
  { method: 'stabilizer', numQubits: 64, numLayers: 3, numBits: 40, shots: 1_000_000 },
  { method: 'matrix_product_state', numQubits: 20, numLayers: 20, numBits: 20, shots: 1000 },
  { method: 'matrix_product_state', numQubits: 20, numLayers: 8, numBits: 20, shots: 1_000_000 },
  { method: 'statevector', numQubits: 22, numLayers: 2, numBits: 22, shots: 1_000_000 },
  { method: 'density_matrix', numQubits: 11, numLayers: 2, numBits: 11, shots: 1_000_000 },
];
/** A small circuit runs by each method before the memory is measured. */
const SMALL = { numQubits: 8, numLayers: 2, numBits: 8, shots: 100 } as const;
const MIB = 2 ** 20;

/** Layers of gates on each qubit and on neighbours, Clifford gates for stabilizers. */
function circuitOf({ method, numQubits, numLayers, numBits }: Case): Circuit {
  const gate = (name: string, controls: readonly number[], target: number, angles: number[]) =>
    ({ kind: 'gate', gate: name, controls, targets: [target], angles }) as const;
  const qubits = Array.from({ length: numQubits }, (_, q) => q);
  const isClifford = method === 'stabilizer';
  const operations = Array.from({ length: numLayers }, (_, layer): readonly Operation[] => [
    ...qubits.map((q) =>
      isClifford ? gate('H', [], q, []) : gate('RY', [], q, [1 + q + numQubits * layer]),
    ),
    ...qubits.filter((q) => q > 0 && q % 2 === layer % 2).map((q) => gate('X', [q - 1], q, [])),
  ]).flat();
  const measured = Array.from({ length: numBits }, (_, bit) => bit);
  const last: Operation = { kind: 'measure', qubits: measured, bits: measured };
  return { numQubits, numBits, operations: [...operations, last] };
}

const engine = () => openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 24 });

/** A prepared run, and the bytes that are declared for it. */
async function prepared(
  on: ReturnType<typeof engine>,
  given: Case,
): Promise<readonly [executable: Executable, bytes: number]> {
  const circuit = circuitOf(given);
  const { shots, numBits, numQubits } = given;
  const outcomes = countingBytes(numBits, shots);
  switch (given.method) {
    case 'stabilizer': {
      const program = compileStabilizer(circuit);
      if ('kind' in program) throw new Error(program.operation);
      return [await on.prepare.stabilizer!(program), stabilizerBytes(program, shots)];
    }
    case 'matrix_product_state': {
      const program = compileMatrixProduct(circuit);
      const { stateBytes, otherBytes } = chainCost(program).most;
      const executable = await on.prepare.matrix_product_state!(program);
      return [executable, stateBytes + otherBytes + outcomes];
    }
    case 'statevector': {
      const { program } = compile(circuit, on.target, { keepState: false });
      return [await on.prepare.statevector(program), 16 * 2 ** numQubits + outcomes];
    }
    case 'density_matrix': {
      const { program } = compileDensity(circuit, on.target, { keepState: false });
      return [await on.prepare.density_matrix!(program), 16 * 4 ** numQubits + outcomes];
    }
  }
}

/** A figure of this process in bytes, by the name that the system gives it. */
function statusOf(name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
    readFileSync('/proc/self/status', 'utf8'),
  );
  return 1024 * Number(line?.[1]);
}

/** Runs a case in this process, and writes the bytes that are declared and those that it grew by. */
async function measureHere(given: Case): Promise<void> {
  const { signal } = new AbortController();
  const on = engine();
  for (const each of [{ ...given, ...SMALL }, given]) {
    const [executable, declared] = await prepared(on, each);
    globalThis.gc?.();
    // Forgets the peak so far.
    writeFileSync('/proc/self/clear_refs', '5');
    const before = statusOf('VmRSS');
    await executable.run({ shots: each.shots, seed: 1 }, signal);
    const grown = statusOf('VmHWM') - before;
    await executable[Symbol.asyncDispose]();
    if (each === given) process.stdout.write(JSON.stringify({ declared, grown }));
  }
  await on.close();
}

/** Measures all cases. */
export async function benchMethodMemory(): Promise<void> {
  const measurements = CASES.map((given, i): Measurement => {
    const node = ['--expose-gc', import.meta.filename, String(i)];
    const text = execFileSync(process.execPath, node, { encoding: 'utf8' });
    const { declared, grown } = JSON.parse(text);
    const { method, numQubits, numBits, shots } = given;
    const name = `${method}, ${numQubits} qubits, ${numBits} bits, ${shots} shots`;
    return { name, value: grown / MIB, unit: 'MiB', goal: declared / MIB };
  });
  report('method-memory', measurements);
}

if (process.argv[1] === import.meta.filename) await measureHere(CASES[Number(process.argv[2])]!);
