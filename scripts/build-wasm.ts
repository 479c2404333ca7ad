/**
 * Builds *.wasm from assembly/, for each precision with relaxed SIMD, without, and with 64-bit addresses, for stabilizer
 * runs, for Pauli propagation, and for decoders, into the given folder or else the one where the sources look for them.
 * With `--if-stale` only if a source is newer than a build. Each file is written elsewhere and then renamed, so that a
 * concurrent reader or builder always sees a whole file.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import asc from 'assemblyscript/asc';
import binaryen from 'assemblyscript/binaryen';

const SOURCES = 'assembly';

const { values, positionals } = parseArgs({
  options: { 'if-stale': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const output = positionals[0] ?? 'src/engine/cpu/wasm';

/** The compiler's target of 64-bit addresses. */
const WASM64 = 2;
/** 16 GiB, the most that V8 has. */
const WIDE_MEMORY_PAGES = 2 ** 18;

/** The threads of an engine share its memory. */
const SHARED = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'];

interface Build {
  readonly name: string;
  readonly entry: string;
  readonly options: readonly string[];
  readonly transforms?: readonly (typeof WideAddresses)[];
}

/**
 * Compiles for 64-bit addresses, which the compiler knows and has no option for. Exported functions keep 32-bit
 * parameters: all addresses that a host gives them lie in the first 4 GiB.
 */
class WideAddresses {
  /** The compiler sets it. */
  declare readonly program: {
    readonly options: { target: number };
    readonly module: { sizeType: number };
  };

  afterParse(): void {
    this.program.options.target = WASM64;
    this.program.module.sizeType = binaryen.i64;
  }

  afterCompile(module: binaryen.Module): void {
    module.setMemory(1, WIDE_MEMORY_PAGES, null, [], true, true, '0');
    module.addMemoryImport('0', 'env', 'memory', true);
    const exported = Array.from({ length: module.getNumExports() }, (_, i) =>
      binaryen.getExportInfo(module.getExportByIndex(i)),
    );
    for (const { kind, name, value } of exported) {
      if (kind !== binaryen.ExternalFunction) continue;
      const { params, results } = binaryen.getFunctionInfo(module.getFunction(value));
      const own = binaryen.expandType(params);
      const given = own.map((type) => (type === binaryen.i64 ? binaryen.i32 : type));
      const passed = own.map((type, i) => {
        const parameter = module.local.get(i, given[i]!);
        return type === binaryen.i64 ? module.i64.extend_u(parameter) : parameter;
      });
      const call = module.call(value, passed, results);
      module.removeExport(name);
      module.addFunction(`wide/${name}`, binaryen.createType(given), results, [], call);
      module.addFunctionExport(`wide/${name}`, name);
    }
  }
}

const BUILDS: readonly Build[] = [
  ...['f32', 'f64'].flatMap((precision) => {
    const entry = 'index.ts';
    const options = [...SHARED, '--use', `real=${precision}`];
    const relaxed = [...options, '--enable', 'relaxed-simd'];
    const wide = [...relaxed, '--enable', 'memory64'];
    return [
      { name: precision, entry, options },
      { name: `${precision}-relaxed`, entry, options: relaxed },
      { name: `${precision}-wide`, entry, options: wide, transforms: [WideAddresses] },
    ];
  }),
  { name: 'stabilizer', entry: 'stabilizer.ts', options: [] },
  { name: 'paulis', entry: 'paulis.ts', options: [] },
  { name: 'matching', entry: 'matching.ts', options: [] },
  { name: 'bp-osd', entry: 'bp-osd.ts', options: [] },
];

const OPTIONS = [
  ['--enable', 'simd', '--importMemory'],
  // WebAssembly allocates nothing: the host manages all memory.
  ['--runtime', 'stub', '--noAssert'],
  ['-O3', '--converge'],
].flat();

function isStale(): boolean {
  try {
    const builtAt = Math.min(...BUILDS.map(({ name }) => statSync(outputOf(name)).mtimeMs));
    return readdirSync(SOURCES).some((file) => statSync(join(SOURCES, file)).mtimeMs > builtAt);
  } catch {
    return true;
  }
}

function outputOf(name: string): string {
  return join(output, `${name}.wasm`);
}

async function build(): Promise<void> {
  mkdirSync(output, { recursive: true });
  const apart = mkdtempSync(join(output, 'build-'));
  try {
    for (const { name, entry, options, transforms } of BUILDS) {
      const built = join(apart, `${name}.wasm`);
      const source = join(SOURCES, entry);
      const all = [source, ...OPTIONS, ...options, '-o', built];
      // Checked: the compiler makes an object of a class and sets its program.
      const { error, stderr } = await asc.main(all, { transforms: transforms as never });
      if (error !== null) throw new Error(`${name}: ${error.message}\n${stderr.toString()}`);
      renameSync(built, outputOf(name));
    }
  } finally {
    rmSync(apart, { recursive: true });
  }
}

if (!values['if-stale'] || isStale()) await build();
