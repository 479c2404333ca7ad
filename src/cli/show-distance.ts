/** Action of `qcs distance`: the shortest graphlike error of a circuit or of a detector error model. */
import { extname } from 'node:path';
import { counted } from '../circuit/errors.ts';
import { symptomNames } from '../compiler/clifford/print-error-model.ts';
import { readErrorModel } from '../compiler/clifford/read-error-model.ts';
import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { shortestGraphlikeError } from '../decoding/shortest-graphlike-error.ts';
import { readCircuitFile, readText } from './circuit-file.ts';
import { type CommandIo, writeEither } from './command-io.ts';
import { FileUnreadableError, NoGraphlikeErrorError } from './errors.ts';
import { checkedRun, targetsHere } from './local-run.ts';

/** Options of the command. */
export interface DistanceOptions {
  readonly json?: boolean;
}

/**
 * Prints the errors, as lines of a detector error model.
 *
 * @throws {FileNotFoundError | FileUnreadableError}
 * @throws {NoGraphlikeErrorError} if no errors of one or two detectors flip an observable and no detector.
 */
export async function showDistance(
  file: string,
  options: DistanceOptions,
  io: CommandIo,
): Promise<void> {
  const isModel = extname(file).toLowerCase() === '.dem';
  const model = readErrorModel(isModel ? await readText(file) : await modelOfCircuit(file, io));
  if ('problem' in model) {
    throw new FileUnreadableError(file, `line ${model.line}: ${model.problem.replace(/\.$/, '')}`);
  }
  const shortest = shortestGraphlikeError(model);
  if (shortest === undefined) throw new NoGraphlikeErrorError(file);
  const errors = shortest.map((each) => symptomNames(each, model.numDetectors));
  const summary = `# ${counted(errors.length, 'error')}: together they flip a logical observable, and no detector.`;
  const lines = errors.map((each) => `error(1) ${each}`);
  const fields = { num_errors: errors.length, errors };
  writeEither(io, options, fields, [summary, ...lines].join('\n'));
}

/** The error model of a circuit with its errors whole, as Stim looks for the shortest error. */
async function modelOfCircuit(file: string, io: CommandIo): Promise<string> {
  const fields = {
    ...(await readCircuitFile(file)),
    target_processor: 'qvm',
    shots: 1,
    return: ['detector_error_model'],
    detector_error_model: { decompose_errors: false, approximate_disjoint_errors: true },
  };
  const targets = targetsHere(fleetOptions(loadConfig(io.environment), io.now));
  const text = checkedRun(fields, targets, io).checked.detection?.errorModel;
  if (text === undefined) throw new Error('unreachable: no error model, and no fault');
  return text;
}
