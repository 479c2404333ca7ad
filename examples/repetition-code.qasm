// A repetition code of 50 data qubits keeps a 1 for 10 rounds. The qubits between them hold the parity of their neighbours.
// In each round each data qubit is flipped with probability 1 %, and the checks are measured and returned to 0 by
// feed-forward.
//
//     qcs run examples/repetition-code.qasm --target qvm --shots 1000
//
// c has the data at the end: a majority of ones means that the code kept its bit.
OPENQASM 3.0;
include "stdgates.inc";

const int n = 50;
const int rounds = 10;
qubit[2 * n - 1] q;
bit[n - 1] check;
output bit[n] c;

for int i in [0:n - 1] { x q[2 * i]; }
for int round in [1:rounds] {
  for int i in [0:n - 1] {
    #pragma braket noise bit_flip(0.01) q[2 * i]
  }
  for int i in [0:n - 2] {
    cx q[2 * i], q[2 * i + 1];
    cx q[2 * i + 2], q[2 * i + 1];
    check[i] = measure q[2 * i + 1];
    if (check[i]) x q[2 * i + 1];
  }
}
for int i in [0:n - 1] { c[i] = measure q[2 * i]; }
