/**
 * Asks a running node over its HTTP API, for commands on the same machine.
 */
import { CliError, EXIT } from 'svc-base/cli';

const TIMEOUT_MILLIS = 5_000;

export class NodeClient {
  readonly #base: URL;

  constructor(base: string) {
    if (!URL.canParse(base) || new URL(base).protocol !== 'http:') {
      throw new CliError(
        EXIT.usage,
        `--url: expected an address such as http://127.0.0.1:28701, found ${base}`,
      );
    }
    this.#base = new URL(base);
  }

  get url(): string {
    return this.#base.origin;
  }

  /** The document at a path; undefined if the node does not have it. */
  async get<Document>(path: string): Promise<Document | undefined> {
    const { status, text } = await this.#ask(path);
    if (status === 404) return undefined;
    if (status !== 200) throw new CliError(EXIT.failed, `${this.url}${path} answered ${status}`);
    try {
      return JSON.parse(text) as Document;
    } catch (error) {
      throw new CliError(EXIT.failed, `${this.url}${path} did not answer with JSON`, {
        hint: 'is it a node that listens there?',
        cause: error,
      });
    }
  }

  async #ask(path: string): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(new URL(path, this.#base), {
        headers: { accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { cause = error } = error as Error;
      const { code, message } = cause as NodeJS.ErrnoException;
      const reason = typeof code === 'string' ? code : message;
      throw new CliError(EXIT.unreachable, `no node answers at ${this.url} (${reason})`, {
        hint: 'start one with `svcd run` or `svcd dev`, or name another with --url',
      });
    }
  }
}
