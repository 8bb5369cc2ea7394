/**
 * `svc-wallet statement`: all pages of a period, as CSV or as one document of JSON. Pages that do not fit together are
 * never printed as if they did.
 */

import type { MethodResult } from 'svc-api/rpc';
import { CliError, EXIT } from 'svc-base/cli';
import { given } from '../../methods/method.ts';
import type { CommandOptions } from '../options.ts';
import { withSession } from '../session/open-session.ts';
import type { Session } from '../session/session.ts';
import { print } from '../show.ts';

type Statement = MethodResult<'statement'>;
type Entry = Statement['entries'][number];

const COLUMNS = [
  'height',
  'transaction',
  'kind',
  'request_id',
  'received',
  'spent',
  'fee',
  'change',
  'balance',
] as const satisfies readonly (keyof Entry)[];

/** Added by a later release, and therefore last. */
const TIME_COLUMN = 'time';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

export async function showStatement(options: CommandOptions): Promise<void> {
  const whole = await withSession(options, 'chain', 'statement', (session) =>
    readWhole(session, options),
  );
  print(options, '', whole, csvOf(whole));
}

async function readWhole(session: Session, options: CommandOptions): Promise<Statement> {
  const end = given({
    to_height: options['toHeight'] as number | undefined,
    to_millis: options['toDate'] as number | undefined,
  });
  const begin = given({
    from_height: options['fromHeight'] as number | undefined,
    from_millis: options['fromDate'] as number | undefined,
  });
  const first = await session.call('statement', { ...begin, ...end });
  const pages = [first.entries];
  let page = first;
  while (page.more) {
    const next = { from_height: page.to_height + 1, ...end };
    const following = await session.call('statement', next);
    if (following.opening !== page.closing) {
      throw new CliError(EXIT.failed, 'the history of the wallet changed meanwhile; ask again');
    }
    page = following;
    pages.push(page.entries);
  }
  const { from_height, opening } = first;
  return { ...page, from_height, opening, entries: pages.flat() };
}

/**
 * Text of callers is quoted, so that no name of a request makes another field or line, and marked as text, so that no
 * spreadsheet takes it for a formula.
 */
export function csvOf({ entries, from_height, opening }: Statement): string {
  const lines = entries.map((entry) =>
    [...COLUMNS.map((column) => fieldOf(entry[column])), timeOf(entry)].join(','),
  );
  const before = { height: from_height, kind: 'opening', balance: opening };
  const first = COLUMNS.map((column) =>
    fieldOf(column in before ? before[column as 'kind'] : null),
  );
  const head = [...COLUMNS, TIME_COLUMN].join(',');
  return [head, `${first.join(',')},`, ...lines].join('\n');
}

/** As RFC 3339 in UTC; empty where the wallet does not know it. */
function timeOf({ finalized_at_millis: millis }: Entry): string {
  return millis === null ? '' : new Date(millis).toISOString();
}

function fieldOf(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const isFormula = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /^[0-9A-Za-z_.-]*$/.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}
