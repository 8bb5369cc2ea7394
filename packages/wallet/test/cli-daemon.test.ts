/**
 * The daemon as a process, and commands that find it and go through it: staking and the life of a validator.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fingerprintOf, selfSigned } from 'svc-base/node';
import { askAsHost, temporaryDirectory } from 'svc-base/testing';
import { createClient, createWalletClient } from 'svc-client';
import { init, WalletRoot } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { readToken } from '../src/file/token.ts';
import { readHolder } from '../src/state/state-files.ts';
import { type Answer, CommandLine } from './testing/command-line.ts';
import { TestSocket } from './testing/daemon.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until } from './testing/open-wallet.ts';
import type { WalletProcess } from './testing/svc-wallet.ts';

const ENDPOINT = '00';
const KEY_INDEX = 2_147_483_640;
const DAEMON_PORT = 28_703;
const CONFIRMATIONS = 3;
const PLACES = ['--file', 'vault/rich', '--password-file', 'secret/password'];

let net: TestNetwork;
let line: CommandLine;
let daemon: WalletProcess;
let facts: Answer;
let directory: string;
const ends: (() => void)[] = [];

const json: CommandLine['json'] = (...given) => line.json(...given);
const refused: CommandLine['refused'] = (...given) => line.refused(...given);

/** Listens on the port of the daemon, unless somebody does already, who may let go of it at any moment. */
async function occupy(port: number): Promise<{ isOurs: boolean; release: () => void }> {
  const server = createServer();
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false));
    server.listen(port, '127.0.0.1');
  });
  return { isOurs, release: () => void server.close() };
}

/** How often another program may let go of the port while a daemon starts. */
const LOST_PORTS_MAX = 5;

/** Starts a daemon on its own port, which is taken, and resolves with how it ended. */
async function startOnTakenPort(words: readonly string[]) {
  for (let lost = 0; ; lost++) {
    const { isOurs, release } = await occupy(DAEMON_PORT);
    const started = line.start(words);
    // It would print where it listens.
    const isListening = await started.line().then(
      () => true,
      () => false,
    );
    started.child.kill('SIGKILL');
    const ended = await started.end();
    release();
    if (isOurs || !isListening || lost === LOST_PORTS_MAX) return ended;
  }
}

function final(words: readonly string[]): Promise<Answer> {
  return line.whileCutting(json([...words, '--wait']));
}

async function positions(): Promise<Answer[]> {
  return (await json(['positions']))['positions'] as Answer[];
}

