// Bernstein–Vazirani: one query of the oracle finds the hidden string, 1011.
OPENQASM 2.0;
include "qelib1.inc";
qreg q[4];
qreg answer[1];
creg c[4];

x answer[0];
h answer[0];
h q;

// The oracle adds the input bits where the string has a 1 to the answer.
cx q[0], answer[0];
cx q[1], answer[0];
cx q[3], answer[0];

h q;
measure q -> c;
