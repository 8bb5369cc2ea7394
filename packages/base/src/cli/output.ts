/**
 * The two channels of a command: its result goes to standard output, everything else to standard error.
 */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** What a person learns of a command that ended without its result. */
export interface Complaint {
  readonly message: string;
  /** What to do next. */
  readonly hint?: string | undefined;
}

/** The result, and nothing but the result. */
export function result(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** The result as JSON; amounts are written as decimal strings. */
export function resultJson(document: unknown): void {
  result(JSON.stringify(document, jsonValue, 2));
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function complain({ message, hint }: Complaint): void {
  note(`${styled('red', 'error:')} ${message}`);
  if (hint !== undefined) note(`  ${hint}`);
}

/** Coloured on a terminal, unless `NO_COLOR` or `--no-color` says otherwise. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

/** Rows in columns that line up, without borders. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => cell.padEnd(widths[index] as number)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** Text from others, made unable to move the cursor or to change the direction of writing. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}

function jsonValue(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
