/**
 * Encrypted key files of a validator, on disk: sealed seeds that only their owner may read.
 */
import {
  NATIVE_PASSWORD_HASH,
  readPasswordFile,
  readSecretFile,
  SecretFileError,
} from 'svc-base/node';
import { SvcError } from 'svc-wasm/base';
import { type KeyFileContents, openKeyFile as openSealed } from 'svc-wasm/protocol';

export type { KeyKind } from 'svc-wasm/protocol';

export interface KeyFilePlace extends KeyFileContents {
  readonly keyFile: string;
  readonly keySetting: string;
  readonly passwordFile: string;
  readonly passwordSetting: string;
}

/** The seed of the key pair; the caller wipes it. */
export function openKeyFile(place: KeyFilePlace): Uint8Array {
  const sealed = readSecretFile(place.keyFile, place.keySetting);
  const password = readPasswordFile(place.passwordFile, place.passwordSetting);
  try {
    return openSealed(sealed, place, password, NATIVE_PASSWORD_HASH);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SecretFileError(place.keyFile, place.keySetting, error.message);
  }
}
