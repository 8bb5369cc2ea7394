/**
 * What of an interface a client of the earlier one would stumble over. Fields may be added to answers, and to
 * requests if they may be left out; nothing else may change.
 */
import type { Shape } from './shape.ts';

export function answerBreaks(before: Shape, now: Shape): string[] {
  return Object.entries(before).flatMap(([path, kind]) => {
    const found = now[path] ?? now[path.replace(/\?$/, '')];
    if (found === undefined) return [`${path}: is not always there any more`];
    return kindsWithin(found, kind) ? [] : [`${path}: was ${kind}, is ${found}`];
  });
}

export function requestBreaks(before: Shape, now: Shape): string[] {
  const known = new Set(Object.keys(before).map(plain));
  const gone = Object.entries(before).flatMap(([path, kind]) => {
    const found = path.endsWith('?') ? now[path] : (now[path] ?? now[`${path}?`]);
    if (found === undefined) return [`${path}: cannot be sent, or left out, any more`];
    return kindsWithin(kind, found) ? [] : [`${path}: was ${kind}, is ${found}`];
  });
  const demanded = Object.keys(now).filter(
    (path) => !path.endsWith('?') && !known.has(path) && known.has(parentOf(path)),
  );
  return [...gone, ...demanded.map((path) => `${path}: must be sent now`)];
}

function plain(path: string): string {
  return path.replace(/\?$/, '');
}

function parentOf(path: string): string {
  return path.replace(/(?:\.[^.]*|\[\]|\([0-9]+\)\.[^.]*)$/, '');
}

/** Whether everything of the first may stand where the second is expected. */
function kindsWithin(inner: string, outer: string): boolean {
  const expected = outer.split(' | ');
  return inner.split(' | ').every((kind) => expected.includes(kind));
}
