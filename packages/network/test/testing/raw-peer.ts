/**
 * A peer that shakes hands properly and then sends whatever a test wants: a host that does nothing by itself.
 */
import type { TestContext } from 'node:test';
import { generateKeyPair } from '@libp2p/crypto/keys';
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { ManualClock, until } from 'svc-base/testing';
import type { NetworkApplication } from '../../src/application.ts';
import { HANDSHAKE_PROTOCOL } from '../../src/handshake/handshake.ts';
import { encodeHello } from '../../src/handshake/hello-bytes.ts';
import { createHost } from '../../src/host/create-host.ts';
import { Gater } from '../../src/host/gater.ts';
import { HOST_DEFAULTS } from '../../src/host/options.ts';
import { Traffic } from '../../src/host/traffic.ts';
import type { Network } from '../../src/network.ts';
import { Bans } from '../../src/peers/bans.ts';
import { SYNC_PROTOCOL } from '../../src/sync/sync-server.ts';
import { encodeFrame, type Frame, FrameParser } from '../../src/wire/frame-parser.ts';
import { LOOPBACK, startNetwork } from './kit.ts';

const ANY_FRAME = Object.fromEntries(Array.from({ length: 256 }, (_, kind) => [kind, 4_000_000]));

const PAUSES_MAX = 2;

export class RawStream {
  readonly frames: Frame[] = [];
  readonly stream: Stream;

  constructor(stream: Stream, onFrame?: (frame: Frame, self: RawStream) => void) {
    this.stream = stream;
    const parser = new FrameParser(ANY_FRAME);
    stream.addEventListener('message', ({ data }) => {
      parser.push(data.subarray());
      for (let frame = parser.next(); frame !== undefined; frame = parser.next()) {
        this.frames.push(frame);
        onFrame?.(frame, this);
      }
    });
  }

  send(kind: number, payload: Uint8Array): void {
    this.sendBytes(encodeFrame(kind, payload));
  }

  sendBytes(bytes: Uint8Array): void {
    if (this.stream.status === 'open') this.stream.send(bytes);
  }
}

export class RawPeer {
  readonly host: Libp2p;
  readonly traffic: Traffic;
  connection!: Connection;

  private constructor(host: Libp2p, traffic: Traffic) {
    this.host = host;
    this.traffic = traffic;
  }

  static async create(t: Pick<TestContext, 'after'>): Promise<RawPeer> {
    const options = { ...HOST_DEFAULTS, ...LOOPBACK, directory: '', agent: 'raw' };
    const traffic = new Traffic();
    const gater = new Gater(options, new Bans(new ManualClock()));
    const host = await createHost(options, await generateKeyPair('Ed25519'), gater, traffic);
    await host.start();
    t.after(() => host.stop());
    return new RawPeer(host, traffic);
  }

  get id(): string {
    return this.host.peerId.toString();
  }

  async dial(network: Network): Promise<void> {
    this.connection = await despitePauses(() => this.host.dial(multiaddr(network.addresses[0])));
  }

  /** Dials and says a proper hello, with a height of its own choice. */
  async join(network: Network, application: NetworkApplication, height?: number): Promise<void> {
    await this.dial(network);
    const stream = await this.open(HANDSHAKE_PROTOCOL);
    const { identity, tip, holdings } = application;
    const claimed = { height: height ?? tip.height, cutId: tip.cutId };
    const hello = encodeHello({ identity, tip: claimed, holdings, listeningPort: 0, agent: 'raw' });
    stream.send(1, hello);
    const isAdmitted = (): boolean => network.peers.get(this.id) !== undefined;
    const isOver = (): boolean => this.connection.status !== 'open';
    await until(() => isAdmitted() || isOver(), 'the raw peer to be admitted');
    if (!isAdmitted()) throw new Error('the connection ended before the raw peer was admitted');
  }

  async open(
    protocol: string,
    onFrame?: (frame: Frame, self: RawStream) => void,
  ): Promise<RawStream> {
    const stream = await despitePauses(() => this.connection.newStream(protocol));
    return new RawStream(stream, onFrame);
  }
}

/**
 * Opens something again that took too long: the library counts the minute in which the whole machine was stalled,
 * although no peer was slow.
 */
async function despitePauses<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  for (let pauses = 0; ; pauses++)
    try {
      return await open();
    } catch (error) {
      if (pauses === PAUSES_MAX || (error as Error).name !== 'TimeoutError') throw error;
    }
}

/** A peer that has the whole chain of an application but answers as it likes; undefined leaves a frame out. */
export async function impostor(
  t: Pick<TestContext, 'after'>,
  network: Network,
  application: NetworkApplication,
  change: (kind: number, payload: Uint8Array) => Uint8Array | undefined,
): Promise<RawPeer> {
  const honest = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  const upstream = await RawPeer.create(t);
  await upstream.join(honest, application);
  await raw.host.handle(SYNC_PROTOCOL, async (stream) => {
    let forward: RawStream | undefined;
    const down = new RawStream(stream, ({ kind, payload }) => forward?.send(kind, payload));
    forward = await upstream.open(SYNC_PROTOCOL, ({ kind, payload }) => {
      const changed = change(kind, payload);
      if (changed !== undefined) down.send(kind, changed);
    });
    for (const { kind, payload } of down.frames) forward.send(kind, payload);
  });
  await raw.join(network, application);
  return raw;
}
