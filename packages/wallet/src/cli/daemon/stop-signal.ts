/**
 * When a daemon is to end: the first signal asks it to close, the second ends it at once. As a child process it also
 * closes when its standard input ends.
 */
import { EXIT } from 'svc-base/cli';

export function stopSignal(endsWithInput: boolean): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (++signals > 1) process.exit(EXIT.failed);
        resolve();
      });
    }
    if (!endsWithInput) return;
    process.stdin
      .on('end', resolve)
      .on('close', resolve)
      .on('error', () => resolve());
    process.stdin.resume();
  });
}
