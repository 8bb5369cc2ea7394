/**
 * The keys of a wallet file. The password comes from the file that is named, from the one beside the wallet, or from a
 * person, never from an option or a variable, which other programs can read.
 */
import { existsSync } from 'node:fs';
import { init } from 'svc-wasm';
import { FileRefusal } from '../errors.ts';
import { readRoot, type WalletKeys } from '../file/open-wallet-file.ts';
import { passwordPath, readPassword } from '../file/secret-file.ts';
import { askSecret, usage, type WalletPlace } from './options.ts';

export async function passwordOf({ file, mayAsk, passwordFile }: WalletPlace): Promise<string> {
  if (passwordFile !== undefined) return readPassword(passwordFile);
  const beside = passwordPath(file);
  if (existsSync(beside)) return readPassword(beside);
  if (mayAsk) return await askSecret(`Password of ${file}`);
  throw usage('the password of the wallet is needed', 'name its file with --password-file');
}

/** Asks a person for a new password twice, since a slip would lock the wallet. */
export async function newPassword({ mayAsk }: WalletPlace): Promise<string> {
  if (!mayAsk) {
    const hint = 'give --generate-password, or name a file with --password-file';
    throw usage('a wallet needs a password', hint);
  }
  const first = await askSecret('A password for the wallet');
  if (first === '') throw usage('a wallet needs a password');
  if ((await askSecret('The same once more')) === first) return first;
  throw usage('the two passwords differ');
}

export function expectWallet({ file }: WalletPlace): void {
  if (existsSync(file)) return;
  const hint = 'make one with `svc-wallet init`, or name another with --file';
  throw new FileRefusal('missing', file, 'there is no wallet', hint);
}

export async function openKeys(place: WalletPlace): Promise<WalletKeys> {
  expectWallet(place);
  await init();
  return readRoot(place.file, await passwordOf(place));
}
