/**
 * A daemon with a certificate of its own: who it is is shown before anything is said, on this machine and from elsewhere.
 */
import assert from 'node:assert/strict';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fingerprintOf, selfSigned } from 'svc-base/node';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { WebSocket } from 'ws';
import { DaemonSession } from '../src/cli/session/daemon-session.ts';
import { openSession } from '../src/cli/session/open-session.ts';
import { readCertificate } from '../src/daemon/certificate.ts';
import { proveToken } from '../src/file/token.ts';
import { holderPath } from '../src/state/open-state.ts';
import { readHolder } from '../src/state/state-files.ts';
import { startDaemon, type TestDaemon } from './testing/daemon.ts';

/** Nobody listens there: the daemon answers without its node. */
const NOWHERE = 'http://127.0.0.1:1';
const STATUS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} });

let daemon: TestDaemon;
let directory: string;
let own = selfSigned();
const errors: string[] = [];
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

function files(name: string, pair: { cert: string; key: string }) {
  const [certificate, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  writeFileSync(certificate, pair.cert);
  writeFileSync(key, pair.key, { mode: 0o600 });
  return { certificate, key };
}

/** A call as a program on another machine makes it: it trusts the certificate and checks the name. */
function callFrom(options: object, host = new URL(daemon.url).host): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{ host, 'content-type': 'application/json' },
      authorization: `Bearer ${daemon.token}`,
    };
    const given = { method: 'POST', headers, ca: own.cert, agent: false, ...options };
    const sent = request(`${daemon.url}/v1/rpc`, given, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(STATUS);
  });
}

describe('a daemon that speaks TLS itself', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory(context);
    const log = {
      ...SILENT_LOG,
      error: (_: object, message: string) => void errors.push(message),
    };
    daemon = await startDaemon({
      ...{ directory, service: NOWHERE, log },
      isRemote: true,
      certificateFiles: files('tls', own),
    });
  });

  after(async () => {
    await daemon.close();
    for (const end of ended) end();
  });

  test('callers reach it with TLS 1.3 and ML-KEM, and not without TLS', async () => {
    assert.match(daemon.url, /^https:\/\/127\.0\.0\.1:/);
    assert.equal(await callFrom({}), 200);
    assert.equal(await callFrom({ ecdhCurve: 'X25519MLKEM768' }), 200);
    await assert.rejects(callFrom({ maxVersion: 'TLSv1.2' }));
    await assert.rejects(fetch(daemon.url.replace('https', 'http')));
    await assert.rejects(callFrom({ ca: selfSigned().cert }));
    const { port } = new URL(daemon.url);
    assert.equal(await callFrom({}, `localhost:${port}`), 200);
    const careless = { checkServerIdentity: () => undefined };
    assert.equal(await callFrom(careless, `elsewhere.example:${port}`), 403);
  });

  test('the socket of events is there over TLS too', async () => {
    const headers = { authorization: `Bearer ${daemon.token}` };
    const url = `${daemon.url.replace('https', 'wss')}/v1/ws`;
    const socket = new WebSocket(url, { headers, ca: own.cert });
    const answered = new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('message', (data) => resolve((data as Buffer).toString()));
    });
    socket.once('open', () => socket.send(STATUS));
    assert.match(await answered, /"result"/);
    socket.terminate();
  });

  test('commands find it beside the wallet and know it by its fingerprint', async () => {
    const holder = readHolder(holderPath(daemon.file));
    assert.equal(holder?.fingerprint, fingerprintOf(own.cert));
    const options = { network: 'development', file: daemon.file, service: NOWHERE };
    const session = await openSession(options, 'keys', 'test');
    assert.ok(session instanceof DaemonSession);
    assert.equal((await session.call('status', {})).node_reachable, false);
    await session.close();
    chmodSync(holderPath(daemon.file), 0o666);
    await assert.rejects(openSession(options, 'keys', 'test'), /can be read or changed by others/);
    chmodSync(holderPath(daemon.file), 0o600);
  });

  test('a stranger with another certificate hears nothing, whatever it could prove', async (t) => {
    const heard: string[] = [];
    const stranger = createServer({ ...selfSigned() }, (asked, response) => {
      heard.push(asked.url ?? '');
      const nonce = asked.url?.split('/').at(-1) ?? '';
      response.end(
        JSON.stringify({ proofs: [proveToken(daemon.token, nonce, asked.headers.host ?? '')] }),
      );
    });
    t.after(() => {
      stranger.closeAllConnections();
      stranger.close();
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const { tokenFile } = daemon.running;
    const found = DaemonSession.find(url, tokenFile, fingerprintOf(own.cert));
    await assert.rejects(found, /is not the daemon of this wallet/);
    assert.deepEqual(heard, []);
  });

  test('a renewed certificate is shown from then on, and a wrong one changes nothing', async () => {
    const before = own;
    files('tls', { cert: selfSigned().cert, key: own.key });
    daemon.running.renewCertificate();
    assert.match(errors.join(), /the old one stays/);
    assert.equal(await callFrom({}), 200);
    own = selfSigned();
    files('tls', own);
    daemon.running.renewCertificate();
    assert.equal(await callFrom({}), 200);
    await assert.rejects(callFrom({ ca: before.cert }));
    assert.equal(readHolder(holderPath(daemon.file))?.fingerprint, fingerprintOf(own.cert));
  });

  test('a key that others can read, a link, and a key of another certificate are refused', () => {
    const open = files('open', selfSigned());
    chmodSync(open.key, 0o644);
    assert.throws(() => readCertificate(open), /can be read or changed by others \(mode 0644/);
    const linked = files('linked', selfSigned());
    symlinkSync(linked.key, join(directory, 'link.key'));
    const link = { ...linked, key: join(directory, 'link.key') };
    assert.throws(() => readCertificate(link), /is a symbolic link/);
    const other = files('other', selfSigned());
    assert.throws(() => readCertificate({ ...linked, key: other.key }), /does not belong/);
    assert.throws(() => readCertificate({ ...linked, certificate: other.key }), /certificate in P/);
    assert.throws(() => readCertificate({ ...linked, key: linked.certificate }), /others|PEM/);
  });
});
