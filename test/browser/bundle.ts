/** Makes one module of the page's sources that a browser loads as it is. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The text of the module, with nothing left to import. */
export async function bundlePage(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    // Conformance tries as many cases in a page as elsewhere; a page has no environment.
    define: {
      'process.env.QCS_TEST_SEEDS': JSON.stringify(process.env['QCS_TEST_SEEDS'] ?? '1'),
    },
    resolve: { alias: { vitest: pathOf('claims.ts') } },
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: { entry: pathOf('page.ts'), formats: ['es'] },
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !('output' in output)) throw new Error('unreachable: no bundle');
  const [chunk] = output.output;
  if (output.output.length > 1 || chunk.imports.length > 0) {
    throw new Error(`The page's module imports ${chunk.imports.join(', ') || 'parts of itself'}.`);
  }
  return chunk.code;
}
