// Ramsey interference: the probability of 1 is cos²(phase / 2).
// qcs run examples/ramsey.qasm --input phase=0.8
// qcs run examples/ramsey.qasm --sweep phase=0:2pi:101 --observable Z0
OPENQASM 3.0;
include "stdgates.inc";
input float phase;
qubit q;
bit c;
h q;
rz(phase) q;
h q;
x q;
c = measure q;
