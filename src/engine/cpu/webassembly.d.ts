/** The part of the WebAssembly interface that the engine uses; the DOM's library, which has it, is not loaded. */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    /** Pages of 64 KiB. */
    readonly initial: number;
    readonly maximum?: number;
    readonly shared?: true;
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: SharedArrayBuffer;
    /** Adds pages. */
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(
      module: Module,
      imports: { readonly env: { readonly memory: Memory; readonly log?: typeof Math.log } },
    );
    readonly exports: object;
  }
  function validate(bytes: Uint8Array): boolean;
}
