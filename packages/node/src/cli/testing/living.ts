/**
 * A process that lives as a node does, with a service whose end the test chooses.
 *
 * Usage: node living.ts clean|stuck|fatal|thrown|rejected|cannot-start|full-disk|taken-port [milliseconds for shutting down]
 */
import { CliError, EXIT } from 'svc-base/cli';
import { openNodeLog } from '../../log/node-log.ts';
import { type Life, live, type Service } from '../run/lifecycle.ts';

/** Longer than a busy machine takes for what a test does meanwhile. */
const SHUTDOWN_MILLIS = 3_600_000;

function systemError(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`${code}: refused`), { code, ...fields });
}

async function start({ onFatal, log }: Life): Promise<Service> {
  const kind = process.argv[2];
  const keepAlive = setInterval(() => {}, 1_000);
  if (kind === 'cannot-start') throw new CliError(EXIT.refused, 'somebody else is here');
  if (kind === 'fatal') setTimeout(() => onFatal(new Error('nobody knows why')), 10);
  if (kind === 'full-disk') setTimeout(() => onFatal(systemError('ENOSPC')), 10);
  if (kind === 'taken-port') throw systemError('EADDRINUSE', { address: '127.0.0.1', port: 28701 });
  if (kind === 'thrown') {
    setTimeout(() => {
      throw new Error('nobody caught this');
    }, 10);
  }
  if (kind === 'rejected') setTimeout(() => void Promise.reject(new Error('nor this')), 10);
  log.info({}, 'alive');
  return {
    async close() {
      if (kind === 'stuck') await new Promise(() => {});
      clearInterval(keepAlive);
    },
  };
}

const nodeLog = await openNodeLog({ filter: 'info', file: null, pretty: false, colour: false });
await live(nodeLog, start, Number(process.argv[3] ?? SHUTDOWN_MILLIS));
