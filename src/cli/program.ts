/**
 * Commands of `qcs` with their names and options. The code of a command is loaded when it runs, so `--help`
 * and small commands do not wait for the service and its engines.
 */
import { Argument, Command, CommanderError, Option } from 'commander';
import type { CompileFormat } from '../service/circuits/compile-schema.ts';
import { version } from '../service/http/software-version.ts';
import { QNN_HYBRID_ID } from '../workloads/models/qnn-hybrid/model-id.ts';
import type { trainQnnHybrid } from '../workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import type { MeasureOptions } from './capacity/measure-capacity.ts';
import { addRunCommand, addSubmitCommand } from './circuit-commands.ts';
import { type CommandIo, EXIT_CODES } from './command-io.ts';
import type { CompileOptions } from './compile-file.ts';
import type { DrawOptions } from './draw-circuit.ts';
import { addExperimentCommand } from './experiment.ts';
import { exitCodeOf, faultText } from './failures.ts';
import { addGenerateCommand } from './generate.ts';
import type { AddressOptions } from './jobs/service-client.ts';
import { addJobsCommand, withAddress } from './jobs.ts';
import { addKeysCommand } from './keys.ts';
import type { ClusterOptions, DrainOptions } from './manage-cluster.ts';
import type { CheckOptions } from './manage-storage.ts';
import type { MigrateOptions } from './migrate-storage.ts';
import { list, whole } from './option-parsers.ts';
import type { DistanceOptions } from './show-distance.ts';
import type { TrainOptions } from './train-model.ts';

/** Parts that only the entry point provides. */
export interface Entry {
  /** Module of the entry point; `qcs capacity` starts it again. */
  readonly module: string;
  /** Serves until the process gets a signal to stop. */
  readonly serve: () => Promise<void>;
}

/**
 * Runs one command line. Errors are written to `io.err`.
 *
 * @param args - Arguments without the names of Node and of the module.
 * @returns One of EXIT_CODES.
 */
export async function runCommandLine(
  args: readonly string[],
  io: CommandIo,
  entry: Entry,
): Promise<number> {
  const program = createProgram(io, entry, args.includes('serve') ? await settingsText() : '');
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    // Commander has already written its own messages.
    if (!(error instanceof CommanderError)) io.err.write(`${faultText(error)}\n`);
    return exitCodeOf(error);
  }
}

/** @param settings - Text about the environment for `serve --help`. */
function createProgram(io: CommandIo, { module, serve }: Entry, settings: string): Command {
  const program = new Command('qcs')
    .description('Quantum circuits on this machine, and the service that runs them over HTTP')
    .version(version())
    .showHelpAfterError('(`qcs --help` lists the commands)')
    .addHelpText(
      'after',
      `\nExit codes: ${Object.entries(EXIT_CODES)
        .map(([name, code]) => `${code} ${name.replace('notFound', 'not found')}`)
        .join(', ')}.`,
    )
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
    })
    // Inherited by the commands added below, so that they throw instead of ending the process.
    .exitOverride();

  program
    .command('serve')
    .description('start the HTTP service')
    .addHelpText('after', settings)
    .action(serve);
  addRunCommand(program, io);
  addSubmitCommand(program, io);
  addCompileCommand(program, io);
  addGenerateCommand(program, io);
  addExperimentCommand(program, io);
  addDistanceCommand(program, io);
  addDrawCommand(program, io);
  addJobsCommand(program, io);
  addMcpCommand(program, io);
  addKeysCommand(program, io);
  addStorageCommands(program, io);
  addClusterCommand(program, io);
  addDevicesCommand(program, io);
  addGatesCommand(program, io);
  addTrainCommand(program, io);
  addCapacityCommand(program, io, module);
  return program;
}

/** Loaded before the program is made, because Commander takes help texts as strings. */
async function settingsText(): Promise<string> {
  const { settingsHelp } = await import('../config.ts');
  return `\nSettings, from the environment:\n${settingsHelp()}`;
}

