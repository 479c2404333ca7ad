/**
 * Imports point one way, and only the entry points read the clock, chance and the environment. The
 * rules are a table; the scan proves itself on seeded breaches before it is trusted with the tree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = new URL('../../src/', import.meta.url);

const LEFT_OF_ENGINE = ['errors', 'math', 'storage', 'circuit'];
const LEFT_OF_SERVICE = [
  ...LEFT_OF_ENGINE,
  'compiler',
  'decoding',
  'processes',
  'fleet',
  'upstream',
  'workloads',
  'jobs',
  'cluster',
];
const LEFT_OF_ROOTS = [
  ...LEFT_OF_SERVICE,
  'hardware',
  'console',
  'service',
  'config.ts',
  'compose.ts',
  'compose-fleet.ts',
  'compose-stores.ts',
  'compose-postgres.ts',
  'compose-cluster.ts',
  'compose-parts.ts',
];

/** Layers that each layer, a folder or file directly under src/, may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  math: ['errors'],
  storage: ['errors'],
  circuit: ['errors', 'math', 'storage'],
  compiler: LEFT_OF_ENGINE,
  decoding: [...LEFT_OF_ENGINE, 'compiler'],
  engine: [...LEFT_OF_ENGINE, 'compiler'],
  processes: ['errors'],
  fleet: [...LEFT_OF_ENGINE, 'compiler', 'decoding', 'engine', 'processes'],
  upstream: ['errors'],
  hardware: ['errors', 'circuit', 'compiler', 'engine', 'fleet', 'upstream'],
  workloads: [...LEFT_OF_ENGINE, 'compiler', 'engine', 'processes', 'fleet', 'upstream'],
  jobs: ['errors', 'storage'],
  cluster: ['errors', 'storage', 'fleet', 'jobs'],
  // The client and the page run in a browser. The page is given facts; the service knows their types alone. Its worker
  // computes states as the service does: see LIVE_STATE.
  client: [],
  console: ['client'],
  // What models are given is a client of the service.
  service: [...LEFT_OF_SERVICE, 'client', 'console'],
  'setting-schemas.ts': [],
  'config.ts': ['errors', 'setting-schemas.ts'],
  'compose-fleet.ts': ['fleet', 'config.ts'],
  'compose-stores.ts': [
    'storage',
    'jobs',
    'cluster',
    'service',
    'config.ts',
    'compose-postgres.ts',
  ],
  'compose-postgres.ts': ['storage', 'jobs', 'cluster', 'service'],
  'compose-cluster.ts': [
    'storage',
    'jobs',
    'cluster',
    'fleet',
    'workloads',
    'service',
    'config.ts',
  ],
  'compose-parts.ts': ['fleet', 'hardware', 'workloads', 'service', 'config.ts'],
  'compose.ts': LEFT_OF_ROOTS,
  // `qcs run` runs an engine without a fleet around it.
  cli: [...LEFT_OF_ROOTS, 'engine', 'client'],
  'main.ts': LEFT_OF_ROOTS,
  'cli.ts': [...LEFT_OF_ROOTS, 'cli', 'main.ts'],
};
/** Computes states in the browser with the code of these layers, so that it never differs from the service. */
const LIVE_STATE = 'console/live-state/';
const ALLOWED_LIVE_STATE = ['errors', 'circuit', 'compiler', 'engine'];
/** Folders of engine/ that hold a simulation method, which engines use. */
const METHODS = ['pauli', 'sparse', 'stabilizer'];
/** Folders of service/: each may import those before it. Of the files beside them they import two, for their types. */
const FOLDERS_OF_SERVICE = [
  'audit',
  'http',
  'documents',
  'metrics',
  'jobs',
  'circuits',
  'batches',
  'experiments',
  'estimates',
  'ionq',
  'work',
  'models',
  'systems',
  'keys',
  'mcp',
];
const TYPES_OF_SERVICE = ['directories.ts', 'service-deps.ts'];
const ENTRY_POINTS = ['main.ts', 'cli.ts'];
/** Entry of a process whose environment changes from adapter to adapter: nothing else picks one. */
const SETS_ENVIRONMENT = 'fleet/adapters/spread-worker.ts';
const SURROUNDINGS = [
  /\bprocess\.env\b/,
  /\benv\b[^;]*['"]node:process['"]/,
  /\bDate\.now\b/,
  /\bnew Date\b(?!\s*\(\s*[^\s)])/,
  /\bMath\.random\b/,
];

/** Faults of a file of that path under src/. */
function breaches(path: string, source: string): readonly string[] {
  const code = withoutComments(source);
  const imports = code.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g);
  const targets = [...imports].map(([, name = '']) => posix.join(posix.dirname(path), name));
  const wrong = targets.filter((target) => !mayImport(path, target)).map((t) => `${path} → ${t}`);
  const found = [...wrong, ...pageModulesLoaded(path, code)];
  // Views of the page and their hooks are at its edge: they read the browser's clock.
  const isView = path.endsWith('.tsx') || /^console\/.*\/use-[\w-]+\.ts$/.test(path);
  if (ENTRY_POINTS.includes(path) || isView) return found;
  // A browser has no environment; the page shows programs that read theirs.
  const hasNone = path === SETS_ENVIRONMENT || path.startsWith('console/');
  const forbidden = hasNone ? SURROUNDINGS.slice(1) : SURROUNDINGS;
  return [...found, ...forbidden.flatMap((p) => p.exec(code) ?? []).map((w) => `${path}: ${w}`)];
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/**
 * Circles of imports, each as its files in order, separated by spaces: the strongly connected components
 * (Tarjan, 1972). Imports of types count, and so does `import()`.
 *
 * @param sources - Source by path under src/.
 */
function circles(sources: ReadonlyMap<string, string>): readonly string[] {
  const found: string[] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    stack.push(path);
    let lowest = own;
    const code = withoutComments(sources.get(path) ?? '');
    for (const [, name = ''] of code.matchAll(/\b(?:from|import)\s*\(?['"](\.[^'"]+)['"]/g)) {
      const target = posix.join(posix.dirname(path), name);
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, order.get(target) ?? own);
    }
    if (lowest < own) return lowest;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1) found.push(component.sort().join(' '));
    return lowest;
  };
  for (const path of sources.keys()) if (!order.has(path)) visit(path);
  return found;
}

