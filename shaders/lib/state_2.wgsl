// The state that a sweep works on: 2 chunks, which differ in 1 qubit of the tile. Put before
// ../sweep.wgsl, which names chunks by constants: what is not asked for falls away when it is compiled.

const TILE_CHUNK_QUBITS = 1u;

@group(0) @binding(0) var<storage, read_write> chunk0: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> chunk1: array<vec2<f32>>;

fn load_amplitude(chunk: u32, at: u32) -> vec2<f32> {
  switch chunk {
    case 0u: {
      return chunk0[at];
    }
    default: {
      return chunk1[at];
    }
  }
}

fn store_amplitude(chunk: u32, at: u32, amplitude: vec2<f32>) {
  switch chunk {
    case 0u: {
      chunk0[at] = amplitude;
    }
    default: {
      chunk1[at] = amplitude;
    }
  }
}
