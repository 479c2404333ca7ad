/**
 * The service's side of the OpenQASM corpora: programs as JSON lines on standard input, one answer a
 * line on standard output. A program is `{ qasm, inputs?, wants, shots?, into? }`; what it wants is
 *
 *   parse          the size alone, which qubit each bit is last measured from, and whether anything
 *                  happens after or because of a measurement; the other answers have these too
 *   state          amplitudes, before the measurements at the end
 *   counts         counts of the shots
 *   printed        the circuit written again in both versions; null where a version cannot say it
 *
 * Amplitudes go to the file `into`, as doubles, interleaved re, im: a state of 27 qubits is no
 * line of text. The answer to what is refused is the error.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  isStatic,
  measuredQubits,
  withFinalMeasurement,
} from '../../../src/circuit/circuit.ts';
import { readOpenQasm } from '../../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../../src/circuit/openqasm/print-openqasm.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import { MAX_CPU_QUBITS } from '../../../src/engine/cpu/hosted-engine.ts';
import type { RunRequest } from '../../../src/engine/engine.ts';
import { CodedError } from '../../../src/errors/coded-error.ts';

interface Question {
  readonly qasm: string;
  readonly inputs?: Record<string, unknown>;
  readonly wants: 'parse' | 'state' | 'counts' | 'printed';
  readonly shots?: number;
  readonly into?: string;
}

/** Any program is read; only those that the engine has room for are run. */
const readLimits = { maxQubits: 100_000, maxGates: 10_000_000 };
const engine = openCpuEngine({ precision: 'f64', numThreads: 2, maxQubits: MAX_CPU_QUBITS.f64 });
/** Bytes written to a file in one call. */
const CHUNK_BYTES = 2 ** 28;

async function answer({ qasm, inputs, wants, shots = 0, into }: Question): Promise<object> {
  const { circuit } = readOpenQasm(qasm, readLimits, inputs === undefined ? {} : { inputs });
  const { numQubits, numBits, operations } = circuit;
  const facts = {
    numQubits,
    numBits,
    numOperations: operations.length,
    measured: measuredQubits(circuit),
    isDynamic: hasMidCircuitMeasurement(circuit),
  };
  if (wants === 'parse') return facts;
  if (wants === 'printed') return { ...facts, 2: printed(circuit, '2'), 3: printed(circuit, '3') };
  if (wants === 'state') {
    const { statevector } = await run(circuit, { shots: 0, seed: 1, statevector: true });
    writeDoubles(into!, statevector!);
    return facts;
  }
  const { counts } = await run(withFinalMeasurement(circuit), { shots, seed: 1 });
  const { wordsPerOutcome, outcomes, occurrences } = counts;
  const listed = Array.from(occurrences, (count, i) => {
    const words = outcomes.subarray(i * wordsPerOutcome, (i + 1) * wordsPerOutcome);
    const digits = Array.from(words, (word) => word.toString(2).padStart(32, '0'));
    return [digits.reverse().join(''), count];
  });
  return { ...facts, counts: listed };
}

async function run(circuit: DynamicCircuit, request: RunRequest) {
  const { program } = compile(circuit, engine.target, { keepState: request.statevector === true });
  await using executable = await engine.prepare.statevector(program);
  return await executable.run(request, new AbortController().signal);
}

function writeDoubles(path: string, values: Float64Array): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, Math.min(CHUNK_BYTES, bytes.length - at));
  }
  closeSync(file);
}

function printed(circuit: DynamicCircuit, version: '2' | '3') {
  if (!isStatic(circuit)) return null;
  try {
    return printOpenQasm(circuit, version);
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let result: object;
  try {
    result = await answer(JSON.parse(line));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    result = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
await engine.close();
