/** Files that deploy the service: where they are, and the settings of a process in the image. */
import { readFileSync } from 'node:fs';
import { type Config, loadConfig } from '../../src/config.ts';

/** Folder of the repository. */
export const ROOT = new URL('../../', import.meta.url);

/** Text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** Variables that the image sets. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const variables = textOf('Dockerfile').matchAll(/\b(QCS_[A-Z_]+)=(\S+)/g);
  return Object.fromEntries([...variables].map(([, name = '', value = '']) => [name, value]));
}

/**
 * Settings of a process in the image, with those that a file gives it.
 *
 * @throws {InvalidConfigError} for a setting that does not exist, or a value that it does not take.
 */
export function imageConfig(environment: Readonly<Record<string, string>>): Config {
  return loadConfig({ ...imageEnvironment(), ...environment });
}
