import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init, WalletRoot } from 'svc-wasm';
import { FileRefusal } from '../errors.ts';
import { type InitOptions, initWallet } from './open-wallet-file.ts';
import {
  createSecret,
  passwordPath,
  readPassword,
  readSecret,
  replaceSecret,
} from './secret-file.ts';
import { ensureToken, readToken, tokenPath } from './token.ts';
import { parseContents, readWalletFile, resealWalletFile } from './wallet-file.ts';

await init();

const CHEAP = '{"memory_kib":"7168","passes":"5"}';
const WORDS = `${'abandon '.repeat(23)}art`;

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

function options(t: TestContext, more: Partial<InitOptions> = {}): InitOptions {
  return {
    path: join(temporaryDirectory(t), 'wallets', 'hot'),
    network: 'development',
    password: null,
    nowMillis: 1_700_000_000_000,
    cost: CHEAP,
    ...more,
  };
}

async function refuses(fault: string, call: () => Promise<unknown>): Promise<FileRefusal> {
  let found: unknown;
  await assert.rejects(call, (error) => {
    found = error;
    assert.ok(error instanceof FileRefusal, String(error));
    assert.equal(error.fault, fault);
    return true;
  });
  return found as FileRefusal;
}

test('a new wallet has 24 words, and its random password lies beside it', async (t) => {
  const wanted = options(t);
  const { words, fingerprint, passwordFile } = await initWallet(wanted);
  assert.equal(words.split(' ').length, 24);
  assert.equal(passwordFile, passwordPath(wanted.path));
  assert.deepEqual([mode(wanted.path), mode(passwordFile)], [0o600, 0o600]);
  const password = readPassword(passwordFile);
  assert.ok(password.length >= 43);
  const contents = readWalletFile(wanted.path, password);
  assert.equal(contents.words, words);
  using root = WalletRoot.fromMnemonic(words, '', 'development');
  assert.equal(root.fingerprint(), fingerprint);
  assert.ok(!readFileSync(wanted.path).includes(words.split(' ')[0] as string));
  const other = await initWallet(options(t));
  assert.notEqual(other.words, words);
});

test('the same words are another wallet on another network', async (t) => {
  const made = await Promise.all(
    (['mainnet', 'testnet'] as const).map((network) =>
      initWallet(options(t, { words: WORDS, network, password: 'x' })),
    ),
  );
  assert.equal(new Set(made.map(({ fingerprint }) => fingerprint)).size, 2);
});

test('a wallet of another version is refused', () => {
  const written = (version: string) =>
    JSON.stringify({
      version,
      network: 'mainnet',
      words: WORDS,
      passphrase: '',
      created_at_millis: '1',
    });
  assert.equal(parseContents(written('1')).network, 'mainnet');
  for (const version of ['0', '2'])
    assert.throws(() => parseContents(written(version)), { code: 'unsupported_version' });
});

test('a wallet is restored from its words and passphrase', async (t) => {
  const wanted = options(t, { words: WORDS, passphrase: 'tea', password: 'pass word' });
  const { fingerprint, passwordFile } = await initWallet(wanted);
  using root = WalletRoot.fromMnemonic(WORDS, 'tea', 'development');
  assert.deepEqual([fingerprint, passwordFile], [root.fingerprint(), null]);
  assert.ok(!existsSync(passwordPath(wanted.path)));
  const contents = readWalletFile(wanted.path, 'pass word');
  assert.deepEqual([contents.words, contents.passphrase], [WORDS, 'tea']);
  await assert.rejects(initWallet(options(t, { words: `${WORDS} art`, password: 'x' })), {
    code: 'bad_mnemonic',
  });
});

test('nothing is written over an existing wallet, password or state', async (t) => {
  const wanted = options(t);
  await initWallet(wanted);
  const before = readFileSync(wanted.path);
  const password = readFileSync(passwordPath(wanted.path));
  await refuses('exists', () => initWallet(wanted));
  assert.deepEqual(
    [readFileSync(wanted.path), readFileSync(passwordPath(wanted.path))],
    [before, password],
  );

  const stateOnly = options(t);
  mkdirSync(join(stateOnly.path, '..'), { recursive: true });
  writeFileSync(`${stateOnly.path}.state`, '');
  await refuses('exists', () => initWallet(stateOnly));
  assert.ok(!existsSync(passwordPath(stateOnly.path)));

  const passwordThere = options(t);
  mkdirSync(join(passwordThere.path, '..'), { recursive: true });
  writeFileSync(passwordPath(passwordThere.path), 'mine\n', { mode: 0o600 });
  await refuses('exists', () => initWallet(passwordThere));
  assert.equal(readPassword(passwordPath(passwordThere.path)), 'mine');
  assert.ok(!existsSync(passwordThere.path));
});

