/** Entry point of the server: `npm start`, `node src/main.ts`, `qcs serve`. */

import type { RunningService, TestedService } from './compose.ts';
import { CodedError } from './errors/coded-error.ts';
import { keepCompiled } from './processes/compile-cache.ts';

/** Serves with the settings of the environment until SIGTERM or SIGINT, and sets the exit code. */
export async function main(): Promise<void> {
  // Continue to serve after the reader of the output or log has gone.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  keepCompiled(process.env);
  const { loadConfig, settingsWithoutEffect } = await import('./config.ts');
  const config = loadConfig(process.env);
  for (const { name, needs } of settingsWithoutEffect(process.env)) {
    process.stderr.write(`warning: ${name} has no effect without ${needs}.\n`);
  }
  const { startService } = await import('./compose.ts');
  const surroundings = {
    now: Date.now,
    elapsedMs: () => performance.now(),
    random: Math.random,
    environment: process.env,
  };
  const service = await startService(config, surroundings, process.stderr);
  process.stdout.write(greeting(service));

  let isStopping = false;
  const stop = async (signal: string) => {
    // A second signal ends the process at once.
    if (isStopping) process.exit(1);
    isStopping = true;
    process.stdout.write(`${signal}: finishing what runs …\n`);
    const { finished, requeued } = await service.close();
    process.stdout.write(
      `Stopped. Jobs: ${finished} finished, ${requeued} wait for the next start.\n`,
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  void service.replaced?.then(async (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    await stop('Replaced');
  });

  const tested = await service.tested.catch(async (error) => {
    await service.close();
    throw error;
  });
  if (tested !== undefined) process.stdout.write(findings(tested, service.origin));
}

function greeting({ origin, firstKey, numKeys }: RunningService): string {
  const lines = [
    `Quantum Compute Service: ${origin}/api/v1`,
    `Demo, without a key:     ${origin}/`,
    `Documentation:           ${origin}/docs`,
  ];
  if (firstKey !== undefined) lines.push('', ...keyLines(firstKey, origin));
  else if (numKeys === undefined) {
    lines.push('', 'The database cannot be reached. Until it can, requests are answered 503.');
  } else {
    const has =
      numKeys === 0
        ? 'is no valid API key'
        : numKeys === 1
          ? 'is 1 API key'
          : `are ${numKeys} API keys`;
    lines.push(
      '',
      `There ${has}; a key is shown only when it is made. To make another:`,
      '  npx qcs keys create --name NAME',
    );
  }
  return `${lines.join('\n')}\n\nListening. Self-tests are under way; what has passed its own takes work.\n`;
}

function keyLines(firstKey: string, origin: string): readonly string[] {
  return [
    'There was no API key, so one was made; it is shown this once. To try it, in another terminal:',
    `  export QCS_API_KEY=${firstKey}`,
    `  curl ${origin}/api/v1/quantum/circuits \\`,
    `    -H "X-API-Key: $QCS_API_KEY" -H 'Content-Type: application/json' \\`,
    `    -d '{"circuit":[{"gate":"H","qubit":0},{"gate":"CX","control":0,"target":1},{"gate":"M","qubits":[0,1]}],"target_processor":"statevector-sim","shots":1000}'`,
  ];
}

function findings(
  { firstKey, hardware, models, agents, recovered }: TestedService,
  origin: string,
): string {
  const lines = [
    ...(firstKey === undefined ? [] : ['', ...keyLines(firstKey, origin)]),
    '',
    'What runs circuits:',
    ...hardware.map((line) => `  ${line}`),
    'Models:',
    ...models.map((line) => `  ${line}`),
    'Agents and the TPU fleet:',
    ...agents.map((line) => `  ${line}`),
  ];
  if (recovered.requeued + recovered.failed > 0) {
    lines.push(
      `Jobs of an earlier process: ${recovered.requeued} run again, ${recovered.failed} failed.`,
    );
  }
  return `${lines.join('\n')}\n\nReady.\n`;
}

/** Reports why the server could not start, and exits with 2 for settings, 1 for anything else. */
export function reportStartFailure(error: unknown): void {
  const isSettings = error instanceof CodedError && error.code === 'CONFIG_INVALID';
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(isSettings ? 2 : 1);
}

if (import.meta.main) await main().catch(reportStartFailure);
