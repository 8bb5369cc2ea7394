/**
 * QUIC, where an operator asks for it and its binary exists for this machine. It is never needed: every node speaks
 * TCP.
 */
import type { Libp2pOptions } from 'libp2p';

const QUIC_PACKAGE = '@chainsafe/libp2p-quic';

export type TransportFactory = NonNullable<Libp2pOptions['transports']>[number];

type QuicFactory = () => TransportFactory;

/** The factory of the transport; undefined where there is none. */
export async function loadQuic(): Promise<QuicFactory | undefined> {
  try {
    const found = (await import(QUIC_PACKAGE)) as { readonly quic?: unknown };
    return typeof found.quic === 'function' ? (found.quic as QuicFactory) : undefined;
  } catch {
    return undefined;
  }
}
