// The program of a sweep that is too long for program_in_uniforms.wgsl. Put before ../sweep.wgsl.

@group(1) @binding(0) var<storage, read> program: array<vec4<u32>>;
