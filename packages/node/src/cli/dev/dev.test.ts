import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { advanceValidatorSet, init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { parseTrustedSet } from 'svc-wasm/protocol';
import { SvcdProcess } from '../testing/svcd.ts';
import { parseCutTime } from './run-dev.ts';

test('a cut time is a time, auto or manual', () => {
  const table: [string, number | string][] = [
    ['250ms', 250],
    ['2.5s', 2_500],
    ['60s', 60_000],
    ['auto', 'auto'],
    ['manual', 'manual'],
  ];
  for (const [text, expected] of table) assert.equal(parseCutTime(text), expected);
  for (const text of ['', '250', '49ms', '61s', '-1s', '1e3ms', '0.5ms', '2.5', 'Auto', '250 ms']) {
    assert.throws(() => parseCutTime(text), { exitCode: 2 }, text);
  }
});

/** Follows the validators from the trust anchor to the first cut, as light clients do. */
async function expectAnchored(facts: Record<string, unknown>): Promise<void> {
  await init();
  const anchor = JSON.stringify(facts['trust_anchor']);
  const { height, cutId: genesisId } = parseTrustedSet(anchor);
  assert.equal(height, 0n, 'a new network is trusted from its genesis');
  const read = async <T>(path: string): Promise<T> =>
    (await fetch(`${String(facts['api_url'])}/v1/cuts/1/${path}`)).json() as Promise<T>;
  const proof = await read<{ header_hex: string; certificate_hex: string }>('certificate');
  const { validator_set_hex } = await read<{ validator_set_hex: string }>('validators');
  const [header, certificate, set] = [
    proof.header_hex,
    proof.certificate_hex,
    validator_set_hex,
  ].map((hex) => fromHex(hex)) as [Uint8Array, Uint8Array, Uint8Array];
  const now = String(Date.now());
  const next = advanceValidatorSet(anchor, header, certificate, set, now);
  const { height: reached, cutId } = parseTrustedSet(next);
  assert.equal(reached, 1n);
  assert.notDeepEqual(cutId, genesisId);
}

test('svcd dev tells where everything is, on standard error and as JSON, and makes cuts', async () => {
  const directory = temporaryDirectory();
  const words = ['dev', '--port', '0', '--no-wallet', '--validators', '1', '--cut-time', '250ms'];
  const network = new SvcdProcess([...words, '--json', '--config-out', 'dev.json'], { directory });
  try {
    await network.said('cut 1 is final');
    const facts = JSON.parse(network.stdout) as Record<string, unknown>;
    const file = join(directory, 'dev.json');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), facts);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const accounts = facts['accounts'] as { address: string }[];
    assert.equal(accounts.length, 10);
    assert.deepEqual([facts['wallet_url'], facts['cut_time'], facts['validators']], [null, 250, 1]);
    for (const { address } of accounts) assert.ok(network.stderr.includes(address));
    assert.ok(network.stderr.includes(DEVELOPMENT_MNEMONIC));
    assert.equal(
      network.stderr.split('These keys are public').length,
      3,
      'before and after the keys',
    );
    const head = await fetch(`${String(facts['api_url'])}/v1/chain/head`);
    assert.equal(((await head.json()) as { chain_id: string }).chain_id, facts['chain_id']);
    await expectAnchored(facts);
    network.child.kill('SIGINT');
    assert.equal((await network.end()).code, 0);
    assert.match(network.stderr, /stopping …\n.*stopped\n$/s);
  } finally {
    network.child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  }
});
