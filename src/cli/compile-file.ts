/** Action of `qcs compile`. */
import { createFleet, fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { gpuFleetSpec, statevectorSpec } from '../fleet/cpu-processors.ts';
import { compileCircuitJson } from '../service/circuits/compile-circuit.ts';
import type { CompileFormat, compiledCircuit } from '../service/circuits/compile-schema.ts';
import { RUN_FIELDS } from '../service/circuits/compile-schema.ts';
import { targetsOf } from '../service/circuits/targets.ts';
import { readCircuitFile } from './circuit-file.ts';
import { type CommandIo, table, writeWarnings } from './command-io.ts';

/** Options of the command. */
export interface CompileOptions {
  readonly target: string;
  readonly format: CompileFormat;
  readonly json?: boolean;
}

type Compiled = ReturnType<(typeof compiledCircuit)['parse']>;

/** Compiles the circuit of the file. Writes the result to stdout and the savings of each pass to stderr. */
export async function compileFile(
  file: string,
  options: CompileOptions,
  io: CommandIo,
): Promise<void> {
  // Drop the run fields, so that a file for `qcs run` also compiles.
  const content = withoutRunFields(await readCircuitFile(file));
  const body = { ...content, target_processor: options.target, format: options.format };
  const text = compileCircuitJson(body, await targetsFor(options.target, io));
  if (options.json) {
    io.out.write(`${text}\n`);
    return;
  }
  // The cast is safe: compileCircuitJson writes what the schema says.
  const compiled = JSON.parse(text) as Compiled;
  io.out.write(
    compiled.qasm ?? compiled.stim ?? compiled.qir ?? `${JSON.stringify(compiled.circuit)}\n`,
  );
  writeWarnings(compiled.warnings ?? [], io);
  io.err.write(`${report(compiled)}\n`);
}

/** Targets to check the circuit against. A fleet is created only if the target needs it. */
async function targetsFor(target: string, { environment, now }: CommandIo) {
  const config = loadConfig(environment);
  const options = fleetOptions(config, now);
  // With WebGPU only, the compile target of the fleet depends on its adapters.
  const onCpu = config.engine === 'webgpu' ? [] : [gpuFleetSpec(options)];
  const specs = [statevectorSpec(options), ...onCpu];
  if (specs.some(({ id }) => id === target))
    return specs.map((spec) => ({ spec, available: false }));
  return targetsOf(await createFleet(config, now));
}

function withoutRunFields(content: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(content).filter(([name]) => !RUN_FIELDS.includes(name)));
}

function report({ compilation, timing }: Compiled): string {
  const { gates, depth, two_qubit_gates: twoQubit } = compilation;
  const row = (name: string, { before, after }: { before: number; after: number }) => [
    name,
    String(before),
    String(after),
  ];
  const rows = [row('gates', gates), row('two-qubit gates', twoQubit), row('depth', depth)];
  const columns = ['', 'BEFORE', 'AFTER'];
  if ('swaps' in compilation) {
    const { swaps, initial_layout: layout } = compilation;
    const line = `${swaps} SWAPs, starts on qubits ${layout.join(', ')}; compiled in ${timing.compile_ms} ms`;
    return [table(columns, rows), line].join('\n');
  }
  const { passes, kernels, fused_blocks: blocks, sweeps } = compilation;
  rows.push(...passes.map(({ name, operations }) => row(`  ${name}`, operations)));
  return [
    table(columns, rows),
    `${kernels} kernels, ${blocks} of them fused, in ${sweeps} sweeps; compiled in ${timing.compile_ms} ms`,
  ].join('\n');
}
