/**
 * Input that is too long or too secret for an option: from a file, or from standard input for `-`.
 */
import { readFileSync, statSync } from 'node:fs';
import { FileRefusal } from '../errors.ts';
import { readSecret } from '../file/secret-file.ts';
import { usage } from './options.ts';

const INPUT_BYTES_MAX = 4 << 20;

export async function readText(path: string, bytesMax = INPUT_BYTES_MAX): Promise<string> {
  if (path === '-') return await readStandardInput();
  try {
    if (statSync(path).size <= bytesMax) return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    throw new FileRefusal('unreadable', path, `cannot be read (${code})`, undefined, cause);
  }
  throw new FileRefusal('too_large', path, `longer than ${bytesMax} bytes`);
}

/** Refuses a file that others could read. */
export async function readSecretText(path: string): Promise<string> {
  return path === '-' ? await readStandardInput() : new TextDecoder().decode(readSecret(path));
}

export async function readDocument(path: string, flag: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usage(`${flag}: expected JSON`);
  }
}

async function readStandardInput(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const part of process.stdin) {
    text += String(part);
    if (text.length > INPUT_BYTES_MAX) throw usage('standard input is too long');
  }
  return text;
}

interface Recipient {
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
