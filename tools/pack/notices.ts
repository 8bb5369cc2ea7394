/**
 * The notices of the packages inside a program: their names, versions and licences, each with the text
 * that came with it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../release/paths.ts';

export const NOTICES_FILE = 'NOTICES.txt';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = '-'.repeat(80);

interface CarriedManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Packages by their folders from the root of the repository. */
export function noticesOf(folders: readonly string[]): string {
  const parts = folders.map(noticeOf).sort();
  return [
    'This program contains the following packages, each under its own licence.\n',
    ...[...new Set(parts)],
  ].join(`\n${RULE}\n`);
}

function noticeOf(folder: string): string {
  const place = join(ROOT, folder);
  const manifest = readFileSync(join(place, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest) as CarriedManifest;
  const files = readdirSync(place).filter((file) => LICENCE_FILE.test(file));
  if (license === undefined && files.length === 0)
    throw new Error(`${name} ${version} comes without a licence`);
  const texts = files.sort().map((file) => `\n${readFileSync(join(place, file), 'utf8').trim()}\n`);
  return `${name} ${version}${license === undefined ? '' : ` (${license})`}\n${texts.join('')}`;
}
