/**
 * The seed that BIP-39 makes of a recovery phrase: PBKDF2 over its words, with HMAC-SHA-512. `init` installs the one of
 * the engine where it has one that answers at once, which takes a sixth of the time; the portable one gives the same.
 */
import { mnemonicToSeedSync } from '@scure/bip39';

const ROUNDS = 2_048;
const SEED_BYTES = 64;

/** PBKDF2 with HMAC-SHA-512 over texts in UTF-8. */
export type Stretch = (words: string, salt: string, rounds: number, bytes: number) => Uint8Array;

let installed: Stretch | undefined;

/** Undefined selects the portable one. */
export function installStretch(stretch: Stretch | undefined): void {
  installed = stretch;
}

export function installedStretch(): Stretch | undefined {
  return installed;
}

/** The words are in their canonical form, the passphrase in any. The caller wipes the seed. */
export function stretchWords(words: string, passphrase: string): Uint8Array {
  if (installed === undefined) return mnemonicToSeedSync(words, passphrase);
  return installed(words, `mnemonic${passphrase}`.normalize('NFKD'), ROUNDS, SEED_BYTES);
}
