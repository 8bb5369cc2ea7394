/**
 * Asks a running node over its HTTP API, for commands on the same machine.
 */
import { request } from 'node:http';
import { CliError, EXIT } from 'svc-base/cli';

const TIMEOUT_MILLIS = 5_000;
const ANSWER_BYTES_MAX = 1 << 20;

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

  #ask(path: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string) =>
        reject(
          new CliError(EXIT.unreachable, `no node answers at ${this.url} (${reason})`, {
            hint: 'start one with `svcd run` or `svcd dev`, or name another with --url',
          }),
        );
      const headers = { accept: 'application/json' };
      const options = { headers, agent: false, timeout: TIMEOUT_MILLIS };
      const call = request(new URL(path, this.#base), options, (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > ANSWER_BYTES_MAX) call.destroy(new Error('the answer is too long'));
          else parts.push(part);
        });
        response.on('error', (error) => fail(error.message));
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(parts).toString('utf8'),
          });
        });
      });
      call.on('timeout', () => call.destroy(new Error('timeout')));
      call.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
      call.end();
    });
  }
}
