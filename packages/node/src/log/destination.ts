/**
 * Where log lines go: standard error, as people or programs read it, and a file if one is named. A place
 * that cannot be written to any more never stops the node.
 */
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';

const STANDARD_ERROR = 2;
const OWNER_ONLY = 0o600;

type Stream = ReturnType<typeof pino.destination>;

export interface Destination {
  write(line: string): void;
  /** Opens the file anew, after a tool has moved it away. */
  reopen(): void;
  /** Everything written so far reaches its place. */
  flush(): void;
}

export interface DestinationOptions {
  readonly file: string | null;
  readonly pretty: boolean;
  readonly colour: boolean;
}

export async function openDestination(options: DestinationOptions): Promise<Destination> {
  const { file } = options;
  const terminal = openStream(STANDARD_ERROR);
  const shown = options.pretty ? await prettifier(options.colour) : (line: string) => line;
  let kept = file === null ? null : openFile(file);
  return {
    write(line) {
      terminal.write(shown(line));
      kept?.write(line);
    },
    reopen() {
      if (file === null) return;
      flushNow(kept);
      kept?.end();
      kept = openFile(file);
    },
    flush() {
      for (const stream of [terminal, kept]) flushNow(stream);
    },
  };
}

/** It is opened here and now, so that the first line is safe even if the second one is the last. */
function openFile(file: string): Stream {
  mkdirSync(dirname(file), { recursive: true });
  return openStream(openSync(file, 'a', OWNER_ONLY));
}

/** Lines are written before the call returns: whatever ends the process, they are there and in their order. */
function openStream(dest: number): Stream {
  const stream = pino.destination({ dest, sync: true });
  stream.on('error', () => {});
  return stream;
}

function flushNow(stream: Stream | null): void {
  try {
    stream?.flushSync();
  } catch {
    // The place is gone; there is nobody left to tell.
  }
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
