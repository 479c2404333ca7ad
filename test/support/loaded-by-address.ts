/** For `vitest --changed`: modules that a thread or process loads by their address count as imported. */
import type { Plugin } from 'vite';

/** `new URL('./entry.ts', import.meta.url)`, and the same with the ending that the file itself has. */
const BY_URL =
  /new URL\(\s*(['"`])(\.[^'"`$]*)(?:\.ts|\$\{extname\(import\.meta\.url\)\})\1,\s*import\.meta\.url/g;
/** `'src/main.ts'`: what a test starts from the repository's root. */
const BY_PATH = /'(src\/[\w/-]+\.ts)'/g;

/** Addresses of the modules that a module's text names, as an import has them. */
export function addressesIn(text: string): readonly string[] {
  const byUrl = [...text.matchAll(BY_URL)].map(([, , path]) => `${path}.ts`);
  const byPath = [...text.matchAll(BY_PATH)].map(([, path]) => `/${path}`);
  return [...new Set([...byUrl, ...byPath])];
}

/** Adds imports that are never run to the modules of `src` and `test`: Vitest follows them. */
export function loadedByAddress(): Plugin {
  return {
    name: 'loaded-by-address',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('/node_modules/') || id.includes('/test/seeded-faults/')) return null;
      const imports = addressesIn(code).map((address) => `import(${JSON.stringify(address)});`);
      return imports.length > 0 ? `${code}\nif (false) { ${imports.join(' ')} }\n` : null;
    },
  };
}
