/**
 * The wallet file on the disk.
 */
import { type Network, SvcError } from 'svc-wasm';
import { FileRefusal } from './file-refusal.ts';
import { openFile, type Sealing, sealFile } from './seal.ts';
import { createSecret, readSecret, replaceSecret } from './secret-file.ts';
import { formatContents, parseContents, type WalletContents } from './wallet-contents.ts';

/** Makes a wallet file; never over an existing one. */
export async function createWalletFile(
  path: string,
  contents: WalletContents,
  password: string,
  cost?: string,
  sealing?: Sealing,
): Promise<void> {
  createSecret(path, await sealFile(formatContents(contents), password, cost, sealing));
}

export async function readWalletFile(
  path: string,
  password: string,
  sealing?: Sealing,
): Promise<WalletContents> {
  const bytes = readSecret(path);
  try {
    return parseContents(await openFile(bytes, password, sealing));
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw refusalOf(path, cause);
  }
}

export interface Resealing {
  readonly sealing?: Sealing;
  /** What a file of this network costs to open; the default where it answers nothing. */
  costOf?(network: Network): string | undefined;
}

/**
 * Puts the same contents under another password in the place of the file, whole or not at all. What is put there was
 * opened with the new password before.
 */
export async function resealWalletFile(
  path: string,
  before: string,
  after: string,
  { costOf, sealing }: Resealing = {},
): Promise<WalletContents> {
  const contents = await readWalletFile(path, before, sealing);
  const cost = costOf?.(contents.network);
  const bytes = await sealFile(formatContents(contents), after, cost, sealing);
  parseContents(await openFile(bytes, after, sealing));
  replaceSecret(path, bytes);
  return contents;
}

function refusalOf(path: string, cause: SvcError): FileRefusal {
  if (cause.code === 'wrong_password') {
    const hint = 'name the right password file, or restore the wallet from its words';
    return new FileRefusal(
      'wrong_password',
      path,
      cause.message.replace(/^file: /, ''),
      hint,
      cause,
    );
  }
  if (cause.code === 'unsupported_version') {
    return new FileRefusal('newer_version', path, cause.message, 'update svc-wallet', cause);
  }
  const hint = 'restore it from a backup or from its words';
  return new FileRefusal('damaged', path, `is no wallet file (${cause.message})`, hint, cause);
}
