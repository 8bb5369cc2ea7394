/**
 * The daemon as a process, and commands that find it and go through it: staking and the life of a validator.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { init } from 'svc-wasm';
import { type Answer, CommandLine } from './support/command-line.ts';
import { startTestNetwork, type TestNetwork } from './support/network.ts';
import type { WalletProcess } from './support/svc-wallet.ts';
import { temporaryDirectory } from './support/temporary.ts';

const ENDPOINT = '00';
const KEY_INDEX = 2_147_483_640;

let net: TestNetwork;
let line: CommandLine;
let daemon: WalletProcess;
let facts: Answer;
let directory: string;
const ends: (() => void)[] = [];

const json: CommandLine['json'] = (...given) => line.json(...given);
const refused: CommandLine['refused'] = (...given) => line.refused(...given);

function final(words: readonly string[]): Promise<Answer> {
  return line.whileCutting(json([...words, '--wait']));
}

async function positions(): Promise<Answer[]> {
  return (await json(['positions']))['positions'] as Answer[];
}

suite('commands and the daemon that holds the wallet', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory({ after: (end: () => void) => void ends.push(end) } as never);
    net = await startTestNetwork();
    line = new CommandLine(net, directory);
    await net.network.mine(2);
    const restore = ['init', '--generate-password', '--words-file', '-'];
    assert.equal((await line.run(restore, net.words)).code, 0);
    const words = ['daemon', '--port', '0', '--json', '--ready-file', 'ready', '--quiet'];
    daemon = line.start([...words, '--token-file', 'token', '--read-token-file', 'read-token']);
    facts = JSON.parse(await daemon.line()) as Answer;
    const phase = async (): Promise<unknown> =>
      ((await json(['status']))['scan'] as Answer)['phase'];
    while ((await phase()) !== 'following');
  });

  after(async () => {
    daemon.child.kill('SIGKILL');
    await net.close();
    for (const end of ends) end();
  });

  test('the daemon says where it is: on standard output, in a file, and to commands', async () => {
    assert.equal(facts['token_file'], join(directory, 'token'));
    assert.equal(facts['pid'], daemon.child.pid);
    assert.deepEqual(JSON.parse(readFileSync(join(directory, 'ready'), 'utf8')), facts);
    for (const name of ['token', 'read-token', 'ready']) {
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
    }
    const { host } = new URL(facts['url'] as string);
    assert.match(host, /^127\.0\.0\.1:/);
    assert.equal(await (await fetch(`${facts['url']}/health`)).text(), 'ok');
  });

  test('who else wants to hold the wallet is told who does, and what to do', async () => {
    const held = new RegExp(
      `process ${daemon.child.pid} \\(svc-wallet daemon\\) holds this wallet`,
    );
    await refused(3, held, ['daemon', '--port', '0']);
  });

  test('a token that allows reading only, and none at all, are refused', async () => {
    const read = join(directory, 'read-token');
    const { balance } = await json(['balance', '--token-file', read]);
    assert.ok(Number(balance) > 1_000_000);
    const words = ['address', '--new', '--token-file', read];
    await refused(5, /the token allows reading only/, words);
    writeFileSync(join(directory, 'other-token'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    const wrong = ['balance', '--token-file', join(directory, 'other-token')];
    await refused(5, /the daemon answered 401.*--token-file/s, wrong);
  });

  test('addresses, labels and small moves through the daemon', async () => {
    const { address } = await json(['address', '--new', '--label', 'one']);
    const shown = await json(['validate-address', '--address', address as string]);
    assert.deepEqual([shown['own'], shown['label']], [true, 'one']);
    await json(['set-label', '--address', address as string, '--label', 'two']);
    const { addresses } = await json(['addresses', '--label', 'two']);
    assert.deepEqual(
      (addresses as Answer[]).map((row) => row['address']),
      [address],
    );
    await refused(2, /--to: not bech32m/, ['send', '--to', 'nonsense', '--amount', '1']);
    await refused(2, /--amount: /, ['send', '--to', address as string, '--amount', '1,5']);
    const merged = await final(['compound', '--request-id', 'merge']);
    assert.equal(merged['kind'], 'compound');
    const { transaction } = await final(['burn', '--amount', '0.5']);
    const found = await json(['transaction', '--transaction', transaction as string]);
    assert.deepEqual([found['kind'], found['outcome']], ['burn', 'finalized']);
    const swept = await json(['sweep', '--to', address as string, '--dry-run']);
    assert.equal(swept['dry_run'], true);
  });

  test('[OPS-04] stake: validators, positions, delegation, and what cannot be withdrawn yet', async () => {
    const { validators } = await json(['validators']);
    const validator = (validators as Answer[])[0]?.['validator'] as string;
    const staked = await final(['stake', '--validator', validator, '--amount', '500']);
    assert.equal(staked['amount'], '500.00000000');
    const delegation = (await positions()).find(({ kind }) => kind === 'delegation') as Answer;
    const position = delegation['position'] as string;
    const unstaked = await final(['unstake', '--position', position, '--amount', '200']);
    assert.equal(unstaked['amount'], '200.00000000');
    await refused(5, /nothing of the position can be withdrawn yet/, [
      'withdraw',
      '--position',
      position,
    ]);
  });

  test('[OPS-03] a registration keeps its rules; a dry run does nothing', async () => {
    const register = ['validator-register', '--overlay-endpoint-hex', ENDPOINT, '--amount'];
    await refused(2, /--amount: a self-bond has at least 100000 coins/, [...register, '99999']);
    const commission = [...register, '100000', '--commission-bps'];
    await refused(2, /--commission-bps: /, [...commission, '505']);
    await refused(2, /--commission-bps: expected a whole number from 0 to 1000/, [
      ...commission,
      '1010',
    ]);
    const index = ['--consensus-key-index', String(KEY_INDEX)];
    const before = await positions();
    const dry = await json([...register, '100000', ...index, '--dry-run']);
    const first = net.network.facts.accounts[0]?.address;
    assert.deepEqual(
      [dry['commission_bps'], dry['reward_address'], dry['dry_run']],
      [500, first, true],
    );
    assert.equal((await positions()).length, before.length);
    await final([...register, '100000', ...index]);
    assert.equal((await positions()).length, before.length + 1);
  });

  test('[OPS-07][OPS-08][OPS-09][OPS-10][OPS-11][OPS-12] the life of a validator', async () => {
    const bond = (await positions()).find(
      ({ kind, principal }) => kind === 'self_bond' && principal === '100000.00000000',
    ) as Answer;
    const id = bond['validator'] as string;
    const own = ['--validator', id];
    const index = (at: number): string[] => ['--consensus-key-index', String(at)];
    const endpoint = ['--overlay-endpoint-hex', '0001'];
    const beat = await final(['validator-heartbeat', ...own, ...index(KEY_INDEX)]);
    assert.equal(beat['kind'], 'validator_heartbeat');
    const to = net.network.facts.accounts[7]?.address as string;
    await final(['reward-address', '--position', bond['position'] as string, '--to', to]);
    await final(['validator-endpoint', ...own, ...index(KEY_INDEX), ...endpoint]);
    await final(['validator-commission', ...own, '--commission-bps', '300']);
    await final(['validator-rotate', ...own, ...index(KEY_INDEX - 1), ...endpoint]);
    assert.equal(
      (await positions()).find(({ validator }) => validator === id)?.['reward_address'],
      to,
    );
    await final(['validator-exit', ...own]);
    const left = (await positions()).find(({ validator }) => validator === id) as object;
    assert.equal((left as { unbonding: unknown[] }).unbonding.length, 1);
  });

  test('told to stop, the daemon ends with 0 and takes its notes with it', async () => {
    daemon.child.kill('SIGTERM');
    assert.equal((await daemon.end()).code, 0);
    assert.ok(!existsSync(join(directory, 'ready')));
    assert.ok(!existsSync(join(directory, 'rich.state.holder')));
    const rescanned = await json(['rescan']);
    assert.equal(rescanned['started'], true);
  });
});
