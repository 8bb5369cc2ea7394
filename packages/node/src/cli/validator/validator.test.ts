import assert from 'node:assert/strict';
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { decodeOverlayEndpoint, openOverlayEndpoint } from 'svc-network/endpoint';
import { HttpServer } from 'svc-serve';
import { WalletRoot } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { type KeyKind, sealKeyFile } from 'svc-wasm/protocol';
import { ServicesFixture } from '../../testing/services-fixture.ts';
import { svcd } from '../testing/svcd.ts';
import type { Check } from './check-validator.ts';

describe('commands for validators', () => {
  const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
  const PASSWORD = 'correct horse';
  let directory: string;
  let services: ServicesFixture;
  let http: HttpServer;
  let url: string;

  before(async () => {
    directory = temporaryDirectory();
    services = await ServicesFixture.create({ timeMillis: Date.now() - 5_000 });
    await services.chain.cut();
    http = await HttpServer.start(services, {
      host: '127.0.0.1',
      port: 0,
      profile: 'node',
      publicNames: [],
      browserOrigins: [],
      trustedProxies: [],
    });
    url = `http://127.0.0.1:${(http.server.address() as { port: number }).port}`;
  });
  after(async () => {
    await http.close();
    await services.chain.close();
    rmSync(directory, { recursive: true });
  });

  function secret(name: string, contents: Uint8Array | string): void {
    writeFileSync(join(directory, name), contents);
    chmodSync(join(directory, name), 0o600);
  }

  function seal(name: string, kind: KeyKind, seed: Uint8Array): void {
    secret(name, sealKeyFile(seed, { kind, network: 'development' }, PASSWORD, CHEAP));
  }

  /** A validator's files: the consensus key that the chain knows, and the first account to pay for it. */
  function writeValidator(): void {
    using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
    const [consensus] = services.chain.keys.consensus;
    secret('password', `${PASSWORD}\n`);
    seal('consensus', 'consensus', consensus?.seed as Uint8Array);
    seal('fee', 'heartbeat_fee', root.exportSeed(0, 0, 0));
    const heartbeat = {
      validator_id: services.chain.epoch.members[0]?.validatorId,
      fee_key_file: 'fee',
      fee_key_password_file: 'password',
      max_fee_atoms: '100000',
    };
    const config = {
      network: 'development',
      data_dir: 'data',
      proof_of_work: { mode: 'full' },
      validator: { consensus_key_file: 'consensus', password_file: 'password', heartbeat },
    };
    writeFileSync(join(directory, 'node.json'), JSON.stringify(config));
  }

  async function checks(words: readonly string[] = []): Promise<Map<string, Check>> {
    const args = ['validator-check', '--config', 'node.json', '--url', url, '--json', ...words];
    const { stdout, stderr } = await svcd(args, { directory });
    assert.notEqual(stdout, '', stderr);
    const document = JSON.parse(stdout) as { checks: Check[] };
    return new Map(document.checks.map((check) => [check.name, check]));
  }

  test('[OPS-02] validator-endpoint makes overlay keys once and prints one line of hex', async () => {
    const words = ['validator-endpoint', '--data-dir', 'data'];
    const routes = ['--route', '192.0.2.7', '--route', 'a.example:99', '--route', '[2001:db8::1]'];
    const made = await svcd([...words, '--network', 'development', ...routes], { directory });
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^[0-9a-f]+\n$/);
    const endpoint = decodeOverlayEndpoint(fromHex(made.stdout.trim()));
    assert.deepEqual(endpoint.routes, [
      { host: '192.0.2.7', port: 28_704, tcp: true, quic: true },
      { host: 'a.example', port: 99, tcp: true, quic: true },
      { host: '2001:db8::1', port: 28_704, tcp: true, quic: true },
    ]);
    const folder = join(directory, 'data', 'network', 'validator-overlay');
    for (const name of readdirSync(folder))
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0);
    const second = decodeOverlayEndpoint(await openOverlayEndpoint(folder, []));
    assert.deepEqual(second, { keyHash: endpoint.keyHash, routes: [] }, 'the keys stay');
  });

  test('validator-check passes a validator that lacks nothing', async () => {
    writeValidator();
    const found = await checks();
    // The disk is not the test's, and on a busy machine the only cut of the chain is old by now.
    const missing = [...found.values()].filter(
      ({ ok, name }) => !ok && name !== 'disk' && name !== 'clock',
    );
    assert.deepEqual(missing, []);
    assert.equal(found.get('fee key')?.detail, services.chain.text(0));
    assert.equal(found.get('validator')?.detail, 'live, in the committee');
    assert.ok(found.has('disk') && found.has('from genesis') && found.has('clock'));
  });

  test('validator-check names what is missing, and ends with 1', async () => {
    writeValidator();
    chmodSync(join(directory, 'consensus'), 0o644);
    seal('fee', 'heartbeat_fee', new Uint8Array(32).fill(9));
    const found = await checks(['--pow-mode', 'light']);
    assert.match(
      found.get('consensus key')?.detail ?? '',
      /mode 0644, expected 0600\); run: chmod 600/,
    );
    assert.match(
      found.get('fee address')?.detail ?? '',
      /holds 0 atoms, 10 heartbeats may cost 1000000/,
    );
    for (const name of ['consensus key', 'fee address', 'proof of work']) {
      assert.equal(found.get(name)?.ok, false, name);
    }
    seal('consensus', 'consensus', new Uint8Array(32).fill(8));
    const other = await checks();
    assert.match(other.get('validator')?.detail ?? '', /signs with another key than the one here/);
    const { code, stdout } = await svcd(
      ['validator-check', '--config', 'node.json', '--url', 'http://127.0.0.1:9'],
      { directory },
    );
    assert.equal(code, 1);
    assert.match(stdout, /^MISSING +node +no node answers/m);
  });
});
