// A GHZ state of 1,000 qubits: all of them read 0, or all read 1. The circuit has Clifford gates alone, so that qvm runs
// it on stabilizers; a state vector would have 2^1000 amplitudes.
//
//     qcs run examples/ghz-1000.qasm --target qvm --shots 1000
OPENQASM 3.0;
include "stdgates.inc";

const int n = 1000;
qubit[n] q;
bit[n] c;

h q[0];
for int i in [0:n - 2] { cx q[i], q[i + 1]; }
c = measure q;
