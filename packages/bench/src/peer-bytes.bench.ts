/**
 * Bytes from one peer to another over one stream, both in this process: TLS on the socket beside the package, which puts
 * JavaScript streams between socket and TLS. Everything else of libp2p is the same on both sides. Judged is the processor
 * time of sender and receiver together.
 */
import { tcp } from '@libp2p/tcp';
import { tls } from '@libp2p/tls';
import { yamux } from '@libp2p/yamux';
import { createLibp2p } from 'libp2p';
import { socketTls } from 'svc-network/socket-tls';
import { type BenchOptions, formatTime, type Row } from './harness.ts';

const MEGABYTE = 1_000_000;
const PIECE = new Uint8Array(MEGABYTE / 10);
const MEGABYTES = 40;
const ROUNDS = 5;
const PROTOCOL = '/bytes/1';
/** Times as fast as the package; 1.5 to 2 are measured. */
const FASTER_MIN = 1.2;

type Encrypter = ReturnType<typeof tls>;

export async function bench({ size, smoke }: BenchOptions): Promise<readonly Row[]> {
  const megabytes = smoke ? 1 : MEGABYTES;
  let ours = Number.POSITIVE_INFINITY;
  let peer = Number.POSITIVE_INFINITY;
  for (let round = 0; round < (smoke ? 1 : Math.ceil(ROUNDS * size)); round++) {
    ours = Math.min(ours, await nanosecondsEach(socketTls(), megabytes));
    peer = Math.min(peer, await nanosecondsEach(tls(), megabytes));
  }
  return [
    {
      name: 'network::peer_bytes/megabytes=1',
      ours: `${formatTime(ours)} of processor (TLS on the socket)`,
      peer: `${formatTime(peer)} of processor (@libp2p/tls)`,
      ratio: peer / ours,
      limit: FASTER_MIN,
    },
  ];
}

async function nanosecondsEach(encrypter: Encrypter, megabytes: number): Promise<number> {
  const to = await hostOf(encrypter, ['/ip4/127.0.0.1/tcp/0']);
  const from = await hostOf(encrypter, []);
  try {
    const arrived = Promise.withResolvers<void>();
    await to.handle(PROTOCOL, async (stream) => {
      let bytes = 0;
      for await (const some of stream) bytes += some.byteLength;
      if (bytes === megabytes * MEGABYTE) arrived.resolve();
      else arrived.reject(new Error(`${bytes} bytes arrived`));
    });
    const stream = await from.dialProtocol(to.getMultiaddrs(), PROTOCOL);
    const before = process.threadCpuUsage();
    for (let sent = 0; sent < megabytes * MEGABYTE; sent += PIECE.length)
      if (!stream.send(PIECE)) await stream.onDrain();
    await stream.close();
    await arrived.promise;
    const { system, user } = process.threadCpuUsage(before);
    return (1000 * (user + system)) / megabytes;
  } finally {
    await from.stop();
    await to.stop();
  }
}

async function hostOf(encrypter: Encrypter, listen: string[]) {
  return await createLibp2p({
    addresses: { listen },
    transports: [tcp()],
    connectionEncrypters: [encrypter],
    streamMuxers: [yamux()],
  });
}
