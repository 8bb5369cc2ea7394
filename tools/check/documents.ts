/**
 * Documents hold together: every relative link of a Markdown file leads to a file, every decision has
 * its form and its place in the list, every package has a short page of its own, documents stay within their limits,
 * and nothing in the repository names a path or host of the machine it was written on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Check } from './check.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
const TEXT_FILE = /\.(?:md|ts|mjs|json|c|h|yml|html)$/;
const MACHINE_PATH = new RegExp(
  ['/', '(?:wor', 'k|roo', 't|hom', 'e/[a-z]+)/[A-Za-z._-]+'].join(''),
);

const DECISION = /^docs\/adr\/([0-9]{4})-[a-z0-9-]+\.md$/;
const DECISION_LIST = 'docs/adr/README.md';
/** The parts of a page on a decision, in this order. */
const DECISION_PARTS: readonly (readonly [name: string, form: RegExp])[] = [
  [
    'a line **Status.** … **Date.** YYYY-MM-DD.',
    /^\*\*Status\.\*\* [A-Z][^*\n]*\. \*\*Date\.\*\* \d{4}-\d\d-\d\d\.$/m,
  ],
  ['a paragraph **Context.**', /^\*\*Context\.\*\* \S/m],
  ['a paragraph **Decision.**', /^\*\*Decision\.\*\* \S/m],
  ['a paragraph **Consequences.**', /^\*\*Consequences\.\*\* \S/m],
];

const PACKAGE_PAGE = /^packages\/([^/]+)\/README\.md$/;
/** A page says what a package is, draws it once, lists its public names and says where to begin. */
const PAGE_LINES_MAX = 40;
/** The limit of all documents together, generated references included. */
const WORDS_MAX = 111_000;
const DECISIONS_MAX = 40;

const WALKS = 'docs/walks.md';
/** The files that a reader opens to follow one thing, by the beginning of the walk's title; links within a line count. */
const WALK_FILES_MAX: ReadonlyMap<string, number> = new Map([
  ['A payment', 45],
  ['A balance read', 14],
  ['A cut', 25],
  ["A wallet's", 45],
]);

export const documents: Check = {
  name: 'documents',
  run: async () => {
    const files = repositoryFiles();
    const links = files.filter((path) => path.endsWith('.md')).flatMap(deadLinks);
    const paths = files
      .filter((path) => TEXT_FILE.test(path))
      .filter((path) => MACHINE_PATH.test(readFileSync(join(ROOT, path), 'utf8')))
      .map((path) => `${path}: names a path of one machine`);
    const decisions = files
      .filter((path) => DECISION.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
    const list = readFileSync(join(ROOT, DECISION_LIST), 'utf8');
    const pages = files
      .filter((path) => PACKAGE_PAGE.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
    const texts = files
      .filter((path) => /^docs\/.*\.md$/.test(path))
      .map((path) => readFileSync(join(ROOT, path), 'utf8'));
    return [
      ...sizeProblems(texts, decisions.length),
      ...walkProblems(readFileSync(join(ROOT, WALKS), 'utf8')),
      ...links,
      ...paths,
      ...decisionProblems(decisions, list),
      ...pageProblems(packageNames(files), pages),
    ];
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

export interface DocumentText {
  readonly path: string;
  readonly text: string;
}

/** Missing parts of pages on decisions, and differences between them and their list. */
export function decisionProblems(decisions: readonly DocumentText[], list: string): string[] {
  const numbers = new Map<string, string>();
  return decisions.flatMap(({ path, text }) => {
    const number = DECISION.exec(path)?.[1] ?? '';
    const title = new RegExp(`^# ${number} (\\S.*)\\n`).exec(text)?.[1];
    const problems: string[] = [];
    const taken = numbers.get(number);
    if (taken !== undefined) problems.push(`has the number of ${taken}`);
    numbers.set(number, path);
    if (title === undefined) problems.push(`expected the title "# ${number} …"`);
    else if (!list.includes(`| [${number}](${path.slice('docs/adr/'.length)}) | ${title} |`))
      problems.push(`${DECISION_LIST} does not list it under its title`);
    let from = 0;
    for (const [name, form] of DECISION_PARTS) {
      const at = text.slice(from).search(form);
      if (at < 0) problems.push(`expected ${name}, in its place`);
      else from += at + 1;
    }
    return problems.map((problem) => `${path}: ${problem}`);
  });
}

/** Problems of documents with too many words, and of too many decisions. */
/** Exported for its test. */
export function walkProblems(text: string): string[] {
  const walks = text.split('\n## ').slice(1);
  const missing = [...WALK_FILES_MAX.keys()].filter(
    (title) => !walks.some((walk) => walk.startsWith(title)),
  );
  return [
    ...missing.map((title) => `${WALKS}: no walk "${title}"`),
    ...walks.flatMap((walk) => {
      const title = [...WALK_FILES_MAX.keys()].find((each) => walk.startsWith(each));
      const max = title === undefined ? 0 : (WALK_FILES_MAX.get(title) ?? 0);
      const files = new Set([...walk.matchAll(LINK)].map(([, target]) => target)).size;
      return files > max ? [`${WALKS}: ${title ?? walk} has ${files} files, at most ${max}`] : [];
    }),
  ];
}

export function sizeProblems(texts: readonly string[], decisions: number): string[] {
  const words = texts.reduce((sum, text) => sum + text.split(/\s+/).filter(Boolean).length, 0);
  const problems: string[] = [];
  if (words > WORDS_MAX) problems.push(`docs: ${words} words, at most ${WORDS_MAX}`);
  if (decisions > DECISIONS_MAX)
    problems.push(`docs/adr: ${decisions} decisions, at most ${DECISIONS_MAX}`);
  return problems;
}

function packageNames(files: readonly string[]): string[] {
  return files.flatMap((path) => /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1] ?? []);
}

/** Packages without a page, and pages that are too long for one glance. */
export function pageProblems(names: readonly string[], pages: readonly DocumentText[]): string[] {
  return names.flatMap((name) => {
    const path = `packages/${name}/README.md`;
    const text = pages.find((page) => page.path === path)?.text;
    if (text === undefined) return [`packages/${name} has no README.md`];
    const lines = text.trimEnd().split('\n').length;
    return lines <= PAGE_LINES_MAX ? [] : [`${path}: ${lines} lines, at most ${PAGE_LINES_MAX}`];
  });
}
