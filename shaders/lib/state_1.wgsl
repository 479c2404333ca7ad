// The state that a sweep works on lies in one chunk. Put before ../sweep.wgsl.

const TILE_CHUNK_QUBITS = 0u;

@group(0) @binding(0) var<storage, read_write> chunk0: array<vec2<f32>>;

fn load_amplitude(chunk: u32, at: u32) -> vec2<f32> {
  return chunk0[at];
}

fn store_amplitude(chunk: u32, at: u32, amplitude: vec2<f32>) {
  chunk0[at] = amplitude;
}
