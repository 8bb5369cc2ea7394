/**
 * The one plain form of a request target: origin-form, no empty or dotted segments, no escapes in the path.
 * Nothing that a route takes needs one, and what has two spellings is a way around a check.
 */
import type { Refusal } from '../../refusal/refused.ts';

const TARGET_CHARACTERS_MAX = 2_048;
/** `/ui/` is how people write the address of the page; nothing else ends with a slash. */
const PATH = /^(?:\/|\/ui\/|(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)$/;
const QUERY = /^[\x21\x24-\x3b\x3d\x3f-\x5f\x61-\x7a\x7e]*$/;

export function targetFault(target: string): Refusal | undefined {
  if (target.length > TARGET_CHARACTERS_MAX) {
    return bad(`expected at most ${TARGET_CHARACTERS_MAX} characters`);
  }
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (!PATH.test(path)) return bad('expected a plain path, such as /v1/chain/head');
  if (mark !== -1 && !QUERY.test(target.slice(mark + 1))) return bad('expected a plain query');
  return undefined;
}

function bad(message: string): Refusal {
  return { code: 'bad_target', message };
}
