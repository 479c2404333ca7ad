/**
 * A WebGPU device with what every part of the engine asks of it: pipelines by their text, buffers
 * whose allocation is checked, submits whose faults are heard.
 *
 * WebGPU calls never throw: what failed silently does nothing. So nothing is believed before the
 * error scopes around it have closed clean and the device is still there.
 */
import { DeviceLostError, GpuFaultError, StateMemoryError } from '../errors.ts';

/** Reads a shader's text by its file name without extension. */
export type ShaderSource = (name: string) => string;

/** Called with each answer of a device that is waited for. */
export type Rest = (answer: Promise<unknown>) => void;

/** The device of one adapter. */
export class GpuContext {
  readonly device: GPUDevice;
  readonly #source: ShaderSource;
  readonly #rest: Rest;
  /** By final text: constants are part of it. */
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  #lost: GPUDeviceLostInfo | undefined;
  /** Of work whose scopes have closed, or that no scope was around. */
  #fault: string | undefined;
  /** Whether the scopes around enqueued work are open. */
  #isScoped = false;
  /** Of work that has not been submitted yet. */
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;

  /** @param rest - Keeps waiting from costing what it costs where this runs; nothing by default. */
  constructor(device: GPUDevice, source: ShaderSource, rest: Rest = () => undefined) {
    this.device = device;
    this.#source = source;
    this.#rest = rest;
    void device.lost.then((info) => {
      this.#lost = info;
    });
    device.addEventListener('uncapturederror', (event) => {
      event.preventDefault();
      this.#fault ??= event.error.message;
    });
  }

  /** @throws {DeviceLostError} once the device is gone. */
  assertPresent(): void {
    if (this.#lost !== undefined) throw new DeviceLostError(this.#lost.message);
  }

  /**
   * The pipeline of a shader with constants before its text; compiled once.
   *
   * @param names - The shader's, or those of the files that make it up; the last has its name.
   * @param constants - Whole numbers, declared as u32.
   * @param layout - Always the same for a shader; read off its text unless told otherwise.
   * @throws {GpuFaultError} if it does not compile.
   */
  pipeline(
    names: string | readonly string[],
    constants: Readonly<Record<string, number>>,
    layout: GPUPipelineLayout | 'auto' = 'auto',
  ): Promise<GPUComputePipeline> {
    const files = [names].flat();
    const prelude = Object.entries(constants).map(([key, value]) => `const ${key} = ${value}u;\n`);
    const code = [...prelude, ...files.map((name) => this.#source(name))].join('');
    const known = this.#pipelines.get(code);
    if (known !== undefined) return known;
    const pipeline = this.#compile(files.at(-1) ?? '', code, layout);
    this.#pipelines.set(code, pipeline);
    return pipeline;
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
   * A buffer that is really there.
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

  /** A buffer of words, for what kernels read. */
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
   * Encodes what the device is to do after all before it: `settle` submits it, and hears whether it
   * was done.
   *
   * @throws {DeviceLostError} if the device is known to be gone.
   */
  enqueue(encode: (encoder: GPUCommandEncoder) => void): void {
    const encoder = this.#openEncoder();
    this.#endPass();
    encode(encoder);
  }

  /** The same for kernels, which share a pass with their neighbours. */
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
    this.#encoder ??= this.device.createCommandEncoder();
    return this.#encoder;
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }

  /** Hands what is enqueued to the device, without waiting for it. */
  flush(): void {
    this.#endPass();
    const encoder = this.#encoder;
    this.#encoder = undefined;
    if (encoder !== undefined) this.device.queue.submit([encoder.finish()]);
  }

  /**
   * Resolves when the device has done all that was enqueued.
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
    const faults = await this.#heard([...scopes, done]);
    const heard = faults.find((fault) => fault !== null)?.message ?? this.#fault;
    this.#fault = undefined;
    if (heard !== undefined) throw await this.#failure(heard);
  }

  /** Waits for what a failed run left behind, whose faults no longer matter. */
  async abandon(): Promise<void> {
    await this.settle().catch(() => undefined);
  }

  /** Encodes and submits; resolves when the device has done the work, as `settle` does. */
  async submit(encode: (encoder: GPUCommandEncoder) => void): Promise<void> {
    this.enqueue(encode);
    await this.settle();
  }

  /** Copies a buffer's words back. */
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
   * The first bytes of a buffer that was copied to, until it is unmapped; or room for them, with
   * another mode.
   *
   * @throws {DeviceLostError} if the device is gone: what is read was there.
   */
  async map(
    buffer: GPUBuffer,
    bytes: number,
    mode: GPUMapModeFlags = GPUMapMode.READ,
  ): Promise<ArrayBuffer> {
    await this.#heard([buffer.mapAsync(mode, 0, bytes)]);
    return buffer.getMappedRange(0, bytes);
  }

  /** What the device answers, unless it is gone by then. */
  async #heard<T>(answers: readonly Promise<T>[]): Promise<T[]> {
    try {
      const answer = Promise.all(answers);
      this.#rest(answer);
      const heard = await answer;
      this.assertPresent();
      return heard;
    } catch (error) {
      throw await this.#failure(error instanceof Error ? error.message : String(error));
    }
  }

  /** Why the device did not do something: because it is gone, if it is. */
  async #failure(message: string): Promise<Error> {
    // What a lost device refuses may be heard before the loss is: that comes with its next answer.
    await Promise.allSettled([this.device.queue.onSubmittedWorkDone()]);
    if (this.#lost !== undefined) return new DeviceLostError(this.#lost.message);
    return new GpuFaultError(message);
  }
}
