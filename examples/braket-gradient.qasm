// The energy of two spins and its gradient, in Amazon Braket's dialect: −1 − sin(a), −cos(a).
// qcs run examples/braket-gradient.qasm --input a=pi/3
OPENQASM 3.0;
input float a;
qubit[2] q;
ry(a) q[0];
cnot q[0], q[1];
#pragma braket result adjoint_gradient expectation(-1 * z(q[0]) @ z(q[1]) - 1 * x(q[0]) @ x(q[1])) a
#pragma braket result variance z(q[0])
#pragma braket result probability q[0]
#pragma braket result sample x(q[0]) @ x(q[1])