/** Modules of the page that a file of another layer would load: all that it imports beside types. */
function pageModulesLoaded(path: string, code: string): readonly string[] {
  if (path.startsWith('console/')) return [];
  const withoutTypes = code.replace(/\b(?:import|export) type\b[^;]*?['"][^'"]+['"]/g, '');
  const loaded = withoutTypes.matchAll(/['"][./]+\/(console\/[\w/-]+\.tsx?)['"]/g);
  return [...loaded].map(([, name]) => `${path} → ${name}`);
}

function mayImport(path: string, target: string): boolean {
  const [layer = '', ...rest] = path.split('/');
  const [targetLayer = '', ...targetRest] = target.split('/');
  if (layer === 'engine' && targetLayer === 'compiler') return target === 'compiler/program.ts';
  if (path.startsWith(LIVE_STATE) && ALLOWED_LIVE_STATE.includes(targetLayer)) return true;
  if (layer !== targetLayer) return ALLOWED[layer]?.includes(targetLayer) ?? false;
  if (layer === 'service' && rest.length > 1) {
    const [folder = ''] = rest;
    const [targetFolder = ''] = targetRest;
    if (targetRest.length === 1) return TYPES_OF_SERVICE.includes(targetFolder);
    const place = FOLDERS_OF_SERVICE.indexOf(targetFolder);
    return place >= 0 && place <= FOLDERS_OF_SERVICE.indexOf(folder);
  }
  if (layer !== 'engine') return true;
  // Engines are the folders of engine/: none imports another, and what they share imports none. Methods are shared.
  const isShared = targetRest.length === 1 || METHODS.includes(targetRest[0] ?? '');
  return isShared || targetRest[0] === (rest.length > 1 ? rest[0] : undefined);
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll('\\', '/'));

test('every file keeps to its layer, and to what it is given', () => {
  expect(files.length).toBeGreaterThan(20);
  const found = files.flatMap((path) => breaches(path, readFileSync(new URL(path, SRC), 'utf8')));
  expect(found).toEqual([]);
});

test('files that ARCHITECTURE.md and the guides name are there', () => {
  const root = new URL('../../', import.meta.url);
  const inFolders = ['src', 'shaders', 'assembly', 'scripts', 'bench', 'test', 'examples'].flatMap(
    (folder) =>
      readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).map(
        (path) => `/${folder}/${path.replaceAll('\\', '/')}`,
      ),
  );
  const tracked = [...inFolders, ...readdirSync(root).map((path) => `/${path}`)];
  const guides = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });
  const documents = guides.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
  const missing = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', ...documents].flatMap(
    (document) =>
      [
        ...readFileSync(new URL(document, root), 'utf8').matchAll(
          /`([a-z][a-z0-9_./-]+\.(?:tsx?|wgsl))`/g,
        ),
      ]
        .map(([, name = '']) => name)
        .filter((name) => !tracked.some((path) => path.endsWith(`/${name}`)))
        .map((name) => `${document}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('entries of threads and processes that modules name are there', () => {
  const named = files.flatMap((path) => {
    const code = readFileSync(new URL(path, SRC), 'utf8');
    const entries = code.matchAll(/new URL\(`(\.[^`$]+)\$\{extname\(import\.meta\.url\)\}`/g);
    return [...entries].map(([, name = '']) => `${posix.join(posix.dirname(path), name)}.ts`);
  });
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});

