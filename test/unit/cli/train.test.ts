/** `qcs train` but for the training, which a test of its own takes the time for. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addTrainCommand } from '../../../src/cli/program.ts';
import {
  ARTEFACT_FILE,
  readArtefact,
} from '../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import type { trainQnnHybrid } from '../../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { outcomeOf } from '../../support/training-outcomes.ts';

const COMMITTED = readFileSync(ARTEFACT_FILE, 'utf8');
const outcome = await outcomeOf(readArtefact());
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'train-'));
  file = join(folder, 'models', 'qnn-hybrid.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Present handler of Ctrl-C. */
let interrupt = () => {};

function onInterrupt(listener: () => void): Disposable {
  interrupt = listener;
  return { [Symbol.dispose]: () => {} };
}

/** Runs the command on 2030-01-01; what it wrote, how it ended, and how often it trained. */
async function run(
  args: readonly string[],
  trainer: typeof trainQnnHybrid = async (_engine, onProgress) => {
    onProgress('comparing', 0.5);
    onProgress('comparing', 0.6);
    onProgress('measuring', 1);
    return outcome;
  },
) {
  const written = { out: '', err: '' };
  let trainings = 0;
  const program = new Command('qcs').exitOverride().configureOutput({
    writeOut: (text) => (written.out += text),
    writeErr: (text) => (written.err += text),
  });
  const io = {
    out: { write: (text: string) => (written.out += text) },
    err: { write: (text: string) => (written.err += text) },
    environment: {},
    now: () => Date.UTC(2030, 0, 1, 12),
    random: () => 0.5,
    sleep: async () => {},
    onInterrupt,
  };
  addTrainCommand(program, io, (...parts) => {
    trainings++;
    return trainer(...parts);
  });
  const ended = program.parseAsync(['node', 'qcs', 'train', ...args]).then(
    () => ({}),
    (error: { readonly code: string }) => ({ error: error.code }),
  );
  const error = await ended;
  const { exitCode } = process;
  process.exitCode = undefined;
  return { ...written, ...error, exitCode, trainings };
}

describe('it writes', () => {
  test('a new file, in a folder that it makes, dated today', async () => {
    const { err, exitCode } = await run(['qnn-hybrid', '--out', file]);
    expect(readFileSync(file, 'utf8')).toBe(
      COMMITTED.replace(/"measured_at": "[^"]*"/, '"measured_at": "2030-01-01"'),
    );
    expect(err).toContain(`${file}: written (`);
    expect(exitCode).toBeUndefined();
  });

  test('the same bytes over the committed file, and says so', async () => {
    file = join(folder, 'model.json');
    writeFileSync(file, COMMITTED);
    const { err } = await run(['qnn-hybrid', '--out', file]);
    expect(readFileSync(file, 'utf8')).toBe(COMMITTED);
    expect(err).toContain('the same as before, to the byte');
  });

  test('the committed bytes over a file that says the same in other white space', async () => {
    file = join(folder, 'model.json');
    writeFileSync(file, JSON.stringify(JSON.parse(COMMITTED)));
    const { err } = await run(['qnn-hybrid', '--out', file]);
    expect(readFileSync(file, 'utf8')).toBe(COMMITTED);
    expect(err).toContain(': written (');
  });

  test.each([
    ['half a file', COMMITTED.slice(0, 1000)],
    ['a file of another format', COMMITTED.replace('"format": 1', '"format": 0')],
  ])('over %s, and says beforehand that it will', async (_, text) => {
    file = join(folder, 'model.json');
    writeFileSync(file, text);
    const { err, exitCode } = await run(['qnn-hybrid', '--out', file]);
    expect(err.startsWith(`${file} will be replaced: The file of the trained model`)).toBe(true);
    expect(readArtefact(file).card.measured_at).toBe('2030-01-01');
    expect(exitCode).toBeUndefined();
  });
});

