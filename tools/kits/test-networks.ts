/**
 * Networks inside a test, measured in processes of their own: how long each takes to start, to keep and bring back its
 * state, and for a test that reverts, pays and reads a balance.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestNetwork {
  readonly name: string;
  readonly packages: readonly string[];
  /** Defines `start()`, which answers `snapshot`, `revert` and `testOnce`. */
  readonly program: string;
}

/** Milliseconds: on the clock, and of processor time of the whole process, without what it started. */
export interface Taken {
  readonly wall: number;
  readonly processor: number;
}

export interface NetworkTimes {
  readonly start: Taken;
  /** A further network in the same process. */
  readonly nextStart: Taken;
  readonly snapshot: Taken;
  readonly revert: Taken;
  readonly test: Taken;
}

const ROUNDS = 30;

export const TEST_NETWORKS: readonly TestNetwork[] = [
  {
    name: 'svc-devnet',
    packages: [],
    program: `import { balance, coins, pay } from 'svc-client';
      import { createDevnet } from 'svc-devnet';
      async function start() {
        const net = await createDevnet();
        const [from, { address: to }] = net.accounts;
        return {
          snapshot: () => net.snapshot(),
          revert: async (name) => {
            await net.revert(name);
            return name;
          },
          testOnce: async () => {
            const before = await balance(net.client, to);
            await pay(net.client, { from, to, amount: coins('1') });
            await net.mine(3);
            return (await balance(net.client, to)).atoms - before.atoms === coins('1');
          },
        };
      }`,
  },
  {
    name: 'hardhat',
    packages: ['hardhat@3.17.0', engineOfHardhat('0.20.0'), 'viem@2.57.1'],
    program: viemProgram(`
      import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
      async function connect() {
        const hre = await createHardhatRuntimeEnvironment({});
        const { provider } = await hre.network.connect();
        return custom(provider, { retryCount: 0 });
      }`),
  },
  {
    name: 'anvil',
    packages: ['@foundry-rs/anvil@1.7.1', 'viem@2.57.1'],
    program: viemProgram(`
      import { spawn } from 'node:child_process';
      import { createRequire } from 'node:module';
      import { http } from 'viem';
      const kind = { x64: 'amd64', arm64: 'arm64' }[process.arch];
      const place = \`@foundry-rs/anvil-\${process.platform}-\${kind}/package.json\`;
      const binary = createRequire(import.meta.url).resolve(place).replace('package.json', 'bin/anvil');
      async function connect() {
        const child = spawn(binary, ['--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
        process.once('exit', () => child.kill());
        const url = await new Promise((resolve) => {
          let text = '';
          child.stdout.on('data', (piece) => {
            text += piece;
            const [, place] = /Listening on (\\S+)/.exec(text) ?? [];
            if (place !== undefined) resolve(\`http://\${place}\`);
          });
        });
        return http(url, { retryCount: 0 });
      }`),
  },
];

/** The same test on networks that speak Ethereum's interface; `connecting` defines `connect()`, which answers with a transport. */
function viemProgram(connecting: string): string {
  return `import { createPublicClient, createWalletClient, custom, parseEther } from 'viem';
      import { foundry as chain } from 'viem/chains';
      ${connecting}
      async function start() {
        const transport = await connect();
        const client = createPublicClient({ chain, transport, pollingInterval: 1 });
        const [account, to] = await client.request({ method: 'eth_accounts' });
        const wallet = createWalletClient({ account, chain, transport });
        return {
          snapshot: () => client.request({ method: 'evm_snapshot' }),
          // A snapshot of this network is gone once it was brought back.
          revert: async (name) => {
            await client.request({ method: 'evm_revert', params: [name] });
            return client.request({ method: 'evm_snapshot' });
          },
          testOnce: async () => {
            const before = await client.getBalance({ address: to });
            const hash = await wallet.sendTransaction({ to, value: parseEther('1') });
            await client.waitForTransactionReceipt({ hash });
            return (await client.getBalance({ address: to })) - before === parseEther('1');
          },
        };
      }`;
}

/** The engine of this platform is named beside it: npm leaves it out where a newer one is missing in the registry. */
function engineOfHardhat(version: string): string {
  const end = process.platform === 'linux' ? '-gnu' : '';
  return `@nomicfoundation/edr-${process.platform}-${process.arch}${end}@${version}`;
}

const MEASURING = `
  async function taken(act) {
    const [wall, used] = [performance.now(), process.cpuUsage()];
    const value = await act();
    const { user, system } = process.cpuUsage(used);
    return { value, wall: performance.now() - wall, processor: (user + system) / 1_000 };
  }
  const middle = (rows) => ({
    wall: rows.map(({ wall }) => wall).sort((a, b) => a - b)[rows.length >> 1],
    processor: rows.map(({ processor }) => processor).sort((a, b) => a - b)[rows.length >> 1],
  });
  const begun = await taken(start);
  const net = begun.value;
  const next = await taken(start);
  const [snapshots, reverts, tests] = [[], [], []];
  for (let round = 0; round < ${ROUNDS}; round++) {
    const snapshot = await taken(() => net.snapshot());
    if (!(await net.testOnce())) throw new Error('the payment did not arrive');
    snapshots.push(snapshot);
    reverts.push(await taken(() => net.revert(snapshot.value)));
  }
  let name = await net.snapshot();
  for (let round = 0; round < ${ROUNDS}; round++) {
    const test = await taken(async () => {
      name = await net.revert(name);
      return net.testOnce();
    });
    if (!test.value) throw new Error('the payment did not arrive');
    tests.push(test);
  }
  const found = { start: middle([begun]), nextStart: middle([next]), snapshot: middle(snapshots), revert: middle(reverts), test: middle(tests) };
  process.stdout.write(JSON.stringify(found), () => process.exit(0));
`;

export function measureNetwork(folder: string, { name, program }: TestNetwork): NetworkTimes {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, program + MEASURING);
  const text = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(text) as NetworkTimes;
}