test('no files import each other in a circle', () => {
  const sources = new Map(files.map((path) => [path, readFileSync(new URL(path, SRC), 'utf8')]));
  expect(circles(sources)).toEqual([]);
});

test('only what is loaded for PostgreSQL loads its driver', () => {
  const loads = (path: string) => {
    const code = withoutComments(readFileSync(new URL(path, SRC), 'utf8'));
    const loaded = code.replace(/\b(?:import|export) type\b[^;]*?['"][^'"]+['"]/g, '');
    const names = loaded.matchAll(/\b(?:from|import)\s*['"]([^'"]+)['"]/g);
    return [...names].map(([, name = '']) => name);
  };
  const loadsDriver = new Set(files.filter((path) => loads(path).includes('pg')));
  expect(loadsDriver.size).toBeGreaterThan(0);
  // Files that import one of these, and so on.
  for (let size = 0; size < loadsDriver.size; ) {
    size = loadsDriver.size;
    for (const path of files) {
      const targets = loads(path).map((name) => posix.join(posix.dirname(path), name));
      if (targets.some((target) => loadsDriver.has(target))) loadsDriver.add(path);
    }
  }
  const others = [...loadsDriver].filter((path) => !path.startsWith('storage/postgres/'));
  expect(others.sort()).toEqual([
    'cli/manage-cluster.ts',
    'cli/migrate-storage.ts',
    'cluster/cluster-jobs.ts',
    'compose-cluster.ts',
    'compose-postgres.ts',
  ]);
});

test('what the live state loads uses nothing of Node', () => {
  const loaded = new Set([
    'console/live-state/state-worker.ts',
    'console/live-state/live-state.ts',
  ]);
  const outside: string[] = [];
  for (const path of loaded) {
    const code = withoutComments(readFileSync(new URL(path, SRC), 'utf8'));
    const values = code.replace(/\b(?:import|export) type\b[^;]*?['"][^'"]+['"]/g, '');
    for (const [, name = ''] of values.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) loaded.add(posix.join(posix.dirname(path), name));
      else if (name !== 'zod') outside.push(`${path} → ${name}`);
    }
  }
  expect(loaded.size).toBeGreaterThan(100);
  expect(outside).toEqual([]);
});

