/**
 * A WebGPU device as all parts of the engine use it: it caches pipelines, checks allocations, and
 * reports the faults of submitted work.
 *
 * WebGPU calls never throw; a failed call silently does nothing. Therefore no result counts before
 * the error scopes around it have closed without an error and the device is known to be present.
 */
import { DeviceLostError, GpuFaultError, StateMemoryError } from '../errors.ts';

/** Reads a shader's text by its file name without extension. */
export type ShaderSource = (name: string) => string;

/** Called with each promise of a device that the engine waits for. */
export type WaitHook = (answer: Promise<unknown>) => void;

/** The device of one adapter. */
export class GpuContext {
  readonly device: GPUDevice;
  readonly #source: ShaderSource;
  readonly #texts = new Map<string, string>();
  readonly #onWait: WaitHook;
  /** Pipelines by their final text, constants included. */
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  #lost: GPUDeviceLostInfo | undefined;
  /** First fault outside error scopes, or of work whose scopes have closed. */
  #fault: string | undefined;
  /** Whether the scopes around enqueued work are open. */
  #isScoped = false;
  /** Calls that have enqueued work, and how many of them `settle` has confirmed. */
  #numEnqueued = 0;
  #numSettled = 0;
  /** Encodes work that has not been submitted yet. */
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;

  /** @param onWait - Reduces the cost of waiting on the host; does nothing by default. */
  constructor(device: GPUDevice, source: ShaderSource, onWait: WaitHook = () => undefined) {
    this.device = device;
    this.#source = source;
    this.#onWait = onWait;
    void device.lost.then((info) => {
      this.#lost = info;
    });
    device.addEventListener('uncapturederror', (event) => {
      event.preventDefault();
      this.#fault ??= event.error.message;
    });
  }

