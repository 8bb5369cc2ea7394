/**
 * Documents hold together: every relative link of a Markdown file leads to a file, and nothing in
 * the repository names a path or host of the machine it was written on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Check } from '../check.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
const TEXT_FILE = /\.(?:md|ts|mjs|json|c|h|yml|html)$/;
const MACHINE_PATH = new RegExp(
  ['/', '(?:wor', 'k|roo', 't|hom', 'e/[a-z]+)/[A-Za-z._-]+'].join(''),
);

export const documents: Check = {
  name: 'documents',
  run: async () => {
    const files = repositoryFiles();
    const links = files.filter((path) => path.endsWith('.md')).flatMap(deadLinks);
    const paths = files
      .filter((path) => TEXT_FILE.test(path))
      .filter((path) => MACHINE_PATH.test(readFileSync(join(ROOT, path), 'utf8')))
      .map((path) => `${path}: names a path of one machine`);
    return [...links, ...paths];
  },
};

function deadLinks(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(LINK)]
    .map((match) => match[1] as string)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
    .map((target) => `${path}: the link to ${target} leads nowhere`);
}