test('a circle is found also where it is of types, or of import()', () => {
  const sources = new Map([
    ['a/a.ts', "import { b } from './b.ts';\nimport { e } from '../e.ts';"],
    ['a/b.ts', "import type { C } from '../c.ts';"],
    ['c.ts', "export {\n  a,\n} from './a/a.ts'; // from './d.ts'"],
    ['d.ts', "import './e.ts';"],
    ['e.ts', "const d = await import('./d.ts');"],
  ]);
  expect(circles(sources)).toEqual(['d.ts e.ts', 'a/a.ts a/b.ts c.ts']);
});

describe('the scan finds', () => {
  test.each([
    ['an import to the right', 'circuit/a.ts', "import { b } from '../compiler/b.ts';"],
    ['also of a type', 'math/a.ts', "import type { B } from '../circuit/b.ts';"],
    ['also re-exported', 'errors/a.ts', "export {\n  b,\n} from '../math/b.ts';"],
    ['also dynamic', 'jobs/a.ts', "const b = await import('../fleet/b.ts');"],
    ['also for its effects', 'fleet/a.ts', "import '../jobs/b.ts';"],
    ['a feature importing a later one', 'service/http/a.ts', "from '../keys/b.ts'"],
    ['a feature importing the whole service', 'service/jobs/a.ts', "from '../app.ts'"],
    ['the service importing an engine', 'service/http/a.ts', "from '../../engine/engine.ts'"],
    ['an engine importing the pipeline', 'engine/cpu/a.ts', "from '../../compiler/compile.ts'"],
    ['an engine importing another', 'engine/cpu/a.ts', "from '../reference/b.ts'"],
    ['what engines share importing one', 'engine/a.ts', "from './reference/b.ts'"],
    ['the page importing a layer', 'console/a.ts', "from '../math/b.ts'"],
    [
      'the live state importing the service',
      'console/live-state/a.ts',
      "from '../../service/b.ts'",
    ],
    [
      'the service loading a module of the page',
      'service/a.ts',
      "import { b } from '../console/a/b.ts';",
    ],
    ['a layer importing an entry point', 'service/a.ts', "from '../main.ts'"],
    ['a layer that the table does not know', 'extras/a.ts', "from '../math/b.ts'"],
    ['the environment', 'config.ts', 'const home = process.env.HOME;'],
    ['the environment by its module', 'fleet/a.ts', "import { env } from 'node:process';"],
    ['the clock', 'jobs/a.ts', 'const now = Date.now();'],
    ['the clock in a date', 'service/a.ts', 'const now = new Date();'],
    ['chance', 'math/a.ts', 'const u = Math.random();'],
    ['the clock in the logic of the page', 'console/a/b.ts', 'const now = Date.now();'],
  ])('%s', (_, path, source) => {
    expect(breaches(path, source)).toHaveLength(1);
  });
});

describe('the scan lets pass', () => {
  test.each([
    ['an import to the left', 'engine/cpu/a.ts', "from '../../math/philox.ts'"],
    ['an engine importing the program', 'engine/cpu/a.ts', "from '../../compiler/program.ts'"],
    ['an engine importing what engines share', 'engine/cpu/a.ts', "from '../mutex.ts'"],
    ['an engine importing itself', 'engine/cpu/a.ts', "from './b.ts'"],
    [
      'the service taking a type of the page',
      'service/a.ts',
      "import type { B } from '../console/b.ts';",
    ],
    ['a view that reads the clock', 'console/a/b.tsx', 'const now = Date.now();'],
    ['a hook that reads the clock', 'console/a/use-b.ts', 'const now = Date.now();'],
    [
      'the live state importing the compiler',
      'console/live-state/a.ts',
      "from '../../compiler/b.ts'",
    ],
    ['a date of a given time', 'service/a.ts', 'new Date(now).toISOString();'],
    ['words in comments', 'jobs/a.ts', '/** Not Date.now. */ // nor process.env\nconst a = 1;'],
    ['an entry point’s reading', 'main.ts', 'const { env } = process; Date.now(); Math.random();'],
  ])('%s', (_, path, source) => {
    expect(breaches(path, source)).toEqual([]);
  });
});
