/**
 * Who is paid by `send-many`: pairs of options, or a file. Addresses and amounts are checked by the wallet.
 */
import { readText } from '../ask/read-input.ts';
import { usage } from '../values.ts';

export interface Recipient {
  readonly to: string;
  readonly amount: string;
}

export function recipientOf(text: string, between: '=' | ',', where: string): Recipient {
  const [to = '', amount = '', ...more] = text.split(between).map((part) => part.trim());
  if (to !== '' && amount !== '' && more.length === 0) return { to, amount };
  throw usage(`${where}: expected address${between}coins, found ${text}`);
}

/**
 * Reads recipients from a file. A JSON list goes to the wallet as it is; otherwise each line that is not empty names
 * one.
 */
export async function readRecipients(path: string, flag: string): Promise<readonly unknown[]> {
  const text = (await readText(path)).trim();
  if (text.startsWith('[')) return listIn(text, flag);
  const lines = text.split(/\r?\n/).map((line, at) => ({ line, where: `${flag}, line ${at + 1}` }));
  return lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, where }) => recipientOf(line, ',', where));
}

function listIn(text: string, flag: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[];
  } catch {
    throw usage(`${flag}: expected JSON, or lines of address,coins`);
  }
}
