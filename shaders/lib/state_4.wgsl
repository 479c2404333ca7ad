// The state that a sweep works on: 4 chunks, which differ in 2 qubits of the tile. Put before
// ../sweep.wgsl, which names chunks by constants: what is not asked for falls away when it is compiled.

const TILE_CHUNK_QUBITS = 2u;

@group(0) @binding(0) var<storage, read_write> chunk0: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> chunk1: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> chunk2: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read_write> chunk3: array<vec2<f32>>;

fn load_amplitude(chunk: u32, at: u32) -> vec2<f32> {
  switch chunk {
    case 0u: {
      return chunk0[at];
    }
    case 1u: {
      return chunk1[at];
    }
    case 2u: {
      return chunk2[at];
    }
    default: {
      return chunk3[at];
    }
  }
}

fn store_amplitude(chunk: u32, at: u32, amplitude: vec2<f32>) {
  switch chunk {
    case 0u: {
      chunk0[at] = amplitude;
    }
    case 1u: {
      chunk1[at] = amplitude;
    }
    case 2u: {
      chunk2[at] = amplitude;
    }
    default: {
      chunk3[at] = amplitude;
    }
  }
}
