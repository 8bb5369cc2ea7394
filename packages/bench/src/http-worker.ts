/**
 * A thread with two servers over the same store: the HTTP API, and a bare one that sends the same bytes from
 * memory. Only this thread's processor time is counted.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { type Genesis, keyAddress } from 'svc-ledger';
import { ServicesFixture } from 'svc-node/testing';
import { HttpServer } from 'svc-serve';
import { LevelStore } from 'svc-storage';
import { encodeAddress, fromHex } from 'svc-wasm/base';

export interface HttpTask {
  readonly directory: string;
  readonly addresses: number;
}

export interface HttpReady {
  readonly oursPort: number;
  readonly barePort: number;
  readonly addresses: readonly string[];
}

/** Requests in a connection are not counted here: the load keeps its connections. */
const ENDLESS = 0;

const { directory, addresses: count } = workerData as HttpTask;
const hexes = Array.from({ length: count }, (_, index) =>
  keyAddress((BigInt(index + 1) * 0x9e37_79b9_7f4a_7c15n).toString(16).padStart(96, '5')),
);

function spread(genesis: Genesis): Genesis {
  const [first, ...others] = genesis.outputs;
  if (first === undefined) throw new Error('the genesis has no outputs');
  const part = first.amount / BigInt(count + 1);
  const outputs = hexes.map((address) => ({ address, amount: part }));
  const rest = { ...first, amount: first.amount - part * BigInt(count) };
  return { ...genesis, outputs: [...outputs, rest, ...others] };
}

const keyValues = await LevelStore.open(directory);
const services = await ServicesFixture.create({ keyValues, genesis: spread });
await services.chain.cut();
const ours = await HttpServer.start(services, {
  host: '127.0.0.1',
  port: 0,
  profile: 'node',
  publicNames: [],
  browserOrigins: [],
  trustedProxies: [],
});
ours.server.maxRequestsPerSocket = ENDLESS;
const texts = hexes.map((hex) => encodeAddress(fromHex(hex), 'development'));

interface Stored {
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function ask(text: string): Promise<Stored> {
  const response = await fetch(`http://127.0.0.1:${ours.port}/v1/address/${text}/balance`);
  const received = Object.fromEntries(response.headers);
  const { date: _, connection: __, 'keep-alive': ___, ...headers } = received;
  return { headers, body: await response.text() };
}

/** What the API answers, word for word: the answers of these addresses differ in the address alone. */
async function learn(): Promise<Map<string, Stored>> {
  const first = texts[0] ?? '';
  const last = texts.at(-1) ?? '';
  const { headers, body } = await ask(first);
  const bodyOf = (text: string): string => body.replace(first, text);
  if ((await ask(last)).body !== bodyOf(last)) throw new Error('the answers differ otherwise');
  return new Map(
    texts.map((text) => [`/v1/address/${text}/balance`, { headers, body: bodyOf(text) }]),
  );
}

/** Also signs if a nonce is sent, and does nothing else. */
function bareServer(known: ReadonlyMap<string, Stored>): Server {
  return createServer((request, response) => {
    const target = request.url ?? '';
    const { headers, body } = known.get(target) as Stored;
    const isSigned = request.headers['x-svc-request-nonce'] !== undefined;
    response.writeHead(200, isSigned ? { ...headers, ...signatureOf(target, body) } : headers);
    response.end(body);
  });
}

function signatureOf(target: string, body: string): Record<string, string> {
  return services.identity.sign({
    method: 'GET',
    target,
    requestBody: new Uint8Array(0),
    status: 200,
    responseBody: Buffer.from(body),
    nonce: new Uint8Array(32),
    chainId: fromHex(services.chain.chainId),
    finalizedHeight: 1n,
  });
}

const bare = bareServer(await learn());
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
const barePort = (bare.address() as AddressInfo).port;

function processorMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

async function close(): Promise<void> {
  await ours.close();
  bare.close();
  bare.closeAllConnections();
  await services.close();
  parentPort?.close();
}

export type HttpOrder = 'processor' | 'close';

async function obey(order: HttpOrder): Promise<void> {
  if (order === 'close') return close();
  parentPort?.postMessage(processorMicros());
}

parentPort?.on('message', (order: HttpOrder) => void obey(order));
parentPort?.postMessage({ oursPort: ours.port, barePort, addresses: texts } satisfies HttpReady);