suite('commands and the daemon that holds the wallet', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory({ after: (end: () => void) => void ends.push(end) });
    net = await startTestNetwork();
    line = new CommandLine(net, directory, 'vault/rich');
    await net.network.mine(2);
    for (const name of ['vault', 'secret', 'run'])
      mkdirSync(join(directory, name), { mode: 0o700 });
    const restore = ['init', '--generate-password', '--words-file', '-', ...PLACES];
    assert.equal((await line.run(restore, net.words)).code, 0);
    const words = ['daemon', '--json', '--ready-file', 'ready', '--quiet', ...PLACES];
    daemon = line.start(
      [
        ...words,
        ...['--token-file', 'run/token', '--read-token-file', 'run/read-token'],
        ...['--service', net.url, '--confirmations', String(CONFIRMATIONS)],
        ...['--port', '0'],
      ],
      undefined,
      { SVC_SERVICE: 'http://127.0.0.1:9', SVC_WALLET_FILE: 'nowhere' },
    );
    facts = JSON.parse(await daemon.line()) as Answer;
    const phase = async (): Promise<unknown> =>
      ((await json(['status']))['scan'] as Answer)['phase'];
    while ((await phase()) !== 'following');
  });

  after(async () => {
    daemon.child.kill('SIGKILL');
    await line.close();
    await net.close();
    for (const end of ends) end();
  });

  test('the daemon says where it is: on standard output, in a file, and to commands', async () => {
    assert.equal(facts['token_file'], join(directory, 'run/token'));
    assert.equal(facts['pid'], daemon.child.pid);
    assert.deepEqual(JSON.parse(readFileSync(join(directory, 'ready'), 'utf8')), facts);
    for (const name of ['run/token', 'run/read-token', 'ready']) {
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
    }
    const { host } = new URL(facts['url'] as string);
    assert.match(host, /^127\.0\.0\.1:/);
    assert.equal(await (await fetch(`${facts['url']}/health`)).text(), 'ok');
  });

  test('[WALLET-19] [WALLET-20] wallet, password, token and node are where options say', async () => {
    const found = ['vault', 'secret', 'run'].map((name) => readdirSync(join(directory, name)));
    const isState = (name: string): boolean => !name.startsWith('rich.state');
    assert.deepEqual(
      found.map((names) => names.filter(isState).toSorted()),
      [['rich', 'rich.journal'], ['password'], ['read-token', 'token']],
    );
    const token = readToken(join(directory, 'run/token'));
    const client = createWalletClient({ url: facts['url'] as string, token });
    const { node_reachable, fingerprint } = await client.call('status', {});
    using root = WalletRoot.fromMnemonic(net.words, '', 'development');
    assert.deepEqual([node_reachable, fingerprint], [true, root.fingerprint()]);
  });

  test('[SVC-05] [LIMIT-11] its own port is 28703, and it ends where another program has that', async () => {
    const other = ['--file', 'other', '--password-file', 'other.password'];
    assert.equal((await line.run(['init', '--generate-password', ...other])).code, 0);
    const words = ['daemon', '--json', ...other, '--service', net.url];
    const { code, stderr } = await startOnTakenPort(words);
    assert.notEqual(code, 0);
    assert.match(stderr, /127\.0\.0\.1:28703 is taken by another program/);
  });

  test('[SVC-05] [WALLET-18] it holds keys, watches addresses, and tells of deposits and withdrawals', async () => {
    const url = facts['url'] as string;
    const token = readToken(join(directory, 'run/token'));
    const client = createWalletClient({ url, token });
    const cut = async (): Promise<number> => {
      await net.network.mine(1);
      const { cut: head } = await createClient({ url: net.url }).chainHead();
      const height = async () => (await client.call('status', {})).indexed_height;
      await until('read', async () => (await height()) >= head.height);
      return head.height;
    };
    const socket = await TestSocket.open(url, token);
    await socket.call('subscribe', { events: ['finalized', 'confirmations', 'settled'] });
    const { address } = await client.call('new_address', { label: 'customer 5' });
    const params = { to: address, amount: '1.5', request_id: 'svc-05' };
    const { transaction } = await client.call('send', params);
    const isTold = (event: string): boolean => socket.of(event).length > 0;
    let height = 0;
    while (!isTold('finalized')) height = await cut();
    assert.equal(socket.of('settled')[0]?.params['transaction'], transaction);
    const told = socket.of('finalized')[0]?.params['payments'] as Answer[];
    assert.deepEqual(
      told.map((payment) => [payment['transaction'], payment['amount'], payment['label']]),
      [[transaction, '1.50000000', 'customer 5']],
    );
    const wanted = (told[0]?.['height'] as number) + CONFIRMATIONS - 1;
    while (height < wanted - 1) height = await cut();
    assert.equal(isTold('confirmations'), false);
    await cut();
    await until('confirmed', () => isTold('confirmations'));
    socket.close();
  });

  test('who else wants to hold the wallet is told who does, and what to do', async () => {
    const held = new RegExp(
      `process ${daemon.child.pid} \\(svc-wallet daemon\\) holds this wallet`,
    );
    await refused(3, held, ['daemon', '--port', '0', ...PLACES]);
  });

  test('a token that allows reading only, and none at all, are refused', async () => {
    const read = join(directory, 'run/read-token');
    const { balance } = await json(['balance', '--token-file', read]);
    assert.ok(Number(balance) > 1_000_000);
    const words = ['address', '--new', '--token-file', read];
    await refused(5, /the token allows reading only/, words);
    writeFileSync(join(directory, 'other-token'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    await refused(5, /nothing\.token: /, ['balance', '--token-file', 'nothing.token']);
    const wrong = ['balance', '--token-file', join(directory, 'other-token')];
    await refused(5, /is not the daemon of this wallet.*--token-file/s, wrong);
  });

  test('tokens are made, listed and revoked beside a running daemon', async () => {
    const status = ['status', '--token-file', 'run/shop-1.token'];
    const scopes = ['--scope', 'deposit', '--scope', 'spend', '--payment-max', '5'];
    const create = ['token-create', '--name', 'shop-1', '--out', 'run/shop-1.token', ...scopes];
    const made = await json(create);
    assert.deepEqual(
      [made['token_file'], made['payment_max']],
      [join(directory, 'run/shop-1.token'), '5.00000000'],
    );
    assert.equal(statSync(join(directory, 'run/shop-1.token')).mode & 0o777, 0o600);
    assert.equal((await json(status))['network'], 'development');
    await refused(2, /--like: there is no token/, ['token-create', '--name', 'b', '--like', 'a']);
    await refused(2, /limits are for/, [
      ...['token-create', '--name', 'b', '--scope', 'read', '--day-max', '1'],
    ]);
    await refused(2, /--name: expected/, ['token-create', '--name', 'main', '--scope', 'read']);
    const next = await json(['token-create', '--name', 'shop-2', '--like', 'shop-1']);
    assert.match(next['token'] as string, /^[0-9a-f]{64}$/);
    const { tokens } = (await json(['tokens'])) as { tokens: Answer[] };
    assert.deepEqual(
      tokens.map(({ budget, name }) => [name, budget]),
      [
        ['shop-1', 'shop-1'],
        ['shop-2', 'shop-1'],
      ],
    );
    await refused(5, /used before/, [...create.slice(0, 3), '--out', 'run/other', ...scopes]);
    assert.equal(existsSync(join(directory, 'run/other')), false);
    const { address } = await json(['address']);
    const send = ['send', '--to', address as string, '--yes', '--token-file', 'run/shop-1.token'];
    await refused(5, /at most 5\.00000000 at once/, [...send, '--amount', '5.1']);
    assert.deepEqual(await json(['token-revoke', '--name', 'shop-1']), {
      name: 'shop-1',
      revoked: true,
    });
    await refused(5, /is not the daemon of this wallet/, status);
  });

  test('addresses, labels and small moves through the daemon', async () => {
    const named = ['address', '--new', '--request-id', 'first', '--label'];
    const { address } = await json([...named, 'one']);
    assert.equal((await json([...named, 'one']))['address'], address);
    await refused(5, /was used before with another label/, [...named, 'two']);
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
    const large = ['send', '--to', address as string, '--amount', '199999999', '--yes'];
    await refused(5, /available [0-9.]+, missing [0-9.]+.*nothing that is waiting/s, large);
    const merged = await final(['compound', '--request-id', 'merge']);
    assert.equal(merged['kind'], 'compound');
    const { transaction } = await final(['burn', '--amount', '0.5']);
    const found = await json(['transaction', '--transaction', transaction as string]);
    assert.deepEqual([found['kind'], found['outcome']], ['burn', 'finalized']);
    const swept = await json(['sweep', '--to', address as string, '--dry-run']);
    assert.equal(swept['dry_run'], true);
    const audit = await json(['audit', '--request-id', 'merge']);
    const [made] = audit['entries'] as Answer[];
    assert.deepEqual(
      [audit['verified'], made?.['event'], made?.['caller'], made?.['transaction']],
      [true, 'made', 'main', merged['transaction']],
    );
    await refused(5, /there is no audit file/, ['audit', '--audit-file', 'nowhere']);
  });

  test('[OPS-04] stake: validators, positions, delegation, and what cannot be withdrawn yet', async () => {
    const { validators } = await json(['validators']);
    const validator = (validators as Answer[])[0]?.['validator'] as string;
    const stake = ['stake', '--validator', validator, '--amount'];
    await refused(2, /--amount: a delegation has at least 100 coins/, [...stake, '99.9']);
    const staked = await final([...stake, '500']);
    assert.equal(staked['amount'], '500.00000000');
    const delegation = (await positions()).find(({ kind }) => kind === 'delegation') as Answer;
    const position = delegation['position'] as string;
    const unstake = ['unstake', '--position', position, '--amount'];
    await refused(2, /90\.\d+ coins would stay.*at least 100/, [...unstake, '410']);
    const unstaked = await final([...unstake, '200']);
    assert.equal(unstaked['amount'], '200.00000000');
    await refused(5, /nothing of the position can be withdrawn yet/, [
      'withdraw',
      '--position',
      position,
    ]);
  });

  const REGISTER = ['validator-register', '--overlay-endpoint-hex', ENDPOINT, '--amount'];
  let registration: Promise<Answer> | undefined;

  /** Registers a validator once, whichever test needs it first. */
  function register(): Promise<Answer> {
    const index = ['--consensus-key-index', String(KEY_INDEX)];
    registration ??= final([...REGISTER, '100000', ...index]);
    return registration;
  }

  test('[OPS-03][OPS-13] a registration keeps its rules; a dry run does nothing', async () => {
    await refused(2, /--amount: a self-bond has at least 100000 coins/, [...REGISTER, '99999']);
    const commission = [...REGISTER, '100000', '--commission-bps'];
    await refused(2, /--commission-bps: /, [...commission, '505']);
    await refused(2, /--commission-bps: expected a whole number from 0 to 1000/, [
      ...commission,
      '1010',
    ]);
    const plain = await json([...REGISTER, '100000', '--dry-run']);
    assert.equal(plain['consensus_key_index'], 2_147_483_647);
    const outside = [...REGISTER, '100000', '--consensus-key-index', '2147418111'];
    await refused(2, /--consensus-key-index: .* 2147418112 to 2147483647/, outside);
    const index = ['--consensus-key-index', String(KEY_INDEX)];
    const before = await positions();
    const dry = await json([...REGISTER, '100000', ...index, '--dry-run']);
    const account = net.network.facts.accounts[0]?.address;
    assert.deepEqual(
      [dry['commission_bps'], dry['reward_address'], dry['dry_run']],
      [500, account, true],
    );
    assert.equal((await positions()).length, before.length);
    await register();
    assert.equal((await positions()).length, before.length + 1);
    const first = await json(['validators', '--limit', '1']);
    const page = ['validators', '--limit', '1', '--cursor', first['next_cursor'] as string];
    assert.notDeepEqual((await json(page))['validators'], first['validators']);
  });

  test('[OPS-07][OPS-08][OPS-09][OPS-10][OPS-11][OPS-12] the life of a validator', async () => {
    await register();
    const bond = (await positions()).find(
      ({ kind, principal }) => kind === 'self_bond' && principal === '100000.00000000',
    ) as Answer;
    const id = bond['validator'] as string;
    const own = ['--validator', id];
    const index = (at: number): string[] => ['--consensus-key-index', String(at)];
    const endpoint = (hex: string): string[] => ['--overlay-endpoint-hex', hex];
    const beat = await final(['validator-heartbeat', ...own]);
    assert.equal(beat['kind'], 'validator_heartbeat');
    const to = net.network.facts.accounts[7]?.address as string;
    await final(['reward-address', '--position', bond['position'] as string, '--to', to]);
    const registered = () => net.network.node.composed.core.chain.view.get('validators', id);
    const hexOf = (bytes: Uint8Array | undefined): string => toHex(bytes ?? Uint8Array.of());
    assert.equal(hexOf(registered()?.endpoint), ENDPOINT);
    await final(['validator-endpoint', ...own, ...index(KEY_INDEX), ...endpoint('0001')]);
    assert.equal(hexOf(registered()?.pendingEndpoint?.value), '0001');
    const foreign = ['validator-endpoint', ...own, ...index(KEY_INDEX - 5), ...endpoint('0003')];
    assert.notEqual((await line.run(foreign)).code, 0, 'only the active key may sign');
    assert.equal(hexOf(registered()?.pendingEndpoint?.value), '0001');
    await final(['validator-commission', ...own, '--commission-bps', '300']);
    assert.deepEqual(
      [registered()?.commissionBps, registered()?.pendingCommission?.value],
      [500, 300],
    );
    await final(['validator-rotate', ...own, ...index(KEY_INDEX - 1), ...endpoint('0002')]);
    assert.equal(hexOf(registered()?.pendingEndpoint?.value), '0002');
    using root = WalletRoot.fromMnemonic(net.words, '', 'development');
    const key = root.derivePublicKey(0, 0, KEY_INDEX - 1);
    assert.deepEqual(registered()?.pendingKey?.value.publicKey, key);
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
    assert.ok(!existsSync(join(directory, 'vault/rich.state.holder')));
    const rescanned = await json(['rescan', ...PLACES]);
    assert.equal(rescanned['started'], true);
  });

  test('[WALLET-21] it listens beyond loopback only when told to, and says that TLS has to be in front', async (t) => {
    const other = ['--file', 'remote', '--password-file', 'remote.password'];
    assert.equal((await line.run(['init', '--generate-password', ...other])).code, 0);
    const words = ['daemon', '--port', '0', ...other];
    const refusal = /listens on 0\.0\.0\.0 only when it is told --allow-remote.*TLS in front/s;
    await refused(2, refusal, [...words, '--host', '0.0.0.0']);
    const remote = line.start([
      ...words,
      '--allow-remote',
      '--json',
      '--host-name',
      'wallet.example',
    ]);
    t.after(() => remote.child.kill('SIGKILL'));
    const { port } = new URL((JSON.parse(await remote.line()) as { url: string }).url);
    const elsewhere = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    const health = `http://${elsewhere?.address ?? '127.0.0.2'}:${port}/health`;
    assert.equal(await askAsHost(health, 'wallet.example'), 200);
    assert.equal((await fetch(health)).status, 403, 'by its address, past the proxy');
    assert.match(remote.stderr, /TLS must be in front/);
    remote.child.kill('SIGTERM');
    assert.equal((await remote.end()).code, 0);
  });

  test('with a certificate of its own, commands go on after it was renewed with a signal', async (t) => {
    const other = ['--file', 'tls', '--password-file', 'tls.password'];
    assert.equal((await line.run(['init', '--generate-password', ...other])).code, 0);
    const renew = (): string => {
      const { cert, key } = selfSigned();
      writeFileSync(join(directory, 'tls.crt'), cert);
      writeFileSync(join(directory, 'tls.key'), key, { mode: 0o600 });
      return fingerprintOf(cert);
    };
    const first = renew();
    const words = ['daemon', '--port', '0', '--allow-remote', '--json', '--tls-key', 'tls.key'];
    await refused(2, /are given together/, [...words, ...other]);
    const own = line.start([...words, '--tls-certificate', 'tls.crt', ...other]);
    t.after(() => own.child.kill('SIGKILL'));
    const { tls_fingerprint: found, url } = JSON.parse(await own.line()) as Answer;
    assert.equal(found, first);
    assert.match(url as string, /^https:/);
    const status = ['status', ...other];
    assert.equal((await json(status))['network'], 'development');
    const second = renew();
    own.child.kill('SIGHUP');
    const known = () => readHolder(join(directory, 'tls.state.holder'))?.fingerprint === second;
    await until('renewed', known);
    assert.equal((await json(status))['network'], 'development');
    own.child.kill('SIGTERM');
    assert.equal((await own.end()).code, 0);
  });
});
