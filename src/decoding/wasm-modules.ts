/** Modules of decoders in WebAssembly, which all decoders of a thread share. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Bytes of a page of memory. */
export const PAGE_BYTES = 65_536;

const modules = new Map<string, WebAssembly.Module>();

/** The functions of a module over a memory of its own. */
export function instantiate<Functions>(
  name: 'matching' | 'bp-osd',
  memory: WebAssembly.Memory,
): Functions {
  let module = modules.get(name);
  if (module === undefined) {
    const url = new URL(`../engine/cpu/wasm/${name}.wasm`, import.meta.url);
    if (!existsSync(url)) {
      throw new Error(`${fileURLToPath(url)} is missing: run "npm run build:wasm" first.`);
    }
    module = new WebAssembly.Module(readFileSync(url));
    modules.set(name, module);
  }
  // Checked: the functions of a module are those of its source.
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Functions;
}
