/**
 * `qcs run FILE`: runs a circuit on this machine as the service would, without a server. With options of an
 * engine, it measures the circuit on that engine in this process. With a sweep, it runs the circuit at many values of its
 * inputs.
 */
import { type Command, Option } from 'commander';
import type { RunOptions } from './circuit-file.ts';
import { withCircuit } from './circuit-options.ts';
import type { CommandIo } from './command-io.ts';
import { count } from './option-parsers.ts';
import { isSweep, type SweepOptions, withSweep } from './sweep-options.ts';

/** Adds the command to the program. */
export function addRunCommand(program: Command, io: CommandIo): void {
  withSweep(withCircuit(program.command('run')))
    .description('run a circuit on this machine, without a server, and print a histogram')
    .addOption(
      new Option('--engine <engine>', 'measure an engine in this process (default cpu)').choices([
        'cpu',
        'reference',
        'webgpu',
      ]),
    )
    .option('--threads <n>', 'measure on so many threads (default one a core)', count(256))
    .addOption(
      new Option(
        '--precision <p>',
        'measure in this precision (default f64; webgpu has f32 alone)',
      ).choices(['f32', 'f64']),
    )
    .option('--repeat <n>', 'measure so many runs (default 1)', count(1_000_000))
    .option('--json', 'print the fields of the HTTP response as one JSON object')
    .addHelpText(
      'after',
      '\nWith --sweep the circuit is run at each point of its inputs, and --observable values are drawn as lines;\nwithout an --observable, the share of the shots of each outcome. For example:\n\n  qcs run examples/ramsey.qasm --sweep phase=0:2pi:101 --observable Z0\n\nWith any of --engine, --threads, --precision and --repeat the circuit is compiled once, run on\nthe engine in this process, and timed: evolution and sampling apart, for each run.',
    )
    .action(async (file: string, options: RunOptions & SweepOptions) => {
      if (isSweep(options)) {
        const { runSweep } = await import('./run-sweep.ts');
        await runSweep(file, options, io);
        return;
      }
      const { runCircuit } = await import('./run-circuit.ts');
      await runCircuit(file, options, io);
    });
}
