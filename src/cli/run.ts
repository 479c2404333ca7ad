/** `qcs run FILE`: runs a circuit on this machine without a server, the way the service would. */
import { type Command, InvalidArgumentError } from 'commander';
import { createFleet, drawSeed } from '../compose.ts';
import { loadConfig } from '../config.ts';
import type { CircuitResult, Processor } from '../fleet/processor.ts';
import { basisLabel } from '../math/basis-index.ts';
import {
  type PreparedCircuit,
  prepareCircuit,
  runRequest,
  targetsOf,
} from '../service/circuits/circuit-submission.ts';
import { circuitBodyOf } from '../service/circuits/read-submission.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import type { CircuitResultFields } from '../service/schemas/circuits.ts';
import { readCircuitFile } from './circuit-file.ts';
import { type CommandIo, writeJson } from './command-io.ts';
import { InterruptedError } from './errors.ts';
import { histogram } from './histogram.ts';
import { ProgressBar } from './progress-bar.ts';

interface RunOptions {
  readonly processor?: string;
  readonly shots?: number;
  readonly seed?: number;
  readonly input?: Readonly<Record<string, number | boolean>>;
  readonly json?: boolean;
}

/** What was run, under the names of the HTTP response. */
interface RunFacts {
  readonly processor: string;
  readonly shots: number;
  readonly seed: number;
  readonly qubits: number;
}

const DEFAULT_PROCESSOR = 'statevector-sim';
const DEFAULT_SHOTS = 1000;

/** Adds the command to the program. */
export function addRunCommand(program: Command, io: CommandIo): void {
  program
    .command('run')
    .description('run a circuit on this machine, without a server, and print a histogram')
    .argument(
      '<file>',
      'OpenQASM; or .json with a list of gate objects, or with a whole request body of POST /quantum/circuits',
    )
    .option('--processor <id>', `gpu-fleet, or ${DEFAULT_PROCESSOR} by default`)
    .option('--shots <n>', `repetitions (default ${DEFAULT_SHOTS})`, parseWhole)
    .option('--seed <n>', 'the same seed gives the same counts (drawn by default)', parseWhole)
    .option('--input <name=value>', 'value of an OpenQASM 3 input; may be repeated', addInput)
    .option('--json', 'print the fields of the HTTP response as one JSON object')
    .action((file: string, options: RunOptions) => runFile(file, options, io));
}

async function runFile(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  const content = await readCircuitFile(file);
  const config = loadConfig(io.environment);
  const fleet = createFleet(config, io.now, { discover: async () => ({ adapters: [] }) });
  try {
    await fleet.start();
    const targets = targetsOf(fleet);
    const body = circuitBodyOf(submissionFields(content, options), targets);
    const prepared = prepareCircuit(body, targets);
    const processor = fleet.get(prepared.processorId);
    if (processor === undefined) throw new Error('unreachable: a circuit without its target');
    const facts: RunFacts = {
      processor: prepared.processorId,
      shots: body.shots,
      seed: body.seed ?? drawSeed(io.random),
      qubits: prepared.circuit.numQubits,
    };
    const result = await runWithProgress(processor, prepared, facts, io);
    const fields = JSON.parse(circuitResultJson(prepared, result));
    if (options.json) writeJson(io, { status: 'completed', ...facts, ...fields });
    else io.out.write(`${report(facts, fields, io.out.columns ?? 80)}\n`);
  } finally {
    await fleet.close();
  }
}

/** The file's fields, completed by defaults and overruled by options. */
function submissionFields(content: Readonly<Record<string, unknown>>, options: RunOptions) {
  return {
    target_processor: DEFAULT_PROCESSOR,
    shots: DEFAULT_SHOTS,
    ...content,
    ...(options.processor !== undefined && { target_processor: options.processor }),
    ...(options.shots !== undefined && { shots: options.shots }),
    ...(options.seed !== undefined && { seed: options.seed }),
    ...(options.input !== undefined && { inputs: options.input }),
  };
}

async function runWithProgress(
  processor: Processor,
  prepared: PreparedCircuit,
  { shots, seed }: RunFacts,
  io: CommandIo,
): Promise<CircuitResult> {
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
  using bar = new ProgressBar(io.err, 'running', io.now);
  return await processor.run(
    {
      id: 'local',
      circuit: prepared.circuit,
      request: runRequest(prepared, shots, seed),
      priority: 'normal',
    },
    { onProgress: (fraction) => bar.update(fraction) },
    interrupt.signal,
  );
}

/** What a person reads: what ran where, and what came out. */
function report(facts: RunFacts, fields: CircuitResultFields, columns: number): string {
  const { backend, timing, compilation } = fields;
  const lines = [
    `${facts.processor}: ${facts.qubits} qubits, ${compilation.gates.before} gates, ${facts.shots} shots, seed ${facts.seed}`,
    `${backend.engine} engine (${backend.precision}) on ${backend.hardware}: compiled in ${timing.compile_ms} ms, ran in ${timing.execution_ms} ms`,
  ];
  if (fields.counts) lines.push('', histogram(fields.counts, columns));
  if (fields.expectation) lines.push('', `expectation: ${fields.expectation.values.join(', ')}`);
  if (fields.probabilities) lines.push('', 'probabilities:', ...listed(fields.probabilities));
  if (fields.statevector) lines.push('', 'statevector:', ...amplitudes(fields.statevector));
  return lines.join('\n');
}

function listed(values: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(values).map(([label, value]) => `${label}  ${value}`);
}

function amplitudes(vector: readonly (readonly [number, number])[]): readonly string[] {
  const width = Math.log2(vector.length);
  return vector.flatMap(([re, im], index) =>
    re === 0 && im === 0
      ? []
      : [`${basisLabel(index, width)}  ${re} ${im < 0 ? '-' : '+'} ${Math.abs(im)}i`],
  );
}

function addInput(
  text: string,
  earlier: Readonly<Record<string, number | boolean>> = {},
): Readonly<Record<string, number | boolean>> {
  const [name = '', value = ''] = text.split(/=(.*)/s, 2);
  const isBoolean = value === 'true' || value === 'false';
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (name === '' || (!isBoolean && !Number.isFinite(number))) {
    throw new InvalidArgumentError('Write it as name=value, with a number, true or false.');
  }
  return { ...earlier, [name]: isBoolean ? value === 'true' : number };
}

function parseWhole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
