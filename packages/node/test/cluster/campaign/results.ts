/**
 * What a campaign has seen so far, told line by line as it happens and as a table in the end.
 */
export interface Outcome<T> {
  readonly seen: string;
  readonly recoveryMillis?: number;
  readonly value?: T;
}

interface Row {
  readonly name: string;
  readonly verdict: 'passed' | 'FAILED';
  readonly seconds: string;
  readonly recovery: string;
  readonly seen: string;
}

export class Results {
  readonly #rows: Row[] = [];

  get hasFailed(): boolean {
    return this.#rows.some(({ verdict }) => verdict === 'FAILED');
  }

  readonly say = (text: string): void => {
    process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
  };

  /** Runs one stage and notes how it went; an error is a failure of this stage alone. */
  async measured<T>(name: string, run: () => Promise<Outcome<T>>): Promise<T | undefined> {
    const began = performance.now();
    const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(1);
    try {
      const { seen, recoveryMillis, value } = await run();
      const recovery = recoveryMillis === undefined ? '' : `${recoveryMillis} ms`;
      this.#note({ name, verdict: 'passed', seconds: seconds(), recovery, seen });
      return value;
    } catch (error) {
      this.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      const seen = String(error).split('\n')[0] ?? '';
      this.#note({ name, verdict: 'FAILED', seconds: seconds(), recovery: '', seen });
      return undefined;
    }
  }

  fail(name: string, seen: string): void {
    this.#note({ name, verdict: 'FAILED', seconds: '', recovery: '', seen });
  }

  table(): string {
    const head = ['stage', 'verdict', 'seconds', 'recovery', 'seen'];
    const rows = this.#rows.map(({ name, verdict, seconds, recovery, seen }) => [
      name,
      verdict,
      seconds,
      recovery,
      seen,
    ]);
    const widths = head.map((title, at) =>
      Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
    );
    const line = (row: readonly string[]): string =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd();
    return `\n${[head, ...rows].map(line).join('\n')}\n`;
  }

  #note(row: Row): void {
    this.#rows.push(row);
    const recovered = row.recovery === '' ? '' : `; recovered in ${row.recovery}`;
    this.say(`${row.name}: ${row.verdict} ${row.seen}${recovered}`);
  }
}
