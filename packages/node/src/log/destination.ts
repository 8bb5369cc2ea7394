/**
 * Where log lines go: standard error, as people or programs read it, and a file if one is named. A place
 * that cannot be written to any more never stops the node.
 */
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { LineWriter } from './line-writer.ts';

const STANDARD_ERROR = 2;
const OWNER_ONLY = 0o600;

export interface Destination {
  write(line: string): void;
  /** Opens the file anew, after a tool has moved it away. */
  reopen(): void;
}

export interface DestinationOptions {
  readonly file: string | null;
  readonly pretty: boolean;
  readonly colour: boolean;
}

export async function openDestination(options: DestinationOptions): Promise<Destination> {
  const { file } = options;
  const terminal = new LineWriter(STANDARD_ERROR);
  const shown = options.pretty ? await prettifier(options.colour) : (line: string) => line;
  let kept = file === null ? null : openFile(file);
  return {
    write(line) {
      terminal.write(shown(line));
      kept?.write(line);
    },
    reopen() {
      if (file === null) return;
      kept?.close();
      kept = openFile(file);
    },
  };
}

function openFile(file: string): LineWriter {
  mkdirSync(dirname(file), { recursive: true });
  return new LineWriter(openSync(file, 'a', OWNER_ONLY));
}

async function prettifier(colorize: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const prettify = prettyFactory({
    colorize,
    singleLine: true,
    messageKey: 'message',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{if part}{part}: {end}{message}',
    ignore: 'part',
  });
  return (line) => prettify(line) ?? line;
}
