/**
 * From the words of the command line to the options of a signer.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseBind, usageError } from 'svc-base/cli';
import { parseFingerprint, readSecretFile } from 'svc-base/node';
import { messageOf } from 'svc-base/pure';
import { expectNetwork, fromHex } from 'svc-wasm/base';
import type { TlsListener } from './listeners.ts';
import type { SignerOptions } from './start-signer.ts';

export interface SignerFlags {
  readonly network: string;
  readonly chainId: string;
  readonly keyFile: string;
  readonly passwordFile: string;
  readonly stateDir: string;
  readonly newSignState?: boolean;
  readonly socket?: string;
  readonly listenTls?: string;
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly client?: readonly string[];
  readonly log: string;
  readonly json?: boolean;
}

const CHAIN_ID_BYTES = 48;
/** The longest path that every system takes for a socket. */
const SOCKET_PATH_BYTES_MAX = 100;

export function signerOptions(flags: SignerFlags): SignerOptions {
  const socket = flags.socket === undefined ? null : resolve(flags.socket);
  if (socket !== null && Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX)
    throw usageError(`--socket: a path of at most ${SOCKET_PATH_BYTES_MAX} bytes, found ${socket}`);
  const tls = tlsOf(flags);
  if (socket === null && tls === null)
    throw usageError('nothing to listen on: give --socket or --listen-tls');
  return {
    network: checked('--network', () => expectNetwork(flags.network, '--network')),
    chainId: checked('--chain-id', () => fromHex(flags.chainId, '--chain-id', CHAIN_ID_BYTES)),
    keyFile: resolve(flags.keyFile),
    passwordFile: resolve(flags.passwordFile),
    stateDirectory: resolve(flags.stateDir),
    newSignState: flags.newSignState === true,
    socket,
    tls,
  };
}

function tlsOf({
  listenTls,
  tlsCertificate,
  tlsKey,
  client = [],
}: SignerFlags): TlsListener | null {
  if (listenTls === undefined) return null;
  if (tlsCertificate === undefined || tlsKey === undefined || client.length === 0)
    throw usageError('--listen-tls needs --tls-certificate, --tls-key and --client');
  return {
    ...parseBind(listenTls, '--listen-tls'),
    certificate: checked('--tls-certificate', () => readFileSync(tlsCertificate, 'utf8')),
    key: new TextDecoder().decode(readSecretFile(tlsKey, '--tls-key')),
    fingerprints: client.map((text) => {
      const fingerprint = parseFingerprint(text);
      if (fingerprint !== undefined) return fingerprint;
      throw usageError(`--client: expected 64 hexadecimal characters, found ${text}`);
    }),
  };
}

function checked<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const message = messageOf(error);
    throw usageError(message.startsWith(option) ? message : `${option}: ${message}`);
  }
}
