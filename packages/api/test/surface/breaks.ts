/**
 * Changes of an interface that break clients of the earlier one. Fields may be added to answers, and to
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

/** Whether every value of the first kind is one of the second. */
function kindsWithin(inner: string, outer: string): boolean {
  const expected = outer.split(' | ');
  return inner
    .split(' | ')
    .every((kind) => expected.some((wanted) => kind === wanted || isNarrower(kind, wanted)));
}

/** Whether two kinds differ in limits alone, and none of the first is wider. */
function isNarrower(kind: string, wanted: string): boolean {
  const [name, limits] = limitsOf(kind);
  const [wantedName, wider] = limitsOf(wanted);
  return (
    name === wantedName &&
    Object.entries(wider).every(([limit, value]) => {
      const own = limits[limit];
      if (own === undefined) return false;
      return limit.startsWith('min') ? own >= value : own <= value;
    })
  );
}

/** `array maxItems 6` as the kind without its limits, and these. */
function limitsOf(kind: string): [string, Record<string, number>] {
  const limits: Record<string, number> = {};
  const name = kind.replace(/ (m(?:in|ax)[A-Za-z]*) ([0-9]+)(?= |$)/g, (_, limit, value) => {
    limits[limit] = Number(value);
    return '';
  });
  return [name, limits];
}
