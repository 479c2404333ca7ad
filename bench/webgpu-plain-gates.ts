/**
 * One kernel a gate, as other WebGPU simulators run circuits: one buffer, one pass over it for every
 * gate, nothing fused. A gate's matrix is all that a dispatch knows. The other thing to measure the
 * engine against, beside its own kernels gate by gate.
 */
import { readFileSync } from 'node:fs';
import type { Circuit, Operation } from '../src/circuit/circuit.ts';
import { targetMatrix } from '../src/circuit/operation-matrix.ts';
import { GpuContext } from '../src/engine/webgpu/gpu-context.ts';

const PARAMS_BYTES = 48;
const STRIDE_BYTES = 256;
const WORKGROUP_SIZE = 256;
const MAX_ROW = 2 ** 15;
/** Limits the duration of a submit, also for wide states. */
const GATES_PER_SUBMIT = 64;

/** A circuit on a device, one dispatch a gate. */
export interface PlainCircuit extends AsyncDisposable {
  /** Runs from |0…0⟩ and gives the milliseconds, clearing the state included. */
  run(): Promise<number>;
  /** The state's first amplitudes as the last run left them; interleaved re, im. */
  amplitudes(count: number): Promise<Float32Array>;
}

type Shader = 'plain_gate' | 'plain_diagonal';

interface PlainGate {
  readonly shader: Shader;
  readonly row: number;
  readonly numRows: number;
}

/** One context for each device, because a context listens to its device's faults. */
const contexts = new WeakMap<GPUDevice, GpuContext>();

function contextOf(device: GPUDevice): GpuContext {
  const context = contexts.get(device) ?? new GpuContext(device, shaderOfBench);
  contexts.set(device, context);
  return context;
}

function shaderOfBench(name: string): string {
  return readFileSync(new URL(`shaders/${name}.wgsl`, import.meta.url), 'utf8');
}

/** The widest circuit that one binding holds. */
export function maxPlainQubits({
  maxBufferSize,
  maxStorageBufferBindingSize,
}: GPUSupportedLimits): number {
  return Math.floor(Math.log2(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 8));
}

/**
 * Uploads a circuit to the device.
 *
 * @param device - Stays open.
 * @throws {StateMemoryError} if the device has no memory for the state.
 */
export async function placePlainCircuit(
  device: GPUDevice,
  circuit: Circuit,
): Promise<PlainCircuit> {
  const context = contextOf(device);
  const { numQubits, operations } = circuit;
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const state = await context.allocate(
    'plain state',
    8 * 2 ** numQubits,
    STORAGE | COPY_SRC | COPY_DST,
  );
  const params = new ArrayBuffer(Math.max(1, operations.length) * STRIDE_BYTES);
  const gates = operations.map((operation, i) => writeGate(operation, numQubits, params, i));
  const uniforms = context.upload('plain params', new Uint32Array(params), UNIFORM);
  const one = context.upload('one', new Uint32Array(Float32Array.of(1, 0).buffer), COPY_SRC);
  const layout = device.createBindGroupLayout({
    label: 'plain',
    entries: [
      { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } },
      { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { hasDynamicOffset: true } },
    ],
  });
  const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
  const pipelines = {
    plain_gate: await context.pipeline('plain_gate', {}, pipelineLayout),
    plain_diagonal: await context.pipeline('plain_diagonal', {}, pipelineLayout),
  };
  const bindings = device.createBindGroup({
    label: 'plain',
    layout,
    entries: [
      { binding: 0, resource: { buffer: state } },
      { binding: 1, resource: { buffer: uniforms, size: PARAMS_BYTES } },
    ],
  });
  const encodeGates = (encoder: GPUCommandEncoder, first: number) => {
    for (const [i, gate] of gates.slice(first, first + GATES_PER_SUBMIT).entries()) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipelines[gate.shader]);
      pass.setBindGroup(0, bindings, [(first + i) * STRIDE_BYTES]);
      pass.dispatchWorkgroups(gate.row, gate.numRows);
      pass.end();
    }
  };
  return {
    async run() {
      const started = performance.now();
      context.enqueue((encoder) => {
        encoder.clearBuffer(state);
        encoder.copyBufferToBuffer(one, 0, state, 0, 8);
      });
      for (let first = 0; first < gates.length; first += GATES_PER_SUBMIT) {
        context.enqueue((encoder) => encodeGates(encoder, first));
      }
      await context.settle();
      return performance.now() - started;
    },
    async amplitudes(count) {
      return new Float32Array(await context.read(state, 8 * count));
    },
    async [Symbol.asyncDispose]() {
      await context.abandon();
      for (const buffer of [state, uniforms, one]) buffer.destroy();
    },
  };
}

/** Writes a gate's parameters, in the order of its shader's struct, and gives its dispatch. */
function writeGate(
  operation: Operation,
  numQubits: number,
  params: ArrayBuffer,
  index: number,
): PlainGate {
  if (operation.kind !== 'gate' && operation.kind !== 'unitary') {
    throw new Error(`a ${operation.kind} is no gate`);
  }
  const { targets, controls } = operation;
  const matrix = targetMatrix(operation);
  const floats = new Float32Array(params, index * STRIDE_BYTES, 8);
  const words = new Uint32Array(params, index * STRIDE_BYTES + floats.byteLength, 4);
  const mask = (qubits: readonly number[]) => qubits.reduce((bits, q) => bits + 2 ** q, 0);
  const dispatch = (shader: Shader, numInvocations: number): PlainGate => {
    const numGroups = Math.ceil(numInvocations / WORKGROUP_SIZE);
    const row = Math.min(numGroups, MAX_ROW);
    words[2] = numInvocations;
    words[3] = row * WORKGROUP_SIZE;
    return { shader, row, numRows: Math.ceil(numGroups / row) };
  };
  if (targets.length === 1) {
    floats.set(matrix);
    words.set([mask(targets), mask(controls)]);
    return dispatch('plain_gate', 2 ** (numQubits - 1 - controls.length));
  }
  const isDiagonal = matrix.every((part, i) => part === 0 || (i >> 1) % 5 === 0);
  if (targets.length !== 2 || controls.length > 0 || !isDiagonal) {
    throw new Error('a gate on several qubits that is not diagonal, or is controlled');
  }
  for (let i = 0; i < 4; i++) floats.set(matrix.subarray(10 * i, 10 * i + 2), 2 * i);
  words.set([mask([targets[0]!]), mask([targets[1]!])]);
  return dispatch('plain_diagonal', 2 ** numQubits);
}
