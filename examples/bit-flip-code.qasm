// Error correction with feed-forward: three qubits encode one logical 1, and an error flips the middle one. Two
// more qubits measure which one it was, and it is flipped back. `data` reads 111 in every shot.
OPENQASM 3.0;
include "stdgates.inc";
qubit[3] logical;
qubit[2] check;
bit[3] data;
bit[2] syndrome;

// Encodes |1⟩.
x logical[0];
cx logical[0], logical[1];
cx logical[0], logical[2];

// The error.
x logical[1];

// Each check is 1 if two neighbours differ.
cx logical[0], check[0];
cx logical[1], check[0];
cx logical[1], check[1];
cx logical[2], check[1];
syndrome = measure check;

if (syndrome == 1) x logical[0];
if (syndrome == 3) x logical[1];
if (syndrome == 2) x logical[2];
data = measure logical;
