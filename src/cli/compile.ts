/** `qcs compile FILE`: what the compiler makes of a circuit, without running it. */
import { type Command, Option } from 'commander';
import { createFleet } from '../compose.ts';
import { loadConfig } from '../config.ts';
import { targetsOf } from '../service/circuits/circuit-submission.ts';
import { compileCircuitJson, RUN_FIELDS } from '../service/circuits/compile-circuit.ts';
import { COMPILE_FORMATS, type compiledCircuit } from '../service/schemas/compile.ts';
import { readCircuitFile } from './circuit-file.ts';
import { type CommandIo, table } from './command-io.ts';

interface CompileOptions {
  readonly target: string;
  readonly format: (typeof COMPILE_FORMATS)[number];
  readonly json?: boolean;
}

type Compiled = ReturnType<(typeof compiledCircuit)['parse']>;

/** Adds the command to the program. */
export function addCompileCommand(program: Command, io: CommandIo): void {
  program
    .command('compile')
    .description('print the circuit as the compiler leaves it, and on stderr what each pass saved')
    .argument(
      '<file>',
      'OpenQASM; or .json with a list of gate objects, or with a body of POST /quantum/compile',
    )
    .option('--target <processor>', 'what to compile for', 'statevector-sim')
    .addOption(
      new Option('--format <format>', 'of the circuit').choices(COMPILE_FORMATS).default('qasm3'),
    )
    .option('--json', 'print the fields of the HTTP response as one JSON object')
    .action(async (file: string, options: CompileOptions) => {
      // A file for `qcs run` will do: what says how to run means nothing here.
      const content = withoutRunFields(await readCircuitFile(file));
      const fleet = createFleet(loadConfig(io.environment), io.now);
      const body = { ...content, target_processor: options.target, format: options.format };
      const text = compileCircuitJson(body, targetsOf(fleet));
      if (options.json) {
        io.out.write(`${text}\n`);
        return;
      }
      // Checked: compileCircuitJson writes what the schema says.
      const compiled = JSON.parse(text) as Compiled;
      io.out.write(compiled.qasm ?? `${JSON.stringify(compiled.circuit)}\n`);
      io.err.write(`${report(compiled)}\n`);
    });
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