describe('--check', () => {
  test('is content with exactly what training gives', async () => {
    file = join(folder, 'model.json');
    writeFileSync(file, COMMITTED);
    const ended = await run(['qnn-hybrid', '--check', '--out', file]);
    expect(ended.exitCode).toBeUndefined();
    expect(ended.err).toContain('the same as before, to the byte');
  });

  test.each([
    ['another figure', COMMITTED.replace('"log_loss": 0.', '"log_loss": 0.9')],
    ['other white space', `${COMMITTED}\n`],
  ])('fails for %s, and writes nothing', async (_, text) => {
    file = join(folder, 'model.json');
    writeFileSync(file, text);
    const ended = await run(['qnn-hybrid', '--check', '--out', file]);
    expect(ended.exitCode).toBe(1);
    expect(ended.err).toContain('differs from what training gives');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('fails at once for a damaged file, which stays as it is', async () => {
    file = join(folder, 'model.json');
    writeFileSync(file, '{}');
    const ended = await run(['qnn-hybrid', '--check', '--out', file]);
    expect(ended).toMatchObject({ error: 'WORKLOADS_ARTEFACT_INVALID', trainings: 0 });
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('fails at once where there is no file, and makes none', async () => {
    const ended = await run(['qnn-hybrid', '--check', '--out', file]);
    expect(ended).toMatchObject({ error: 'CLI_FILE_NOT_FOUND', trainings: 0 });
    expect(existsSync(file)).toBe(false);
  });
});

describe('it prints', () => {
  test('candidates, the choice, accuracies and what is deployed', async () => {
    const { out } = await run(['qnn-hybrid', '--out', file]);
    const { card } = readArtefact();
    expect(out).toMatch(/^\* ghz-reuploading +1 +12 +0\.\d{4} ± 0\.\d{4}$/m);
    expect(out).toMatch(/^ {2}ring-reuploading +3 +24 +0\./m);
    expect(out).toContain(`exact`);
    expect(out).toContain(card.metrics.accuracy.mean.toFixed(4));
    expect(out).toMatch(/^at 1024 shots +0\./m);
    for (const { name } of card.baselines) expect(out).toContain(name);
    const [[right, wrong] = [], [missed, found] = []] =
      card.metrics.held_out_confusion_matrix.matrix;
    expect(out).toContain(`versicolor: ${right} right, ${wrong} wrong`);
    expect(out).toContain(`virginica: ${found} right, ${missed} wrong`);
    expect(out).toContain(card.parameter_hash);
  });

  test('with --json the card, and nothing else on stdout', async () => {
    const { out } = await run(['qnn-hybrid', '--json', '--out', file]);
    const { card } = readArtefact();
    expect(JSON.parse(out)).toEqual({ ...card, measured_at: '2030-01-01' });
  });

  test('each part of the work once where no one watches', async () => {
    const { err } = await run(['qnn-hybrid', '--out', file]);
    expect(err.match(/…$/gm)).toHaveLength(2);
    expect(err).toContain('comparing …\nmeasuring …\n');
  });

  test('its help, which names the model and says that training repeats itself', async () => {
    const { out, error } = { error: '', ...(await run(['--help'])) };
    expect(error).toBe('commander.helpDisplayed');
    expect(out).toContain('"qnn-hybrid"');
    expect(out).toContain('Training again gives the same bytes');
  });
});

test('Ctrl-C ends the training, and nothing is written', async () => {
  const ended = await run(['qnn-hybrid', '--out', file], (_engine, _onProgress, signal) => {
    interrupt();
    return Promise.reject(signal.reason);
  });
  expect(ended).toMatchObject({ error: 'CLI_INTERRUPTED' });
  expect(existsSync(file)).toBe(false);
});

test.each([
  ['another model', ['nonsense'], 'commander.invalidArgument'],
  ['no model', [], 'commander.missingArgument'],
  ['an unknown option', ['qnn-hybrid', '--fast'], 'commander.unknownOption'],
])('%s is refused, without a training', async (_, args, code) => {
  const { error, trainings } = { error: '', ...(await run(args)) };
  expect([error, trainings]).toEqual([code, 0]);
});
