/** The part of the WebAssembly interface that the engine uses; the DOM's library, which has it, is not loaded. */
declare namespace WebAssembly {
  /** Sizes are in pages of 64 KiB. */
  type MemoryDescriptor =
    | { readonly initial: number; readonly maximum?: number; readonly shared?: true }
    | {
        readonly address: 'i64';
        readonly initial: bigint;
        readonly maximum: bigint;
        readonly shared: true;
      };
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: SharedArrayBuffer;
    /** Adds pages, a bigint if addresses have 64 bits. */
    grow(pages: number): number;
    grow(pages: bigint): bigint;
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
