/**
 * The signer as a whole: key, lock, record, desk and listeners. All wiring of `svc-signer` is here.
 */
import { mkdirSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import type { Clock, Log } from 'svc-base/pure';
import { height, openSigner, type Signer } from 'svc-consensus/machine';
import { SigningDesk, ValidatorKey, ValidatorStartError } from 'svc-consensus/shell';
import { init } from 'svc-wasm';
import { type Network, toHex, wipe } from 'svc-wasm/base';
import { FileSignState } from './file-sign-state.ts';
import { openKeyFile } from './key-file.ts';
import { SocketKeyLock } from './key-lock.ts';
import { type ListenerPorts, listenLocal, listenTls, type TlsListener } from './listeners.ts';

export interface SignerOptions {
  readonly network: Network;
  readonly chainId: Uint8Array;
  readonly keyFile: string;
  readonly passwordFile: string;
  /** The folder with the file `sign-state`. */
  readonly stateDirectory: string;
  /** The operator asked to begin a new record, with its 48 silent cuts. */
  readonly newSignState: boolean;
  /** A path; null for none. */
  readonly socket: string | null;
  readonly tls: TlsListener | null;
}

export interface SignerPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export interface RunningSigner {
  readonly keyHash: string;
  readonly socket: string | null;
  /** With the port that the system chose for port 0. */
  readonly tls: { readonly host: string; readonly port: number } | null;
  close(): Promise<void>;
}

/** Throws a `ConfigError` or a `ValidatorStartError` that says what to do. */
export async function startSigner(
  options: SignerOptions,
  ports: SignerPorts,
): Promise<RunningSigner> {
  const { clock, log, onFatal } = ports;
  const { chainId } = options;
  await using starting = new AsyncDisposableStack();
  await init();
  const key = readKey(options);
  starting.defer(() => key.free());
  const signer = await openRecord(options, key, ports);
  starting.defer(() => signer.close());
  const { last } = signer.state;
  log.info(
    { key_hash: key.keyHash, chain_id: toHex(chainId), last_height: last?.height ?? null },
    'the record is open',
  );
  const desk = new SigningDesk({ signer, key, chainId, clock, log });
  const open = { desk, log, onFatal };
  const tls = await openListeners(options, open, starting);
  const closing = starting.move();
  return {
    keyHash: key.keyHash,
    socket: options.socket,
    tls,
    close: () => closing.disposeAsync(),
  };
}

function readKey({ keyFile, passwordFile, network }: SignerOptions): ValidatorKey {
  const seed = openKeyFile({
    keyFile,
    keySetting: '--key-file',
    passwordFile,
    passwordSetting: '--password-file',
    kind: 'consensus',
    network,
  });
  try {
    return ValidatorKey.fromSeed(seed);
  } finally {
    wipe(seed);
  }
}

async function openRecord(
  options: SignerOptions,
  key: ValidatorKey,
  { log, clock }: SignerPorts,
): Promise<Signer> {
  const { stateDirectory, newSignState, chainId } = options;
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const storage = new FileSignState(stateDirectory);
  const folder = stateDirectory;
  const lock = await SocketKeyLock.claim({ key, chainId, folder, log, clock });
  const opened = openSigner({ storage, lock, key }, { chainHeight: height(0), newSignState });
  if (opened.type === 'open') return opened.signer;
  lock.release();
  throw new ValidatorStartError(opened.reason, stateDirectory);
}

async function openListeners(
  { socket, tls }: SignerOptions,
  ports: ListenerPorts,
  closing: AsyncDisposableStack,
): Promise<RunningSigner['tls']> {
  if (socket !== null) {
    const server = await listenLocal(socket, ports);
    closing.defer(() => closeServer(server, ports));
  }
  if (tls === null) return null;
  const server = await listenTls(tls, ports);
  closing.defer(() => closeServer(server, ports));
  const { address: host, port } = server.address() as AddressInfo;
  return { host, port };
}

function closeServer(server: Server, { desk }: ListenerPorts): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    desk.close();
  });
}
