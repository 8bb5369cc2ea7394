/**
 * Prints the demonstration for a person to read: headings, sentences, columns, one line that moves.
 * Colours only where the stream is a terminal that wants them.
 */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** The output of the demonstration: a stream, or none. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const WIDTH = 96;

export class Screen {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  #styled(style: Style, text: string): string {
    return this.#output.isTTY === true ? styleText(style, text, { validateStream: false }) : text;
  }

  #line(text = ''): void {
    this.#output.write(`${text}\n`);
  }

  title(text: string): void {
    this.#line();
    this.#line(this.#styled(['bold', 'cyan'], `── ${text} ${'─'.repeat(WIDTH - text.length - 4)}`));
  }

  /** A paragraph, broken at the width of the page. */
  say(text: string): void {
    for (const line of text.match(/\S.{0,93}(?=\s|$)/g) ?? []) this.#line(`  ${line}`);
  }

  warn(text: string): void {
    for (const line of text.match(/\S.{0,91}(?=\s|$)/g) ?? []) {
      this.#line(`  ${this.#styled('yellow', `! ${line}`)}`);
    }
  }

  /** Names on the left, values on the right. */
  facts(rows: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, value] of rows) {
      this.#line(`  ${this.#styled('dim', name.padEnd(width))}  ${value}`);
    }
  }

  /** Cells in columns as wide as their widest cell. */
  columns(rows: readonly (readonly string[])[]): void {
    const count = Math.max(...rows.map((row) => row.length));
    const widths = Array.from({ length: count }, (_, column) =>
      Math.max(...rows.map((row) => (row[column] ?? '').length)),
    );
    for (const row of rows) {
      const cells = row.map((cell, column) => cell.padEnd(widths[column] as number));
      this.#line(`  ${cells.join('  ').trimEnd()}`);
    }
  }

  done(text: string): void {
    this.#line(`  ${this.#styled('green', '✓')} ${text}`);
  }

  /** A line that is written over by the next one; shown on terminals only. */
  progress(text: string): void {
    if (this.#output.isTTY !== true) return;
    this.#output.write(text === '' ? '\r\x1b[2K' : `\r\x1b[2K  ${text}`);
  }
}

/** Runs something and returns how many milliseconds it took. */
export function timed<T>(work: () => T): { result: T; time: string } {
  const start = performance.now();
  const result = work();
  return { result, time: `${(performance.now() - start).toFixed(1)} ms` };
}

/** A long identifier with its middle left out. */
export function short(text: string, ends = 12): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-ends)}`;
}
