/**
 * Answers of the wallet for people: facts one below the other, lists as tables. Where there are several, each has its name
 * above it, so that none is taken for another.
 */
import { columns, printable, result, resultJson } from 'svc-base/cli';
import type { CommandOptions } from './options.ts';

/** The fields of a list that are shown, in this order; `--json` prints all of them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  history: ['height', 'direction', 'amount', 'fee', 'outcome', 'transaction'],
  received: ['height', 'amount', 'address', 'label', 'payload_text', 'transaction', 'output'],
  outputs: ['height', 'amount', 'address', 'reserved', 'transaction', 'output'],
  pending: ['transaction', 'kind', 'state', 'amount', 'fee', 'request_id'],
  addresses: ['index', 'address', 'balance', 'label'],
  validators: ['validator', 'state', 'committee', 'stake', 'commission_bps', 'own'],
  audit: ['sequence', 'event', 'caller', 'request_id', 'amount', 'fee', 'transaction'],
  tokens: ['name', 'scopes', 'payment_max', 'day_max', 'budget'],
  positions: ['position', 'kind', 'validator', 'bonded', 'principal', 'state'],
};

/** Prints an answer, as JSON if that was asked for. */
export function print(
  options: CommandOptions,
  method: string,
  answer: object,
  text: string = showResult(method, answer),
): void {
  if (options['json'] === true) resultJson(answer);
  else result(text);
}

export function showResult(method: string, answer: object): string {
  const facts: string[][] = [];
  const lists: [name: string, rows: readonly object[]][] = [];
  for (const [name, value] of Object.entries(answer)) {
    if (Array.isArray(value) && value.every(isObject)) lists.push([name, value]);
    else facts.push([name, cellOf(value)]);
  }
  const tables = lists.map(([name, rows]) => {
    const table = tableOf(method, name, rows);
    return lists.length === 1 || rows.length === 0 ? table : `${name}\n${table}`;
  });
  return [...(facts.length === 0 ? [] : [columns(facts)]), ...tables].join('\n\n');
}

function tableOf(method: string, name: string, rows: readonly object[]): string {
  if (rows.length === 0) return `no ${name}`;
  const names = COLUMNS[method] ?? Object.keys(rows[0] as object);
  const cells = rows.map((row) => names.map((field) => cellOf(Reflect.get(row, field))));
  return columns([[...names], ...cells]);
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '-';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export interface PaidAmount {
  readonly to: string;
  readonly amount: string;
}

/** Rows of a table whose column of amounts has this name. */
export function paidLines(name: string, amounts: readonly PaidAmount[] = []): object[] {
  return amounts.map(({ amount, to }) => ({ [name]: amount, to }));
}
