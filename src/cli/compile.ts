/** `qcs compile FILE`: compiles a circuit without running it. */
import { type Command, Option } from 'commander';
import type { CompileFormat } from '../service/circuits/compile-schema.ts';
import type { CommandIo } from './command-io.ts';
import type { CompileOptions } from './compile-file.ts';

/** Output formats. They are repeated here because importing the service's list loads all its schemas. */
const FORMATS: Readonly<Record<CompileFormat, true>> = { json: true, qasm2: true, qasm3: true };

/** Adds the command to the program. */
export function addCompileCommand(program: Command, io: CommandIo): void {
  program
    .command('compile')
    .description('print the circuit as the compiler leaves it, and on stderr what each pass saved')
    .argument(
      '<file>',
      'OpenQASM; or .json with a list of gate objects, or with a body of POST /quantum/compile',
    )
    .option('--processor, --target <id>', 'what to compile for', 'statevector-sim')
    .addOption(
      new Option('--format <format>', 'of the circuit')
        .choices(Object.keys(FORMATS))
        .default('qasm3'),
    )
    .option('--json', 'print the fields of the HTTP response as one JSON object')
    .action(async (file: string, options: CompileOptions) => {
      const { compileFile } = await import('./compile-file.ts');
      await compileFile(file, options, io);
    });
}
