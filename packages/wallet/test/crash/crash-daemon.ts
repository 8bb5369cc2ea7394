/**
 * A daemon in a process of its own that ends itself, without a word, at the point it is told. It serves the real
 * wallet through the real listener; only the wallet file is left out, since words come in the first message.
 */
import { flushCompileCache } from 'node:module';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init, WalletRoot } from 'svc-wasm';
import { DaemonServer } from '../../src/daemon/server.ts';
import { digestOf } from '../../src/file/token.ts';
import { auditPath } from '../../src/state/audit-file.ts';
import { journalCopyPath } from '../../src/state/journal-copy.ts';
import { openState } from '../../src/state/open-state.ts';
import { Wallet } from '../../src/wallet.ts';

export interface CrashStart {
  readonly file: string;
  readonly words: string;
  readonly service: string;
  readonly token: string;
  readonly crashAt: string | null;
  readonly changeAddresses: number | null;
}

export type CrashMessage = { readonly start: CrashStart } | { readonly crashAt: string | null };

let crashAt: string | null = null;

function reached(point: string): void {
  if (point === crashAt) process.kill(process.pid, 'SIGKILL');
}

async function start(options: CrashStart): Promise<void> {
  crashAt = options.crashAt;
  await init();
  const root = WalletRoot.fromMnemonic(options.words, '', 'development');
  const network = 'development' as const;
  const state = openState(options.file, { fingerprint: root.fingerprint(), network }, 'crash');
  const wallet = await Wallet.open({
    state,
    root,
    network,
    log: SILENT_LOG,
    service: options.service,
    journalCopy: journalCopyPath(options.file),
    auditFile: auditPath(options.file),
    gap: 4,
    changeAddresses: options.changeAddresses,
    requestTimeoutMillis: 600,
    reached,
  });
  const digest = Buffer.from(digestOf(options.token), 'hex');
  const scopes = ['everything' as const];
  const grant = { name: 'main', scopes, limits: null, digest, isValid: () => true };
  const server = await DaemonServer.listen({
    wallet,
    grants: () => [grant],
    host: '127.0.0.1',
    port: 0,
    isRemote: false,
    hostNames: [],
    clock: SYSTEM_CLOCK,
    onReplied: () => reached('after_reply'),
  });
  // A process that is killed keeps nothing of what it has compiled; the next one starts with it.
  flushCompileCache();
  process.send?.({ url: server.url });
  wallet.start();
}

process.on('message', (message: CrashMessage) => {
  if ('start' in message) {
    void start(message.start);
    return;
  }
  crashAt = message.crashAt;
  process.send?.({ armed: true });
});
process.on('disconnect', () => process.exit(0));
