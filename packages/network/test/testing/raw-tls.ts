/**
 * A side of a connection that speaks TLS as libp2p does and then whatever a test wants in place of a muxer.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { generateKeyPair } from '@libp2p/crypto/keys';
import type { Libp2p, PrivateKey } from '@libp2p/interface';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import { generateCertificate } from '@libp2p/tls/utils';
import type { TestEnd } from 'svc-base/testing';

/** The bytes of an agreement on a protocol: its name with a length before it. */
export function agreement(name: string): Buffer {
  return Buffer.concat([Buffer.of(name.length + 1), Buffer.from(`${name}\n`)]);
}

export const AGREED: Buffer = Buffer.concat([
  agreement('/multistream/1.0.0'),
  agreement('/tls/1.0.0'),
]);

export interface RawTls {
  /** The peer id of this side. */
  readonly id: string;
  /** What carries the encrypted bytes. */
  readonly socket: Socket;
  readonly secured: TLSSocket;
}

/** A plain socket to a host. */
export function socketTo(t: TestEnd, host: Pick<Libp2p, 'getMultiaddrs'>): Socket {
  const [address] = host.getMultiaddrs();
  const port = Number(address?.getComponents().find(({ name }) => name === 'tcp')?.value);
  const socket = connect(port, '127.0.0.1');
  // A reset is one of the ways in which a connection ends.
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  return socket;
}

/** Encrypts a connection to a host, and agrees on the muxer with it. The handshake begins before TLS is agreed on. */
export async function rawTls(
  t: TestEnd,
  host: Pick<Libp2p, 'getMultiaddrs'>,
  key?: PrivateKey,
): Promise<RawTls> {
  const privateKey = key ?? (await generateKeyPair('Ed25519'));
  const socket = socketTo(t, host);
  const secured = connectTls({
    ...(await generateCertificate(privateKey)),
    socket: withoutAgreement(socket),
    ALPNProtocols: ['/yamux/1.0.0'],
    rejectUnauthorized: false,
  });
  secured.on('error', () => undefined);
  await once(secured, 'secureConnect');
  return { id: peerIdFromPrivateKey(privateKey).toString(), socket, secured };
}

/** A socket without the agreement that comes first, and whose first bytes leave together with ours. */
function withoutAgreement(socket: Socket): Duplex {
  let left = AGREED.length;
  let first = AGREED;
  socket.on('data', (data: Buffer) => {
    const rest = data.subarray(left);
    left -= data.length - rest.length;
    if (rest.length > 0) duplex.push(rest);
  });
  const duplex = new Duplex({
    read: () => undefined,
    write: (data: Buffer, _encoding, callback) => {
      socket.write(Buffer.concat([first, data]), callback);
      first = Buffer.alloc(0);
    },
  });
  return duplex;
}
