/**
 * The file of a shared wallet: who its members are, and where the wallet file is that has the key of one of them. It
 * holds no secret, but a program that changes it could redirect deposits: it is protected like one.
 */
import { type Network, SvcError, validateMultisigDescriptor } from 'svc-wasm';
import { expectNetwork, Fields } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import { createSecret } from './secret-file.ts';

const MARK = 'svc_shared_wallet';
const VERSION = 1n;
const PATH_CHARACTERS_MAX = 4_096;

export interface SharedFile {
  readonly network: Network;
  /** Canonical JSON. */
  readonly descriptor: string;
  /** The wallet file with the key of a member; null if this machine has none. */
  readonly keysFile: string | null;
}

export function createSharedFile(path: string, contents: SharedFile): void {
  const document = {
    [MARK]: String(VERSION),
    network: contents.network,
    descriptor: contents.descriptor,
    keys_file: contents.keysFile ?? '',
  };
  createSecret(path, new TextEncoder().encode(`${JSON.stringify(document)}\n`));
}

/** The contents of a shared wallet; undefined for a file that is none. */
export function parseSharedFile(path: string, bytes: Uint8Array): SharedFile | undefined {
  const text = new TextDecoder().decode(bytes);
  if (!text.startsWith(`{"${MARK}"`)) return undefined;
  try {
    const names = [MARK, 'network', 'descriptor', 'keys_file'];
    const fields = Fields.parse(text, 'wallet', names);
    fields.decimal(MARK, { min: VERSION, max: VERSION });
    const keysFile = fields.string('keys_file', PATH_CHARACTERS_MAX);
    return {
      network: expectNetwork(fields.value('network'), fields.at('network')),
      descriptor: validateMultisigDescriptor(fields.string('descriptor', text.length)),
      keysFile: keysFile === '' ? null : keysFile,
    };
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    const hint = 'make it anew with `svc-wallet shared-init`';
    throw new FileRefusal('damaged', path, cause.message, hint, cause);
  }
}
