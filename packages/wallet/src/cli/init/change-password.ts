/**
 * Seals a wallet file under another password. Password files are left as they are: whatever ends the command, one of the
 * two passwords opens the wallet, and the person who changed it knows both.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { result, resultJson } from 'svc-base/cli';
import { init } from 'svc-wasm';
import { generatePassword, passwordPath, readPassword } from '../../file/password.ts';
import { SEAL_HERE } from '../../file/seal.ts';
import { resealWalletFile } from '../../file/wallet-file.ts';
import { newPassword, passwordOf } from '../ask/password.ts';
import { expectWallet } from '../session/open-keys.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';
import { type WalletPlace, walletPlace } from '../wallet-options.ts';
import { costOf } from './make-wallet.ts';

export async function changePassword(options: CommandOptions): Promise<void> {
  const place = walletPlace(options);
  expectWallet(place);
  await init();
  const named = textOf(options, 'newPasswordFile');
  const newFile = named === undefined ? undefined : resolve(named);
  const oldFile = place.passwordFile ?? passwordPath(place.file);
  if (newFile === oldFile) {
    const hint = 'name another file, and put it in the place of the old one afterwards';
    throw usage('--new-password-file: holds the password that the wallet has now', hint);
  }
  const before = await passwordOf(place);
  const after = await newPasswordOf(place, newFile);
  const sealing = { sealing: SEAL_HERE, costOf };
  const { network } = await resealWalletFile(place.file, before, after, sealing);
  const facts = {
    file: place.file,
    network,
    new_password_file: newFile ?? null,
    old_password_file: existsSync(oldFile) ? oldFile : null,
  };
  if (options['json'] === true) resultJson(facts);
  else result(showResult('password', facts));
}

async function newPasswordOf(place: WalletPlace, file: string | undefined): Promise<string> {
  if (file === undefined) return await newPassword(place);
  return existsSync(file) ? readPassword(file) : generatePassword(file);
}
