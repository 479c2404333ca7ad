/** A fault that is put into a copy of the tree, to see what finds it. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { temporaryFolder } from '../support/service-process.ts';

/** One text in place of another: a mistake that somebody could make. It changes behaviour and still type-checks. */
export interface SeededFault {
  readonly name: string;
  /** Path from the root of the tree. */
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
  /** Areas of the fuzzer that are to find it, separated by commas. */
  readonly areas?: string;
}

/** Folders that a tree has only after work in it, and that a copy does without. */
const NOT_COPIED = [
  '.git',
  '.venv-clients',
  '.vitest',
  '.fuzz',
  'coverage',
  'data',
  'dist',
  'node_modules',
];

/** Copies a tree with what was built in it; the copy shares its `node_modules`. It is removed on disposal. */
export function copyOfTree(root: string): Disposable & { readonly path: string } {
  const copy = temporaryFolder();
  const left = new Set(NOT_COPIED.map((name) => resolve(root, name)));
  cpSync(resolve(root) + sep, copy.path, {
    recursive: true,
    filter: (path) => !left.has(resolve(path)),
  });
  symlinkSync(resolve(root, 'node_modules'), `${copy.path}/node_modules`);
  return copy;
}

/**
 * Puts a fault into a tree.
 *
 * @returns What takes it out again.
 * @throws {Error} if the text to replace does not stand there once: the fault has to be written anew.
 */
export function seed({ file, from, to }: SeededFault, root: string): () => void {
  const path = `${root}/${file}`;
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} has not once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return () => writeFileSync(path, text);
}

/**
 * Those faults whose names have the text, which may be a name with commas, or else one of its words, which are separated by
 * commas. All, if there is no text.
 */
export function chosenFaults<F extends SeededFault>(
  faults: readonly F[],
  text: string | undefined,
): readonly F[] {
  if (text === undefined) return faults;
  const whole = faults.filter(({ name }) => name.includes(text));
  if (whole.length > 0) return whole;
  return faults.filter(({ name }) => text.split(',').some((word) => name.includes(word)));
}
