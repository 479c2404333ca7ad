/** The least that shows that WebGPU works: a kernel whose results come back. */

/**
 * Squares four numbers on the adapter of `gpu`. Needs nothing but WebGPU, so that its text can also run
 * in a page.
 *
 * @throws if there is no adapter, or a number is wrong.
 */
export async function squareOnGpu(gpu: GPU): Promise<void> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error('WebGPU has no adapter.');
  const device = await adapter.requestDevice();
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const numbers = device.createBuffer({ size: 16, usage: STORAGE | COPY_SRC | COPY_DST });
  const result = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
  device.queue.writeBuffer(numbers, 0, Float32Array.of(1, 2, 3, 4));
  const code = `@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
      numbers[id.x] *= numbers[id.x];
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const layout = pipeline.getBindGroupLayout(0);
  const group = device.createBindGroup({
    layout,
    entries: [{ binding: 0, resource: { buffer: numbers } }],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(numbers, 0, result, 0, 16);
  device.queue.submit([encoder.finish()]);
  await result.mapAsync(GPUMapMode.READ);
  const squares = [...new Float32Array(result.getMappedRange())].join();
  device.destroy();
  if (squares !== '1,4,9,16') throw new Error(`WebGPU computed ${squares} for 1,4,9,16.`);
}
