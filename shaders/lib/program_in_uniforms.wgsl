// The program of a sweep that is short enough for uniform memory: 64 KiB, what every device binds. It is
// in quads, since one load of four words costs what one of a word does. Put before ../sweep.wgsl.

@group(1) @binding(0) var<uniform> program: array<vec4<u32>, 4096>;
