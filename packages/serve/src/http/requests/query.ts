/**
 * Queries: names and values once each, escapes decoded as UTF-8. It never throws, since the router calls it;
 * what is wrong is handed on.
 */
import type { Refusal } from '../../refusal/refused.ts';

export type Query = Readonly<Record<string, string>>;

export class QueryFault {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

const PARAMETERS_MAX = 16;
const NAME = /^[a-z_]{1,32}$/;
const NOTHING: Query = Object.freeze(Object.create(null) as Query);

export function parseQuery(text: string): Query | QueryFault {
  if (text === '') return NOTHING;
  const parts = text.split('&');
  if (parts.length > PARAMETERS_MAX) {
    return fault('bad_target', `expected at most ${PARAMETERS_MAX} query parameters`);
  }
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    const value = equals === -1 ? undefined : decoded(part.slice(equals + 1));
    if (!NAME.test(name) || value === undefined) {
      return fault('bad_target', 'expected name=value, with escapes of UTF-8 in the value');
    }
    if (name in query) return fault('duplicate_parameter', 'the parameter occurs twice', name);
    query[name] = value;
  }
  return query;
}

function fault(code: Refusal['code'], message: string, path?: string): QueryFault {
  return new QueryFault({ code, message, path });
}

/** The value without escapes; undefined if they are no UTF-8. */
function decoded(value: string): string | undefined {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
