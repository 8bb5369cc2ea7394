/**
 * Which lines are wanted: a level for all parts, then levels for single parts, in the manner of `RUST_LOG`:
 * `info,validator=debug,network=warn`. A part's setting holds for the parts inside it, and the longest name
 * that fits decides.
 */
import { suggestion } from '../config/nearest.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type Level = (typeof LEVELS)[number];

/** The weight of a level; a line is written if its level weighs at least as much as its part's. */
export function weight(level: Level): number {
  return LEVELS.indexOf(level);
}

const PART = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;
const DIRECTIVES_MAX = 64;

export class LogFilterError extends Error {
  override readonly name = 'LogFilterError';
}

export class LogFilter {
  readonly #all: Level;
  readonly #parts: ReadonlyMap<string, Level>;

  constructor(all: Level, parts: ReadonlyMap<string, Level>) {
    this.#all = all;
    this.#parts = parts;
  }

  levelOf(part: string): Level {
    const names = part.toLowerCase().split('.');
    for (let length = names.length; length > 0; length--) {
      const level = this.#parts.get(names.slice(0, length).join('.'));
      if (level !== undefined) return level;
    }
    return this.#all;
  }
}

export function parseLogFilter(text: string): LogFilter {
  const directives = text.split(',').map((part) => part.trim());
  if (directives.length > DIRECTIVES_MAX) {
    throw new LogFilterError(
      `expected at most ${DIRECTIVES_MAX} parts, found ${directives.length}`,
    );
  }
  let all: Level = 'info';
  const parts = new Map<string, Level>();
  for (const directive of directives.filter((item) => item !== '')) {
    const [name = '', level, ...rest] = directive.split('=').map((side) => side.trim());
    if (rest.length > 0) throw problem(directive, 'expected part=level');
    if (level === undefined && isLevel(name)) all = levelNamed(name, directive);
    else parts.set(partNamed(name, level, directive), levelNamed(level ?? 'debug', directive));
  }
  return new LogFilter(all, parts);
}

function isLevel(text: string): boolean {
  return [...LEVELS, 'trace'].includes(text.toLowerCase());
}

/** A part without a level is wanted whole, as in `RUST_LOG`; most often the word was to be a level. */
function partNamed(name: string, level: string | undefined, directive: string): string {
  const path = name.replaceAll('::', '.').replace(/^svcd\./, '');
  if (!PART.test(path)) throw problem(directive, 'expected a part such as validator');
  const meant = level === undefined ? suggestion(name, LEVELS) : '';
  if (meant !== '') throw problem(directive, `expected a level${meant}`);
  return path.toLowerCase();
}

/** `trace` is taken for `debug`, which is the most there is. */
function levelNamed(text: string, directive: string): Level {
  const lower = text.toLowerCase();
  const level = lower === 'trace' ? 'debug' : LEVELS.find((name) => name === lower);
  if (level !== undefined) return level;
  throw problem(
    directive,
    `expected a level, one of ${LEVELS.join(', ')}${suggestion(text, LEVELS)}`,
  );
}

function problem(directive: string, expected: string): LogFilterError {
  return new LogFilterError(`${JSON.stringify(directive)}: ${expected}`);
}
