/** What `qcs compile` does. */
import { createFleet, fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { gpuFleetSpec, statevectorSpec } from '../fleet/cpu-processors.ts';
import { targetsOf } from '../service/circuits/check-circuit.ts';
import { compileCircuitJson, RUN_FIELDS } from '../service/circuits/compile-circuit.ts';
import type { CompileFormat, compiledCircuit } from '../service/schemas/compile.ts';
import { readCircuitFile } from './circuit-file.ts';
import { type CommandIo, table, writeWarnings } from './command-io.ts';

/** What the command is told. */
export interface CompileOptions {
  readonly target: string;
  readonly format: CompileFormat;
  readonly json?: boolean;
}

type Compiled = ReturnType<(typeof compiledCircuit)['parse']>;

/** Compiles the circuit of the file: the result to stdout, what each pass saved to stderr. */
export async function compileFile(
  file: string,
  options: CompileOptions,
  io: CommandIo,
): Promise<void> {
  // A file for `qcs run` will do: what says how to run means nothing here.
  const content = withoutRunFields(await readCircuitFile(file));
  const body = { ...content, target_processor: options.target, format: options.format };
  const text = compileCircuitJson(body, await targetsFor(options.target, io));
  if (options.json) {
    io.out.write(`${text}\n`);
    return;
  }
  // Checked: compileCircuitJson writes what the schema says.
  const compiled = JSON.parse(text) as Compiled;
  io.out.write(compiled.qasm ?? `${JSON.stringify(compiled.circuit)}\n`);
  writeWarnings(compiled.warnings ?? [], io);
  io.err.write(`${report(compiled)}\n`);
}

/** The processors that the circuit is checked against; a fleet is made only where the target needs it. */
async function targetsFor(target: string, { environment, now }: CommandIo) {
  const config = loadConfig(environment);
  const options = fleetOptions(config, now);
  // With WebGPU or nothing, what the fleet compiles for is its adapters'.
  const onCpu = config.engine === 'webgpu' ? [] : [gpuFleetSpec(options)];
  const specs = [statevectorSpec(options), ...onCpu];
  if (specs.some(({ id }) => id === target))
    return specs.map((spec) => ({ spec, available: false }));
  return targetsOf(await createFleet(config, now));
}

function withoutRunFields(content: Readonly<Record<string, unknown>>) {
  const names: readonly string[] = RUN_FIELDS;
  return Object.fromEntries(Object.entries(content).filter(([name]) => !names.includes(name)));
}

function report({ compilation, timing }: Compiled): string {
  const { gates, depth, two_qubit_gates: twoQubit, passes } = compilation;
  const row = (name: string, { before, after }: { before: number; after: number }) => [
    name,
    String(before),
    String(after),
  ];
  const rows = [
    row('gates', gates),
    row('two-qubit gates', twoQubit),
    row('depth', depth),
    ...passes.map(({ name, operations }) => row(`  ${name}`, operations)),
  ];
  const { kernels, fused_blocks: blocks, sweeps } = compilation;
  return [
    table(['', 'BEFORE', 'AFTER'], rows),
    `${kernels} kernels, ${blocks} of them fused, in ${sweeps} sweeps; compiled in ${timing.compile_ms} ms`,
  ].join('\n');
}