/** Output formats. They are repeated here because importing the service's list loads all its schemas. */
const FORMATS: Readonly<Record<CompileFormat, true>> = {
  json: true,
  qasm2: true,
  qasm3: true,
  stim: true,
  qir: true,
};

/** Adds the command to the program. */
function addCompileCommand(program: Command, io: CommandIo): void {
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

/** Adds the command to the program. */
function addDrawCommand(program: Command, io: CommandIo): void {
  program
    .command('draw')
    .description('draw the circuit as text, as it is written')
    .argument('<file>', 'as for `qcs run`')
    .option(
      '--width <characters>',
      'of a line; by default those of the terminal',
      whole(20, 10_000),
    )
    .action(async (file: string, options: DrawOptions) => {
      const { drawCircuit } = await import('./draw-circuit.ts');
      await drawCircuit(file, options, io);
    });
}

/** Adds the command to the program. */
function addMcpCommand(program: Command, io: CommandIo): void {
  withAddress(program.command('mcp'))
    .description(
      'serve tools for language models (MCP) over standard input and output; they ask a service',
    )
    .action(async (options: AddressOptions) => {
      const { serveMcp } = await import('./serve-mcp.ts');
      await serveMcp(options, io);
    });
}

/** Adds the command to the program. */
function addDistanceCommand(program: Command, io: CommandIo): void {
  program
    .command('distance')
    .description(
      'print the fewest errors that flip a logical observable and no detector, of those that flip one or two detectors',
    )
    .argument(
      '<file>',
      "a circuit in Stim's format (.stim) or a request body with detectors (.json); or a detector error model (.dem)",
    )
    .option('--json', 'print one JSON object: `num_errors` and `errors`')
    .action(async (file: string, options: DistanceOptions) => {
      const { showDistance } = await import('./show-distance.ts');
      await showDistance(file, options, io);
    });
}

/** Adds the command to the program. */
function addDevicesCommand(program: Command, io: CommandIo): void {
  program
    .command('devices')
    .description(
      'self-test the processors, and show the fleet’s devices and the GPU adapters behind them',
    )
    .option('--json', 'print one JSON object: `processors`, `devices`, `adapters`')
    .action(async (options: { readonly json?: boolean }) => {
      const { showDevices } = await import('./show-devices.ts');
      await showDevices(options, io);
    });
}

/** Adds the command to the program. */
function addGatesCommand(program: Command, io: CommandIo): void {
  program
    .command('gates')
    .description('list the gates, or describe one')
    .addArgument(new Argument('[name]', 'a gate or an alias, in any case'))
    .option('--json', 'print one JSON object: `operations`, or the one gate')
    .action(
      async (name: string | undefined, options: { readonly json?: boolean }, command: Command) => {
        const { showGates } = await import('./show-gates.ts');
        showGates(name, options, command, io);
      },
    );
}

/** Adds the commands to the program. */
function addStorageCommands(program: Command, io: CommandIo): void {
  program
    .command('backup')
    .description('write the database to a file, while a service runs or not (keys, jobs, results)')
    .argument('<file>', 'is made, and never overwritten')
    .action(async (file: string) => {
      const { writeBackup } = await import('./manage-storage.ts');
      writeBackup(file, io);
    });

  program
    .command('restore')
    .description('put a backup in the place of the database, which is kept aside; stop the service')
    .argument('<file>', 'what `qcs backup` wrote')
    .action(async (file: string) => {
      const { restoreBackup } = await import('./manage-storage.ts');
      await restoreBackup(file, io);
    });

  program
    .command('check')
    .description('read all of the database and say what is in it; exit code 1 where it is damaged')
    .argument('[file]', 'a backup; by default the database in QCS_DATA_DIR')
    .option('--accept-loss', 'go on without what was in a lost write-ahead log; stop the service')
    .option('--json', 'print one JSON object')
    .action(async (file: string | undefined, options: CheckOptions) => {
      const { checkStorage } = await import('./manage-storage.ts');
      await checkStorage(file, options, io);
    });

  program
    .command('migrate')
    .description(
      'copy the database to the one in PostgreSQL that QCS_DATABASE_URL names, which must be empty; stop the service',
    )
    .argument('[folder]', 'with the database; by default QCS_DATA_DIR')
    .option('--json', 'print one JSON object')
    .action(async (folder: string | undefined, options: MigrateOptions) => {
      const { migrateStorage } = await import('./migrate-storage.ts');
      await migrateStorage(folder, options, io);
    });
}

/** Adds the commands to the program. */
function addClusterCommand(program: Command, io: CommandIo): void {
  const cluster = program
    .command('cluster')
    .description('list the nodes and jobs of a cluster, and drain nodes (in QCS_DATABASE_URL)');

  cluster
    .command('nodes', { isDefault: true })
    .description('list the nodes, and what each holds and runs')
    .option('--json', 'print one JSON object with `nodes`')
    .action(async (options: ClusterOptions) => {
      const { listNodes } = await import('./manage-cluster.ts');
      await listNodes(options, io);
    });

  cluster
    .command('jobs')
    .description('list the jobs that nodes run, and count those that wait for a node')
    .option('--json', 'print one JSON object with `running` and `waiting`')
    .action(async (options: ClusterOptions) => {
      const { listClusterJobs } = await import('./manage-cluster.ts');
      await listClusterJobs(options, io);
    });

  cluster
    .command('drain')
    .description('let a node finish its jobs and claim no more')
    .argument('<node>', 'the name that `cluster nodes` shows')
    .option('--wait', 'wait until the node runs no job')
    .option('--json', 'print the node as one JSON object')
    .action(async (node: string, options: DrainOptions) => {
      const { drainNode } = await import('./manage-cluster.ts');
      await drainNode(node, options, io);
    });

  cluster
    .command('undrain')
    .description('let a drained node claim jobs again')
    .argument('<node>', 'the name that `cluster nodes` shows')
    .option('--json', 'print the node as one JSON object')
    .action(async (node: string, options: ClusterOptions) => {
      const { undrainNode } = await import('./manage-cluster.ts');
      await undrainNode(node, options, io);
    });
}

const DEFAULT_FILE = 'models/qnn-hybrid.json';

/**
 * Adds the command to the program.
 *
 * @param trainer - Function that trains; tests pass a quick one.
 */
export function addTrainCommand(
  program: Command,
  io: CommandIo,
  trainer?: typeof trainQnnHybrid,
): void {
  program
    .command('train')
    .description('train a model from scratch, measure it, and write the file that is deployed')
    .addArgument(new Argument('<model>', 'which').choices([QNN_HYBRID_ID]))
    .option('--out <file>', 'where it is written', DEFAULT_FILE)
    .option('--check', 'write nothing; fail unless the file already holds exactly this')
    .option('--json', 'print the model card as one JSON object')
    .addHelpText(
      'after',
      '\nTraining again gives the same bytes: everything is seeded, and the date is kept where nothing\nelse has changed.',
    )
    .action(async (_model: string, options: TrainOptions) => {
      const { trainModel } = await import('./train-model.ts');
      await trainModel(options, io, trainer);
    });
}

/**
 * Adds the command to the program.
 *
 * @param entry - Module of the command line; it is started again with `serve`.
 */
function addCapacityCommand(program: Command, io: CommandIo, entry: string): void {
  program
    .command('capacity')
    .description('measure how many Bell circuits the service serves on this machine')
    .option('--connections <list>', 'of each load', list(whole(1, 1024)), [1, 4, 16, 64])
    .option('--requests <n>', 'circuits of each load', whole(1, 1e7), 5000)
    .option('--processor <id>', 'where they are sent', 'gpu-fleet')
    .addHelpText(
      'after',
      '\nThe service is started with the settings of the environment, a folder and a port of its own, and\nwithout limits on its key. Mixes of circuits, open loops and the model of a fleet of 48 GPUs are in the\nrepository: npm run bench:capacity. docs/capacity.md describes both.',
    )
    .action(async (options: MeasureOptions) => {
      const { measureCapacity } = await import('./capacity/measure-capacity.ts');
      await measureCapacity(options, io, entry);
    });
}
