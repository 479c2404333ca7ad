/** The last lines of a long run: the time of each project and the slowest files, so that an increase is seen. */
import type { Reporter, TestModule } from 'vitest/node';

/** A run of fewer files says nothing. */
const LONG_RUN = 50;
const NUM_SLOWEST = 10;

/** A file of tests and how long its tests, hooks and imports took. */
export interface FileTime {
  readonly project: string;
  /** From the repository's root. */
  readonly path: string;
  readonly seconds: number;
}

/** Lines that state the time of each project, the longest first, and that of the ten slowest files. */
export function timeLines(files: readonly FileTime[]): readonly string[] {
  const projects = Map.groupBy(files, ({ project }) => project);
  const totals = [...projects].map(([project, its]) => ({
    project,
    numFiles: its.length,
    seconds: its.reduce((sum, { seconds }) => sum + seconds, 0),
  }));
  const bySeconds = (a: { seconds: number }, b: { seconds: number }) => b.seconds - a.seconds;
  return [
    'Seconds of each project, added over its files:',
    ...totals
      .sort(bySeconds)
      .map(
        ({ project, numFiles, seconds }) =>
          `${seconds.toFixed(0).padStart(6)}  ${project} (${numFiles} files)`,
      ),
    'The slowest files:',
    ...files
      .toSorted(bySeconds)
      .slice(0, NUM_SLOWEST)
      .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)}  ${path}`),
  ];
}

/** Prints them after a run of many files. */
export class TimeReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < LONG_RUN) return;
    const files = modules.map((module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      return {
        project: module.project.name,
        path: module.relativeModuleId,
        seconds: (duration + collectDuration + setupDuration) / 1000,
      };
    });
    process.stdout.write(`\n${timeLines(files).join('\n')}\n`);
  }
}
