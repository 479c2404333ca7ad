// Quantum Fourier transform of four qubits. The state with phases e^(2πi·5k/16) is the transform of 5, so
// the inverse transform gives 0101 in every shot.
OPENQASM 3.0;
include "stdgates.inc";

gate qft a, b, c, d {
  h d; cp(pi/2) c, d; cp(pi/4) b, d; cp(pi/8) a, d;
  h c; cp(pi/2) b, c; cp(pi/4) a, c;
  h b; cp(pi/2) a, b;
  h a;
  swap a, d;
  swap b, c;
}

qubit[4] q;
bit[4] c;
for int k in [0:3] {
  h q[k];
  p(2 * pi * 5 * 2 ** k / 16) q[k];
}
inv @ qft q[0], q[1], q[2], q[3];
c = measure q;