test('a wrong password, a damaged file and a file that is none are told apart from success', async (t) => {
  const wanted = options(t, { password: 'right' });
  await initWallet(wanted);
  assert.match(
    (await refuses('wrong_password', async () => readWalletFile(wanted.path, 'wrong'))).message,
    /password is wrong/,
  );
  const bytes = readSecret(wanted.path);
  const flipped = bytes.slice();
  flipped[flipped.length - 1] = (flipped[flipped.length - 1] as number) ^ 1;
  replaceSecret(wanted.path, flipped);
  await refuses('wrong_password', async () => readWalletFile(wanted.path, 'right'));
  replaceSecret(wanted.path, bytes.subarray(0, 40));
  await refuses('damaged', async () => readWalletFile(wanted.path, 'right'));
  replaceSecret(wanted.path, new Uint8Array(0));
  await refuses('damaged', async () => readWalletFile(wanted.path, 'right'));
  await refuses('missing', async () => readWalletFile(`${wanted.path}.other`, 'right'));
});

test('a file is sealed under another password whole or not at all', async (t) => {
  const made = options(t, { password: 'old', words: WORDS });
  await initWallet(made);
  const { path } = made;
  const cheap = (): string => CHEAP;
  const bytes = readSecret(path);
  const wrong = { name: 'FileRefusal', fault: 'wrong_password' };
  assert.throws(() => resealWalletFile(path, 'wrong', 'new', cheap), wrong);
  assert.deepEqual(readSecret(path), bytes);
  const { words } = resealWalletFile(path, 'old', 'new', cheap);
  assert.equal(words, WORDS);
  assert.equal(readWalletFile(path, 'new').words, WORDS);
  assert.throws(() => readWalletFile(path, 'old'), { fault: 'wrong_password' });
  assert.equal(mode(path), 0o600);
});

test('files that others could read, links and directories are refused with the way out', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'secret');
  createSecret(path, new TextEncoder().encode('x'));
  for (const bad of [0o640, 0o604, 0o620, 0o601]) {
    chmodSync(path, bad);
    const refusal = await refuses('readable_by_others', async () => readSecret(path));
    assert.match(refusal.message, new RegExp(`mode 0${bad.toString(8)}, needed 0600`));
    assert.equal(refusal.hint, `run: chmod 600 '${path}'`);
  }
  chmodSync(path, 0o600);
  symlinkSync(path, join(directory, 'link'));
  await refuses('symlink', async () => readSecret(join(directory, 'link')));
  await refuses('not_a_file', async () => readSecret(directory));
  await refuses('exists', async () => createSecret(path, new Uint8Array(1)));
  symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'));
  await refuses('exists', async () => createSecret(join(directory, 'dangling'), new Uint8Array(1)));
});

test('files belonging to another user are refused', (t) => {
  const path = join(temporaryDirectory(t), 'secret');
  createSecret(path, new TextEncoder().encode('x'));
  const { getuid } = process;
  t.after(() => {
    process.getuid = getuid as NonNullable<typeof getuid>;
  });
  process.getuid = () => 1234;
  assert.throws(() => readSecret(path), { fault: 'wrong_owner' });
});

test('files are made for their owner alone whatever the umask says', (t) => {
  const path = join(temporaryDirectory(t), 'inner', 'secret');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  createSecret(path, new Uint8Array(3));
  assert.equal(mode(path), 0o600);
  assert.equal(mode(join(path, '..')), 0o700);
});

test('one line end after a password is not part of it', (t) => {
  const path = join(temporaryDirectory(t), 'password');
  createSecret(path, new Uint8Array(0));
  const read = (text: string | Uint8Array): string => {
    replaceSecret(path, typeof text === 'string' ? new TextEncoder().encode(text) : text);
    return readPassword(path);
  };
  assert.deepEqual(
    [read('a b\n'), read('a b\r\n'), read(' a\n\n'), read('a')],
    ['a b', 'a b', ' a\n', 'a'],
  );
  assert.throws(() => read('\n'), { fault: 'damaged' });
  assert.throws(() => read(Uint8Array.of(0xff, 0xfe)), { fault: 'damaged' });
});

test('a token of 256 bits is written on the first start and read afterwards', (t) => {
  const path = tokenPath(join(temporaryDirectory(t), 'hot'));
  const token = ensureToken(path);
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(mode(path), 0o600);
  assert.deepEqual([ensureToken(path), readToken(path)], [token, token]);
  chmodSync(path, 0o644);
  assert.throws(() => ensureToken(path), { fault: 'readable_by_others' });
  chmodSync(path, 0o600);
  replaceSecret(path, new TextEncoder().encode('short'));
  assert.throws(() => ensureToken(path), { fault: 'damaged' });
});
