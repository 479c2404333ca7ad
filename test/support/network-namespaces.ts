/**
 * Machines of their own for processes of a test, as far as the network sees it: each is a network namespace, on a
 * switch (a bridge) on which this machine has an address, too. A cable can be pulled: nothing arrives then in either
 * direction, and nobody gets an error. Linux with `ip` and the rights of root is needed. Addresses are private, and only
 * those that the test has made.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SUBNETS = Array.from({ length: 200 }, (_, i) => `10.213.${i}`);
const MAX_HOSTS = 250;

/** A machine in the network. */
export interface NetworkMachine {
  /** Its IPv4 address. */
  readonly address: string;
  /** What runs a program there: the program and its arguments come after. */
  readonly command: readonly string[];
  /** Pulls its cable. */
  unplug(): Promise<void>;
  /** Puts it in again. */
  plug(): Promise<void>;
}

/** A network with a switch. */
export interface TestNetwork extends AsyncDisposable {
  /** IPv4 address of this machine in it. */
  readonly address: string;
  addMachine(): Promise<NetworkMachine>;
}

/**
 * Makes a network; undefined where this machine allows none.
 */
export async function openTestNetwork(): Promise<TestNetwork | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const stack = new AsyncDisposableStack();
  const name = `qcs${process.pid % 1_000_000}`;
  const bridge = `${name}b`;
  try {
    const subnet = await freeSubnet();
    await ip('link', 'add', bridge, 'type', 'bridge');
    stack.defer(() => ip('link', 'del', bridge));
    await ip('addr', 'add', `${subnet}.1/24`, 'dev', bridge);
    await ip('link', 'set', bridge, 'up');
    let numMachines = 0;
    const network: TestNetwork = {
      address: `${subnet}.1`,
      async addMachine() {
        numMachines += 1;
        if (numMachines > MAX_HOSTS) throw new Error('too many machines');
        const namespace = `${name}n${numMachines}`;
        const [near, far] = [`${name}v${numMachines}`, `${name}w${numMachines}`];
        const address = `${subnet}.${numMachines + 1}`;
        await ip('netns', 'add', namespace);
        stack.defer(() => ip('netns', 'del', namespace));
        await ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', namespace);
        await ip('link', 'set', near, 'master', bridge, 'up');
        await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', far);
        await ip('-n', namespace, 'link', 'set', far, 'up');
        await ip('-n', namespace, 'link', 'set', 'lo', 'up');
        return {
          address,
          command: ['ip', 'netns', 'exec', namespace],
          unplug: () => ip('link', 'set', near, 'down'),
          plug: () => ip('link', 'set', near, 'up'),
        };
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
    // Whether namespaces can be made, too, and programs run in them.
    const { command } = await network.addMachine();
    const [program = '', ...args] = command;
    await run(program, [...args, 'true']);
    return network;
  } catch {
    await stack.disposeAsync().catch(() => {});
    return undefined;
  }
}

async function ip(...args: readonly string[]): Promise<void> {
  await run('ip', args);
}

/** A subnet of which this machine has no address. */
async function freeSubnet(): Promise<string> {
  const { stdout } = await run('ip', ['-o', '-4', 'addr']);
  const free = SUBNETS.find((subnet) => !stdout.includes(` ${subnet}.`));
  if (free === undefined) throw new Error('all private networks of the test are in use');
  return free;
}
