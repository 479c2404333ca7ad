/**
 * Stages an offline bundle for a GPU host: this Node, the runtime packages with Dawn for one
 * platform only, the sources as they are, and scripts that start them. Nothing is installed or
 * downloaded; everything is taken from a checkout in which `npm ci` has run.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

const PLATFORM = 'linux-x64';
/** Parts of the checkout that are copied whole. */
const SOURCES = ['src', 'shaders', 'models', 'bench', 'docs', 'examples', 'package.json'];
/** Benchmarks start the service with the tests' support code. */
const BENCH_SUPPORT = ['test/support', 'test/service/support', 'test/data'];
/** Folder of the console. Its build is taken; of its sources, only the modules that the service loads. */
const CONSOLE = 'src/console';
/** Sources of the console that only its build reads. */
const ONLY_BUILT = /\.(tsx|css|svg|html)$/;
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE'];
/** Files that the runtime does not need. */
const LEFT_OUT = /\.(map|d\.ts|d\.mts|d\.cts)$/;
/** Packages that benchmarks need beside the service's. */
const BENCH_PACKAGES = ['node_modules/tinybench'];
/** Dawn builds of other platforms, which are most of the package. */
const OTHER_DAWN = /^node_modules\/webgpu\/(dist\/(?!linux-x64)|build)/;

/** Contents of a bundle. */
export interface BundleContents {
  /** Root of the checkout. */
  readonly root: string;
  /** Debian packages whose libraries are added, for hosts that lack them. */
  readonly debs: readonly string[];
}

/**
 * Puts a bundle's files into an empty folder.
 *
 * @throws {Error} if this is not the platform that is packed, or a build is missing in the checkout.
 */
export function stageBundle(folder: string, { root, debs }: BundleContents): void {
  if (`${process.platform}-${process.arch}` !== PLATFORM) {
    throw new Error(`A bundle holds the Node it is packed with, which must be ${PLATFORM}.`);
  }
  if (!existsSync(join(root, 'src/engine/cpu/wasm/f32.wasm'))) {
    throw new Error('The WebAssembly is not built: run `npm run build:wasm`.');
  }
  if (!existsSync(join(root, CONSOLE, 'built/index.html'))) {
    throw new Error('The console is not built: run `npm run build:page`.');
  }
  const app = join(folder, 'app');
  mkdirSync(app, { recursive: true });
  for (const name of [...SOURCES, ...BENCH_SUPPORT, ...DOCUMENTS]) {
    if (!existsSync(join(root, name))) continue;
    const isKept = (from: string) => {
      const path = relative(root, from);
      return !path.startsWith('bench/results') && !isOnlyBuilt(path);
    };
    cpSync(join(root, name), join(app, name), { recursive: true, filter: isKept });
  }
  for (const path of runtimePackages(root)) copyPackage(root, app, path);
  copyFileSync(realpathSync(process.execPath), join(folder, 'node'));
  chmodSync(join(folder, 'node'), 0o755);
  for (const deb of debs) unpackLibraries(deb, join(folder, 'lib'));
  writeStarters(folder);
}

/** True for a source of the console that the service does not load itself. */
function isOnlyBuilt(path: string): boolean {
  return (
    path.startsWith(`${CONSOLE}/`) && !path.startsWith(`${CONSOLE}/built`) && ONLY_BUILT.test(path)
  );
}

/** Folders of the packages that run, as the lock file has them: node_modules/NAME and nested ones. */
export function runtimePackages(root: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entries: readonly [string, { readonly dev?: boolean }][] = Object.entries(packages);
  const runtime = entries.filter(([path, { dev }]) => path !== '' && dev !== true);
  return [...runtime.map(([path]) => path), ...BENCH_PACKAGES].filter((path) =>
    existsSync(join(root, path)),
  );
}

/** A package without those nested in it, which are listed on their own. */
function copyPackage(root: string, app: string, path: string): void {
  const own = join(root, path);
  const isKept = (from: string) => {
    const inside = relative(own, from);
    const whole = relative(root, from);
    return !inside.startsWith('node_modules') && !LEFT_OUT.test(whole) && !OTHER_DAWN.test(whole);
  };
  cpSync(own, join(app, path), { recursive: true, filter: isKept });
}

/** The shared libraries of a Debian package. */
function unpackLibraries(deb: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const unpacked = mkdtempSync(join(tmpdir(), 'qcs-deb-'));
  try {
    execFileSync('dpkg-deb', ['-x', deb, unpacked]);
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true });
    const libraries = files.filter(({ name }) => /\.so(\.\d+)*$/.test(name));
    if (libraries.length === 0) throw new Error(`${basename(deb)} has no shared library.`);
    for (const { parentPath, name } of libraries) {
      const options = { verbatimSymlinks: true };
      cpSync(join(parentPath, name), join(folder, name), options);
    }
  } finally {
    rmSync(unpacked, { recursive: true });
  }
}

/** Command of each start script. */
const STARTERS: Readonly<Record<string, string>> = {
  qcs: 'src/cli.ts',
  bench: 'bench/run.ts',
  'gpu-session': 'bench/gpu-session.ts',
};

function writeStarters(folder: string): void {
  for (const [name, entry] of Object.entries(STARTERS)) {
    const script = `#!/bin/sh
# Runs app/${entry} with the bundle's own Node, from any folder, with no PATH.
case $0 in */*) here=\${0%/*} ;; *) here=. ;; esac
here=$(cd "$here" && pwd) || exit
if [ -d "$here/lib" ]; then
  export LD_LIBRARY_PATH="$here/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
export QCS_BENCH_RESULTS="\${QCS_BENCH_RESULTS:-results}"
exec "$here/node" "$here/app/${entry}" "$@"
`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
}
