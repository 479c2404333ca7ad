// The state that a sweep works on: 8 chunks, which differ in 3 qubits of the tile. Put before
// ../sweep.wgsl, which names chunks by constants: what is not asked for falls away when it is compiled.

const TILE_CHUNK_QUBITS = 3u;

@group(0) @binding(0) var<storage, read_write> chunk0: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> chunk1: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> chunk2: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read_write> chunk3: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> chunk4: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> chunk5: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> chunk6: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read_write> chunk7: array<vec2<f32>>;

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
    case 3u: {
      return chunk3[at];
    }
    case 4u: {
      return chunk4[at];
    }
    case 5u: {
      return chunk5[at];
    }
    case 6u: {
      return chunk6[at];
    }
    default: {
      return chunk7[at];
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
    case 3u: {
      chunk3[at] = amplitude;
    }
    case 4u: {
      chunk4[at] = amplitude;
    }
    case 5u: {
      chunk5[at] = amplitude;
    }
    case 6u: {
      chunk6[at] = amplitude;
    }
    default: {
      chunk7[at] = amplitude;
    }
  }
}
