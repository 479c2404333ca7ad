/**
 * One session on a host with a GPU, within eight minutes: `./gpu-session` of an offline bundle, or
 * `node bench/gpu-session.ts`. Checks the engine first and stops where it is wrong; then measures the
 * most important things first, each in a process of its own with a time limit, so that one that hangs
 * costs the others nothing. Results are JSON files in the folder QCS_BENCH_RESULTS, which each step
 * writes as it goes on; session.json says what became of the steps.
 *
 * QCS_SESSION_S: seconds for all (460); the steps' limits are shares of it. QCS_SESSION_QUBITS: widths, the first one measured first
 * (30,27). QCS_SESSION_WIDE: widths to attempt (33,34). QCS_SESSION_PYTHON: Python with the peers
 * (python3). Drivers and adapters are chosen as in docs/gpu-hosts.md.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { store } from './harness.ts';

/** Time for which the limits of the steps are meant; they scale with the available time. */
const FULL_S = 460;
const {
  QCS_SESSION_S = `${FULL_S}`,
  QCS_SESSION_QUBITS = '30,27',
  QCS_SESSION_WIDE = '33,34',
  QCS_SESSION_PYTHON = 'python3',
  QCS_BENCH_RESULTS = 'bench/results',
} = process.env;
const root = join(import.meta.dirname, '..');
const [firstWidth = '30', ...otherWidths] = QCS_SESSION_QUBITS.split(',');

/** A measurement in a process of its own. */
interface SessionStep {
  readonly name: string;
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly limitS: number;
  /** Whether the steps after it are meaningless if it fails. */
  readonly isNeeded?: boolean;
}

interface StepOutcome {
  readonly step: string;
  readonly outcome: string;
  readonly tookS: number;
}

const script = (path: string, ...parameters: readonly string[]) => ({
  command: process.execPath,
  parameters: [join(root, path), ...parameters],
});
const table = (name: string, widths: string, wide: string, limitS: number): SessionStep => ({
  name,
  ...script('bench/run.ts', 'webgpu-engine'),
  environment: {
    QCS_BENCH_QUBITS: widths,
    QCS_BENCH_WIDE: wide,
    QCS_BENCH_RESULTS: join(QCS_BENCH_RESULTS, name),
  },
  limitS,
});

const steps: readonly SessionStep[] = [
  { name: 'devices', ...script('src/cli.ts', 'devices'), limitS: 30 },
  { name: 'check', ...script('bench/webgpu-check.ts'), limitS: 120, isNeeded: true },
  table(`engine-${firstWidth}`, firstWidth, '', 200),
  ...(existsSync(join(root, 'bench/webgpu-batches.ts'))
    ? [{ name: 'batches', ...script('bench/run.ts', 'webgpu-batches'), limitS: 60 }]
    : []),
  { name: 'noise', ...script('bench/run.ts', 'webgpu-noise'), limitS: 60 },
  {
    name: 'peers',
    command: QCS_SESSION_PYTHON,
    parameters: [
      join(root, 'bench/peers/gpu-peers.py'),
      '--qubits',
      firstWidth,
      '--node',
      process.execPath,
      '--limit',
      '90',
    ],
    limitS: 100,
  },
  ...otherWidths.map((width) => table(`engine-${width}`, width, '', 90)),
  ...QCS_SESSION_WIDE.split(',').flatMap((width) =>
    width === ''
      ? []
      : [{ name: `wide-${width}`, ...script('bench/webgpu-attempts.ts', width), limitS: 120 }],
  ),
];

/** Runs a step to its end or time limit. */
function run(step: SessionStep, limitS: number): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...step.environment };
    const child = spawn(step.command, step.parameters, { stdio: 'inherit', env });
    let isLate = false;
    // SIGTERM lets the driver clean up; a process that does not end is killed.
    const timers = [0, 10].map((extraS) =>
      setTimeout(
        () => {
          isLate = true;
          child.kill(extraS === 0 ? 'SIGTERM' : 'SIGKILL');
        },
        1000 * (limitS + extraS),
      ),
    );
    const end = (outcome: string) => {
      for (const timer of timers) clearTimeout(timer);
      resolve(outcome);
    };
    child.on('error', (error) => end(`could not be started: ${error.message}`));
    child.on('close', (code, signal) => {
      if (isLate) end(`stopped after ${limitS.toFixed(0)} s`);
      else end(code === 0 ? 'done' : `ended with ${code ?? signal}`);
    });
  });
}

const outcomes: StepOutcome[] = [];
const endsAt = performance.now() + 1000 * Number(QCS_SESSION_S);
for (const step of steps) {
  const leftS = (endsAt - performance.now()) / 1000;
  const limitS = Math.min((step.limitS * Number(QCS_SESSION_S)) / FULL_S, leftS);
  const started = performance.now();
  process.stdout.write(`== ${step.name}\n`);
  const outcome = limitS < 5 ? 'left out: no time' : await run(step, limitS);
  const tookS = (performance.now() - started) / 1000;
  process.stdout.write(`== ${step.name}: ${outcome}, ${tookS.toFixed(1)} s\n`);
  outcomes.push({ step: step.name, outcome, tookS });
  store('session', outcomes);
  if (step.isNeeded && outcome !== 'done') {
    process.exitCode = 1;
    break;
  }
}
