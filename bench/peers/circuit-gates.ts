/**
 * The common circuits for peers in other languages: `FAMILY WIDTH [--amplitudes]` as arguments, one
 * line of JSON on standard output: every gate as [name, targets, controls, angles], the circuit as
 * OpenQASM 3 with all qubits measured, and, where asked for, what the reference engine makes of it.
 */
import { parseArgs } from 'node:util';
import { withFinalMeasurement } from '../../src/circuit/circuit.ts';
import { printOpenQasm } from '../../src/circuit/openqasm/print-openqasm.ts';
import { compile } from '../../src/compiler/compile.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { commonCircuit, FAMILIES } from '../webgpu-circuits.ts';

const { values, positionals } = parseArgs({
  options: { amplitudes: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [name = '', width = ''] = positionals;
const family = FAMILIES.find((known) => known === name);
if (family === undefined) throw new Error(`there is no circuit ${name}`);
const circuit = commonCircuit(family, Number(width));
const gates = circuit.operations.map((operation) => {
  if (operation.kind !== 'gate') throw new Error(`a ${operation.kind} is no gate`);
  return [operation.gate, operation.targets, operation.controls, operation.angles];
});

async function amplitudes(): Promise<readonly number[]> {
  const engine = openReferenceEngine({ maxQubits: circuit.numQubits });
  const { program } = compile(circuit, engine.target, { optimize: false });
  await using executable = await engine.prepare.statevector(program);
  const request = { shots: 0, seed: 1, statevector: true };
  const { statevector = [] } = await executable.run(request, new AbortController().signal);
  return [...statevector];
}

const answer = {
  numQubits: circuit.numQubits,
  gates,
  openqasm3: printOpenQasm(withFinalMeasurement(circuit), '3'),
  ...(values.amplitudes && { amplitudes: await amplitudes() }),
};
process.stdout.write(`${JSON.stringify(answer)}\n`);
