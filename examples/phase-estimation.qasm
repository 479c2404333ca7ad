// Phase estimation: |1⟩ is an eigenstate of P(2π·phase). Four counting qubits read 16·phase = 5, 0101.
OPENQASM 3.0;
include "stdgates.inc";
const float phase = 0.3125;

qubit[4] count;
qubit eigenstate;
bit[4] c;

x eigenstate;
h count;
for int k in [0:3] {
  ctrl @ pow(2 ** k) @ p(2 * pi * phase) count[k], eigenstate;
}

// The inverse Fourier transform gives the bits of the phase, the highest in count[3].
swap count[0], count[3];
swap count[1], count[2];
for int k in [0:3] {
  for int j in [0:k - 1] {
    cp(-pi / 2 ** (k - j)) count[j], count[k];
  }
  h count[k];
}
c = measure count;
