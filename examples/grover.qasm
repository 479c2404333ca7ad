// Grover's search: one of eight items, 101, is marked. Two iterations find it with probability 94.5 %.
OPENQASM 3.0;
include "stdgates.inc";

// Changes the sign of |101⟩.
gate mark a, b, c {
  x b;
  ctrl(2) @ z a, b, c;
  x b;
}

// Reflects about the uniform superposition.
gate reflect a, b, c {
  h a; h b; h c;
  x a; x b; x c;
  ctrl(2) @ z a, b, c;
  x a; x b; x c;
  h a; h b; h c;
}

qubit[3] q;
bit[3] c;
h q;
for int round in [1:2] {
  mark q[0], q[1], q[2];
  reflect q[0], q[1], q[2];
}
c = measure q;
