/** Action of `qcs train`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import { InvalidArtefactError } from '../workloads/errors.ts';
import { readArtefact } from '../workloads/models/qnn-hybrid/artefact-file.ts';
import { artefactText, buildArtefact } from '../workloads/models/qnn-hybrid/build-artefact.ts';
import type { ModelArtefact } from '../workloads/models/qnn-hybrid/model-card.ts';
import { trainQnnHybrid } from '../workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { type CommandIo, EXIT_CODES, Interrupt, table, writeEither } from './command-io.ts';
import { FileNotFoundError } from './errors.ts';
import { ProgressBar } from './progress-bar.ts';

/** Options of the command. */
export interface TrainOptions {
  readonly out: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

const STATE_BYTES = 2 ** 26;

/**
 * Trains and measures a model, then writes it to the file or compares it with the file.
 *
 * @param trainer - Function that trains; tests pass a quick one.
 */
export async function trainModel(
  options: TrainOptions,
  io: CommandIo,
  trainer: typeof trainQnnHybrid = trainQnnHybrid,
): Promise<void> {
  // Check the file before training, so that a wrong file is reported at once.
  const earlier = earlierArtefact(options, io);
  using interrupt = new Interrupt(io);
  using bar = new ProgressBar(io.err, 'training', () => performance.now());
  const startedAt = performance.now();
  const engine = openCpuEngine({
    precision: 'f64',
    numThreads: 1,
    maxQubits: 12,
    memoryBytes: STATE_BYTES,
    isReproducible: true,
  });
  let said = '';
  try {
    const onProgress = (what: string, fraction: number) => {
      // A terminal has the bar; a log gets a line for each part of the work.
      if (io.err.isTTY !== true && what !== said) io.err.write(`${what} …\n`);
      said = what;
      bar.update(fraction);
    };
    const outcome = await trainer(engine, onProgress, interrupt.signal);
    const today = new Date(io.now()).toISOString().slice(0, 10);
    const artefact = buildArtefact(outcome, today, earlier);
    const isSame = keep(artefact, options);
    writeEither(io, options, artefact.card, reportText(artefact));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    io.err.write(`${options.out}: ${verdict(isSame, options)} (${seconds} s).\n`);
    if (options.check === true && !isSame) process.exitCode = EXIT_CODES.failed;
  } finally {
    await engine.close();
  }
}

/**
 * Reads the present content of the file; undefined if the file is missing or unusable.
 *
 * @throws {FileNotFoundError | InvalidArtefactError} in those cases if the file is only checked.
 */
function earlierArtefact({ out, check }: TrainOptions, io: CommandIo): ModelArtefact | undefined {
  if (!existsSync(out)) {
    if (check === true) throw new FileNotFoundError(out);
    return undefined;
  }
  try {
    return readArtefact(out);
  } catch (error) {
    if (!(error instanceof InvalidArtefactError) || check === true) throw error;
    io.err.write(`${out} will be replaced: ${error.message}\n`);
    return undefined;
  }
}

/** Writes the file unless it is only checked; returns whether its content was already the same. */
function keep(artefact: ModelArtefact, { out, check }: TrainOptions): boolean {
  const text = artefactText(artefact);
  const isSame = existsSync(out) && readFileSync(out, 'utf8') === text;
  if (check !== true && !isSame) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, text);
  }
  return isSame;
}

function verdict(isSame: boolean, { check }: TrainOptions): string {
  if (isSame) return 'the same as before, to the byte';
  return check === true ? 'differs from what training gives' : 'written';
}

function reportText({ card }: ModelArtefact): string {
  const { metrics, baselines, model_selection: selection, circuit } = card;
  const both = ({ mean, spread }: { readonly mean: number; readonly spread: number }) =>
    `${mean.toFixed(4)} ± ${spread.toFixed(4)}`;
  const candidates = selection.candidates.map(
    ({ ansatz, layers, parameters, accuracy, chosen }) => [
      `${chosen ? '* ' : '  '}${ansatz}`,
      `${layers}`,
      `${parameters}`,
      both(accuracy),
    ],
  );
  const { folds, repeats } = metrics.cross_validation;
  const { shots } = metrics.accuracy_at_deployed_shots;
  const [[trueNegatives, falsePositives] = [], [falseNegatives, truePositives] = []] =
    metrics.held_out_confusion_matrix.matrix;
  const figures = [
    ['exact', both(metrics.accuracy)],
    [`at ${shots} shots`, both(metrics.accuracy_at_deployed_shots)],
    ...baselines.map(({ name, accuracy }) => [name, both(accuracy)]),
  ];
  return [
    table(['  candidate', 'layers', 'parameters', 'accuracy'], candidates),
    '',
    `${selection.rule}`,
    '',
    table([`Accuracy, ${folds}-fold × ${repeats}`, ''], figures),
    '',
    `Held out, ${card.labels[0]}: ${trueNegatives} right, ${falsePositives} wrong; ${card.labels[1]}: ${truePositives} right, ${falseNegatives} wrong.`,
    `Deployed: ${circuit.parameters} parameters, threshold ${circuit.threshold.toFixed(4)}, ${card.parameter_hash}`,
  ].join('\n');
}
