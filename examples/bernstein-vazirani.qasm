// Bernstein–Vazirani: one question to the oracle tells the hidden string, 1011.
OPENQASM 2.0;
include "qelib1.inc";
qreg q[4];
qreg answer[1];
creg c[4];

x answer[0];
h answer[0];
h q;

// The oracle adds the bits of the string that are set to the answer.
cx q[0], answer[0];
cx q[1], answer[0];
cx q[3], answer[0];

h q;
measure q -> c;
