/**
 * A signer on real sockets and a real disk.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fingerprintOf, selfSigned } from 'svc-base/node';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import {
  type CutId,
  decodeSignState,
  encodeSignState,
  height,
  NO_ROUND,
  round,
} from 'svc-consensus/machine';
import { type SignerLease, SignerSession } from 'svc-consensus/shell';
import { openSignerLink, type SignerLink, type SignerPlace } from 'svc-consensus/signer';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { sealKeyFile } from 'svc-wasm/protocol';
import { main } from '../../src/signer/main.ts';
import { signerOptions } from '../../src/signer/options.ts';
import {
  type RunningSigner,
  type SignerOptions,
  startSigner,
} from '../../src/signer/start-signer.ts';

const CHAIN = new Uint8Array(48).fill(1);
const SET = new Uint8Array(48).fill(2);
const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
const FATAL = (error: unknown): never => assert.fail(String(error));

describe('svc-signer', () => {
  let directory: string;
  const links: SignerLink[] = [];
  before(async () => {
    await init();
    directory = temporaryDirectory();
  });
  after(() => {
    for (const link of links) link.close();
  });

  /** Options of a signer with a key of its own. */
  function optionsFor(name: string, seed: number): SignerOptions {
    const folder = join(directory, name);
    mkdirSync(folder, { mode: 0o700 });
    const [keyFile, passwordFile] = [join(folder, 'key'), join(folder, 'password')];
    const contents = { kind: 'consensus', network: 'development' } as const;
    const sealed = sealKeyFile(new Uint8Array(32).fill(seed), contents, 'correct horse', CHEAP);
    writeFileSync(keyFile, sealed, { mode: 0o600 });
    writeFileSync(passwordFile, 'correct horse\n', { mode: 0o600 });
    return {
      network: 'development',
      chainId: CHAIN,
      keyFile,
      passwordFile,
      stateDirectory: join(folder, 'state'),
      newSignState: true,
      socket: join(folder, 'socket'),
      tls: null,
    };
  }

  function start(options: SignerOptions): Promise<RunningSigner> {
    return startSigner(options, { clock: SYSTEM_CLOCK, log: SILENT_LOG, onFatal: FATAL });
  }

  /** Waits for the lease; rejects with the reason if the connection ends first. */
  function lease(place: SignerPlace, name = 'test'): Promise<SignerLease> {
    return new Promise((resolve, reject) => {
      let session: SignerSession | undefined;
      const link = openSignerLink(place, {
        onOpen: () => {
          session = new SignerSession(
            { chainId: CHAIN, name },
            {
              clock: SYSTEM_CLOCK,
              send: (frame) => link.send(frame),
              setIdAt: () => SET,
              onGranted: resolve,
              onHeld: () => {},
              onEnded: (reason) => {
                link.close();
                reject(new Error(reason));
              },
            },
          );
        },
        onFrame: (frame) => session?.receive(frame),
        onClosed: (reason) => {
          session?.end(reason);
          reject(new Error(reason));
        },
      });
      links.push(link);
    });
  }

  test('signs over a socket that only its user may open, with the record on the disk first', async () => {
    const options = optionsFor('local', 3);
    const signer = await start(options);
    const path = options.socket as string;
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const held = await lease({ path });
    held.storage.writeTemporary(silentThrough(held, 0));
    held.storage.renameTemporary();
    assert.equal((await held.sign(vote(5, 'aa'))).type, 'signed');
    const stored = decodeSignState(readFileSync(join(options.stateDirectory, 'sign-state')));
    assert.equal(stored?.last?.height, 5);
    assert.deepEqual(await held.sign(vote(5, 'bb')), {
      type: 'refused',
      reason: 'conflicting_message',
    });
    await assert.rejects(start({ ...options, socket: `${path}2` }), /one process must hold a key/);
    await signer.close();

    const again = await start({ ...options, newSignState: false });
    const second = await lease({ path });
    assert.deepEqual(await second.sign(vote(5, 'bb')), {
      type: 'refused',
      reason: 'conflicting_message',
    });
    await again.close();
    await assert.rejects(start(options), /there is a record .* already/);
  });

  test('over TLS each side knows the other by the fingerprint of its certificate', async () => {
    const [server, client, stranger] = [selfSigned(), selfSigned(), selfSigned()];
    const options: SignerOptions = {
      ...optionsFor('tls', 4),
      socket: null,
      tls: {
        host: '127.0.0.1',
        port: 0,
        certificate: server.cert,
        key: server.key,
        fingerprints: [fingerprintOf(client.cert)],
      },
    };
    const signer = await start(options);
    assert.ok(signer.tls !== null);
    const place = {
      ...signer.tls,
      certificate: client.cert,
      key: client.key,
      fingerprint: fingerprintOf(server.cert),
    };
    const held = await lease(place);
    assert.equal(held.number, 1);
    await assert.rejects(lease({ ...place, certificate: stranger.cert, key: stranger.key }));
    await assert.rejects(
      lease({ ...place, fingerprint: fingerprintOf(stranger.cert) }),
      /shows a certificate with the fingerprint/,
    );
    held.end('the test is done');
    await signer.close();
  });

  test('what cannot be served is refused with words', async () => {
    const options = optionsFor('refused', 6);
    const flags = {
      ...{ network: 'development', chainId: toHex(CHAIN), log: 'info' },
      ...{ keyFile: options.keyFile, passwordFile: options.passwordFile },
      stateDir: options.stateDirectory,
    };
    assert.throws(() => signerOptions(flags), /give --socket or --listen-tls/);
    const listenTls = '127.0.0.1:0';
    assert.throws(() => signerOptions({ ...flags, listenTls }), /needs --tls-certificate/);
    const socket = '/run/socket';
    assert.throws(
      () => signerOptions({ ...flags, socket, chainId: 'ab' }),
      /^CliError: --chain-id/,
    );
    assert.throws(() => signerOptions({ ...flags, socket, network: 'no' }), /--network/);
    assert.equal(signerOptions({ ...flags, socket }).newSignState, false);
    await assert.rejects(
      start({ ...options, newSignState: false }),
      /the record of what this consensus key signed is missing/,
    );
  });

  test('a certificate is made once, with a key that only its owner may read', async () => {
    const folder = join(directory, 'certificate');
    assert.equal(await main(['certificate', folder]), 0);
    assert.match(fingerprintOf(readFileSync(join(folder, 'tls.crt'))), /^[0-9a-f]{64}$/);
    assert.equal(statSync(join(folder, 'tls.key')).mode & 0o777, 0o600);
    assert.notEqual(await main(['certificate', folder]), 0);
  });
});

/** The record that a lease shows, with another end of its silence. */
function silentThrough(lease: SignerLease, through: number): Uint8Array {
  const record = decodeSignState(lease.storage.read() as Uint8Array);
  assert.ok(record !== undefined);
  return encodeSignState({ ...record, silentThrough: height(through) });
}

function vote(at: number, byte: string) {
  return {
    kind: 'prevote',
    height: height(at),
    round: round(0),
    validRound: NO_ROUND,
    value: byte.repeat(48) as CutId,
    validatorIndex: 0,
  } as const;
}
