/**
 * The two channels of a command: its result goes to standard output, everything else to standard error.
 */
import { styleText } from 'node:util';
import { CliError } from './cli-error.ts';

type Style = Parameters<typeof styleText>[0];

/** The result, and nothing but the result. */
export function result(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function resultJson(document: unknown): void {
  result(JSON.stringify(document, jsonValue, 2));
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Coloured on a terminal, unless `NO_COLOR` or `--no-color` says otherwise. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

export function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  note(`${styled('red', 'error:')} ${message}`);
  if (error instanceof CliError && error.hint !== undefined) note(`  ${error.hint}`);
}

/** Rows in columns that line up, without borders. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function jsonValue(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