  /**
   * Checks that the device is present.
   *
   * @throws {DeviceLostError} if it is lost.
   */
  assertPresent(): void {
    if (this.#lost !== undefined) throw new DeviceLostError(this.#lost.message);
  }

  /**
   * Compiles a shader with constants prepended to its text; cached.
   *
   * @param names - File of the shader, or files that are concatenated; the last names the pipeline.
   * @param constants - Whole numbers, declared as u32.
   * @param layout - Must be the same for every call with one shader; derived from its text by
   *   default.
   * @throws {GpuFaultError} if the shader does not compile.
   */
  pipeline(
    names: string | readonly string[],
    constants: Readonly<Record<string, number>>,
    layout: GPUPipelineLayout | 'auto' = 'auto',
  ): Promise<GPUComputePipeline> {
    const files = [names].flat();
    const prelude = Object.entries(constants).map(([key, value]) => `const ${key} = ${value}u;\n`);
    const code = [...prelude, ...files.map((name) => this.#text(name))].join('');
    const known = this.#pipelines.get(code);
    if (known !== undefined) return known;
    const pipeline = this.#compile(files.at(-1) ?? '', code, layout);
    this.#pipelines.set(code, pipeline);
    return pipeline;
  }

  #text(name: string): string {
    const text = this.#texts.get(name) ?? this.#source(name);
    this.#texts.set(name, text);
    return text;
  }

  async #compile(
    label: string,
    code: string,
    layout: GPUPipelineLayout | 'auto',
  ): Promise<GPUComputePipeline> {
    this.assertPresent();
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({ label, code });
    const compute = { module, entryPoint: 'main' };
    const compiling = this.device.createComputePipelineAsync({ label, layout, compute });
    const [pipeline, invalid] = await Promise.allSettled([compiling, this.device.popErrorScope()]);
    if (pipeline.status === 'fulfilled') return pipeline.value;
    const fault = invalid.status === 'fulfilled' ? invalid.value?.message : undefined;
    throw await this.#failure(fault ?? String(pipeline.reason));
  }

  /**
   * Allocates a buffer and checks that it exists.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async allocate(label: string, size: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    this.assertPresent();
    this.device.pushErrorScope('out-of-memory');
    this.device.pushErrorScope('validation');
    const buffer = this.device.createBuffer({ label, size, usage });
    const [invalid, missing] = await this.#heard([
      this.device.popErrorScope(),
      this.device.popErrorScope(),
    ]);
    if (missing) throw new StateMemoryError(size);
    if (invalid) throw await this.#failure(invalid.message);
    return buffer;
  }

  /** Creates a buffer that holds words for kernels to read. */
  upload(label: string, words: Uint32Array<ArrayBuffer>, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.device.createBuffer({
      label,
      size: Math.max(16, words.byteLength),
      usage: usage | GPUBufferUsage.COPY_DST,
    });
    this.device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  /**
   * Encodes work after everything encoded before. `settle` submits it and reports its faults.
   *
   * @throws {DeviceLostError} if the device is known to be lost.
   */
  enqueue(encode: (encoder: GPUCommandEncoder) => void): void {
    const encoder = this.#openEncoder();
    this.#endPass();
    encode(encoder);
  }

  /** Encodes kernels, which share a compute pass with their neighbours. */
  enqueueKernels(encode: (pass: GPUComputePassEncoder) => void): void {
    const encoder = this.#openEncoder();
    this.#pass ??= encoder.beginComputePass();
    encode(this.#pass);
  }

  #openEncoder(): GPUCommandEncoder {
    this.assertPresent();
    if (!this.#isScoped) {
      this.device.pushErrorScope('validation');
      this.device.pushErrorScope('out-of-memory');
      this.#isScoped = true;
    }
    this.#numEnqueued++;
    this.#encoder ??= this.device.createCommandEncoder();
    return this.#encoder;
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }

  /** Whether all enqueued work is known to be done, without faults, on a present device. */
  get isSettled(): boolean {
    const isDone = this.#numSettled === this.#numEnqueued;
    return isDone && this.#fault === undefined && this.#lost === undefined;
  }

  /** Submits the encoded work without waiting for it. */
  flush(): void {
    this.#endPass();
    const encoder = this.#encoder;
    this.#encoder = undefined;
    if (encoder !== undefined) this.device.queue.submit([encoder.finish()]);
  }

  /**
   * Submits the encoded work and waits until the device has done all of it.
   *
   * @throws {GpuFaultError} if any of it was invalid or lacked memory.
   * @throws {DeviceLostError} if the device was lost meanwhile.
   */
  async settle(): Promise<void> {
    this.assertPresent();
    this.flush();
    const scopes = this.#isScoped ? [this.device.popErrorScope(), this.device.popErrorScope()] : [];
    this.#isScoped = false;
    const done = this.device.queue.onSubmittedWorkDone().then(() => null);
    const numEnqueued = this.#numEnqueued;
    const faults = await this.#heard([...scopes, done]);
    const heard = faults.find((fault) => fault !== null)?.message ?? this.#fault;
    this.#fault = undefined;
    if (heard !== undefined) throw await this.#failure(heard);
    this.#numSettled = numEnqueued;
  }

  /** Waits for the work of a failed run and ignores its faults. */
  async abandon(): Promise<void> {
    await this.settle().catch(() => undefined);
  }

  /** Frees the memory of destroyed buffers: a device does that after its next submission. */
  async freeDestroyed(): Promise<void> {
    this.device.queue.submit([]);
    await this.#heard([this.device.queue.onSubmittedWorkDone()]);
  }

  /** Encodes work, submits it, and waits for it as `settle` does. */
  async submit(encode: (encoder: GPUCommandEncoder) => void): Promise<void> {
    this.enqueue(encode);
    await this.settle();
  }

  /** Reads the first bytes of a buffer back. */
  async read(buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    const staging = await this.allocate(
      'read back',
      bytes,
      GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    );
    try {
      await this.submit((encoder) => encoder.copyBufferToBuffer(buffer, 0, staging, 0, bytes));
      const copy = (await this.map(staging, bytes)).slice(0);
      staging.unmap();
      return copy;
    } finally {
      staging.destroy();
    }
  }

  /**
   * Maps the first bytes of a staging buffer, for reading or in another mode; they are valid until
   * the buffer is unmapped.
   *
   * @throws {DeviceLostError} if the device is lost: the bytes may then be wrong.
   */
  async map(
    buffer: GPUBuffer,
    bytes: number,
    mode: GPUMapModeFlags = GPUMapMode.READ,
  ): Promise<ArrayBuffer> {
    await this.#heard([buffer.mapAsync(mode, 0, bytes)]);
    return buffer.getMappedRange(0, bytes);
  }

  /** Waits for answers of the device, and checks that it is present. */
  async #heard<T>(answers: readonly Promise<T>[]): Promise<T[]> {
    try {
      const answer = Promise.all(answers);
      this.#onWait(answer);
      const heard = await answer;
      this.assertPresent();
      return heard;
    } catch (error) {
      throw await this.#failure(error instanceof Error ? error.message : String(error));
    }
  }

  /** The error of a refused request: the loss of the device, if it is lost. */
  async #failure(message: string): Promise<Error> {
    // A refusal may be reported before the loss that caused it; the loss comes with the next
    // answer.
    await Promise.allSettled([this.device.queue.onSubmittedWorkDone()]);
    if (this.#lost !== undefined) return new DeviceLostError(this.#lost.message);
    return new GpuFaultError(message);
  }
}

/** Target time between two waits. */
const TARGET_MS = 50;
/** Initial and smallest window, in work units. */
const MIN_LIMIT = 2 ** 20;
/** Largest factor by which a window grows at a time: a short window measures mostly the round trip. */
const MAX_FACTOR = 4;

/**
 * Learns how much work to give a device before waiting for it: enough that it never idles, little enough that a
 * cancelled or failed run is noticed soon. Devices differ a thousandfold in speed. Units may be of any size, but the
 * same for all programs of a device.
 */
export class WorkWindow {
  #limit = MIN_LIMIT;
  #given = 0;
  #startedMs = 0;

  /** Whether the window is full and the device should be waited for. */
  get isFull(): boolean {
    return this.#given >= this.#limit;
  }

  /** Adds work given to the device. Returns true if the window is full. */
  add(units: number): boolean {
    this.#given += units;
    return this.isFull;
  }

  /** Starts the measurement: the work given has been submitted. */
  submitted(): void {
    this.#startedMs = performance.now();
  }

  /** Ends the measurement: all work given has been done. */
  settled(): void {
    // A window that was not full says nothing about larger ones.
    if (this.isFull) {
      const unitsPerMs = this.#given / Math.max(0.01, performance.now() - this.#startedMs);
      const wanted = unitsPerMs * TARGET_MS;
      this.#limit = Math.max(MIN_LIMIT, Math.min(MAX_FACTOR * this.#limit, wanted));
    }
    this.#given = 0;
  }

  /** Discards the measurement, because something else waited for the work given. */
  forget(): void {
    this.#given = 0;
  }
}
