/** A process in the place of one that reads bodies: does what the text of a stored request says. */

const send = (message: object) => void process.send?.(message);

const kept: number[][] = [];

function outputOf(text: string): unknown {
  switch (text) {
    case 'spin':
      for (;;) Math.sqrt(2);
    case 'fill':
      for (;;) kept.push(new Array(1000).fill(1.5));
    case 'crash':
      return process.exit(3);
    case 'killed':
      return process.kill(process.pid, 'SIGKILL');
    default:
      return text;
  }
}

process.on('message', ({ input }: { input: { text: string } }) =>
  send({ kind: 'done', output: outputOf(input.text) }),
);
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
