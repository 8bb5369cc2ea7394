/**
 * The life of a process that serves: it runs until a signal stops it, and never continues after something it
 * does not understand. The first signal asks it to close, within ten seconds; the second ends it at once.
 */
import { EXIT, stopSignal } from 'svc-base/cli';
import { type Log, systemTrouble } from 'svc-base/pure';
import type { LogConfig } from '../../config/node-config.ts';
import { errorFields } from '../../log/log-text.ts';
import { type NodeLog, openNodeLog } from '../../log/node-log.ts';
import { exitCodeOf } from '../failures.ts';

/**
 * The log of a command that serves, as its configuration and its terminal want it.
 */
export function openLog({ filter, file, format }: LogConfig): Promise<NodeLog> {
  const isTerminal = process.stderr.isTTY === true;
  const pretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const colour = isTerminal && (process.env['NO_COLOR'] ?? '') === '';
  return openNodeLog({ filter, file, pretty, colour });
}

export const SHUTDOWN_MILLIS = 10_000;

export interface Service {
  close(): Promise<void>;
}

export interface Life {
  readonly log: Log;
  /** Ends the process at once, after a line in the log. */
  readonly onFatal: (error: unknown) => void;
  /** Aborted when the process is told to stop, for what takes long to start. */
  readonly stopping: AbortSignal;
  /** Ends the process in order, as a signal would. */
  readonly stop: () => void;
}

/** Starts the service and never returns: the process ends with it. */
export async function live(
  nodeLog: NodeLog,
  start: (life: Life) => Promise<Service>,
  shutdownMillis = SHUTDOWN_MILLIS,
): Promise<never> {
  const { log } = nodeLog;
  const end = (code: number): never => {
    nodeLog.close();
    process.exit(code);
  };
  const onFatal = (error: unknown): void => {
    const trouble = systemTrouble(error);
    const fields = errorFields(error, { stack: trouble === undefined });
    log.error(fields, `${trouble ?? 'fatal error'}, the node ends`);
    end(EXIT.failed);
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);
  process.on('SIGHUP', () => nodeLog.reopen());
  const stopped = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
    stopped.resolve();
  };
  const onFirst = (signal: string): void => {
    log.info({ signal }, 'shutting down; a second signal ends the node at once');
    stop();
    setTimeout(() => {
      log.error({}, 'shutting down took too long, the node ends');
      end(EXIT.failed);
    }, shutdownMillis).unref();
  };
  void stopSignal({ onFirst, onSecond: end });
  const service = await start({ log, onFatal, stop, stopping: stopping.signal }).catch(
    (error: unknown) => {
      const trouble = systemTrouble(error);
      const code = trouble === undefined ? exitCodeOf(error) : EXIT.refused;
      const fields = errorFields(error, { stack: code === EXIT.failed });
      log.error(fields, trouble === undefined ? 'cannot start' : `cannot start: ${trouble}`);
      return end(code);
    },
  );
  await stopped.promise;
  await service.close();
  log.info({}, 'stopped');
  return end(EXIT.ok);
}
