// A chain of 100 spins, all up, in a transverse field that is turned on at once: 20 Trotter steps of
// H = −J Σ Z Z − h Σ X. The entanglement grows slowly, so that qvm runs the circuit on matrix product states.
//
//     qcs run examples/ising-quench.qasm --target qvm --shots 1000
OPENQASM 3.0;
include "stdgates.inc";

const int n = 100;
const float dt = 0.05;
const float j = 1.0;
const float h = 1.0;
qubit[n] q;
bit[n] c;

for int step in [1:20] {
  for int i in [0:n - 2] {
    cx q[i], q[i + 1];
    rz(-2 * j * dt) q[i + 1];
    cx q[i], q[i + 1];
  }
  for int i in [0:n - 1] { rx(-2 * h * dt) q[i]; }
}
c = measure q;
