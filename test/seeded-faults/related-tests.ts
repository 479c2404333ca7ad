/**
 * Test files that depend on a source, nearest first. Unlike `vitest related`, this follows paths in texts, too: a process that a
 * test starts, a shader and a page that was built.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** Folders whose files are parts of the graph. */
const FOLDERS = ['src', 'shaders', 'assembly', 'test', 'scripts', 'bin', 'bench', 'examples'];
/** Entries of what is built, by the folder that has it after the build. */
const BUILT: readonly (readonly [folder: string, entry: string])[] = [
  ['src/console/built', 'src/console/main.tsx'],
  ['src/engine/cpu/wasm', 'assembly/index.ts'],
  ['src/engine/cpu/wasm', 'assembly/stabilizer.ts'],
];
/** Contents of literals that could be paths, or the beginning of one. */
const LITERAL = /['"`]([\w@./-]{3,})(['"`]|\$\{)/g;

/** The tree's files by the files that name them. */
export function dependantsIn(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => /\.(?:tsx?|wgsl|js)$/.test(path) && !path.startsWith('src/console/built')),
  );
  const known = new Set(files);
  const dependants = new Map<string, Set<string>>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, literal = '', end] of text.matchAll(LITERAL)) {
      const relative = join(dirname(file), literal);
      // Kernels are named without their folder.
      const shader = file.includes('webgpu') ? [`shaders/${literal}`] : [];
      const paths = [relative, literal, ...shader];
      const named =
        end === '${'
          ? files.filter((each) =>
              paths.some((path) => !path.endsWith('/') && each.startsWith(path)),
            )
          : paths.flatMap((path) => [path, `${path}.ts`, `${path}.wgsl`]);
      const built = BUILT.filter(([folder]) => relative.startsWith(folder)).map(
        ([, entry]) => entry,
      );
      for (const target of [...named, ...built]) {
        if (!known.has(target) || target === file) continue;
        const own = dependants.get(target) ?? new Set();
        dependants.set(target, own.add(file));
      }
    }
  }
  return dependants;
}

/**
 * Paths of the test files that depend on `source`, those first that are the fewest steps away; of those at one distance, first
 * those of the lower rank, then those whose paths have more words in common with the source's.
 */
export function relatedTests(
  source: string,
  dependants: ReadonlyMap<string, ReadonlySet<string>>,
  rankOf: (test: string) => number,
): readonly string[] {
  const words = (path: string) => new Set(path.split(/[/.-]/));
  const own = words(source);
  const distance = new Map([[source, 0]]);
  for (const [file, steps] of distance) {
    for (const next of dependants.get(file) ?? []) {
      if (!distance.has(next)) distance.set(next, steps + 1);
    }
  }
  return [...distance]
    .filter(([file]) => /\.test\.tsx?$/.test(file))
    .map(([file, steps]) => ({ file, steps, shared: words(file).intersection(own).size }))
    .sort((a, b) => a.steps - b.steps || rankOf(a.file) - rankOf(b.file) || b.shared - a.shared)
    .map(({ file }) => file);
}
