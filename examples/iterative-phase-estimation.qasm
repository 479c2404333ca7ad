// Phase estimation with one counting qubit, which is measured and reset for each bit of the phase, the lowest
// bit first. The bits already known determine a rotation before the next one. The phase is 5/8, and c reads 101.
OPENQASM 3.0;
include "stdgates.inc";
const float phase = 0.625;

qubit count;
qubit eigenstate;
bit[3] c;
x eigenstate;

h count;
ctrl @ pow(4) @ p(2 * pi * phase) count, eigenstate;
h count;
c[0] = measure count;
reset count;

h count;
ctrl @ pow(2) @ p(2 * pi * phase) count, eigenstate;
if (c[0]) p(-pi / 2) count;
h count;
c[1] = measure count;
reset count;

h count;
ctrl @ p(2 * pi * phase) count, eigenstate;
if (c[0]) p(-pi / 4) count;
if (c[1]) p(-pi / 2) count;
h count;
c[2] = measure count;
