/**
 * When a daemon is to end: the first signal asks it to close, the second ends it at once. As a child process it also
 * closes when its standard input ends.
 */
import { EXIT } from 'svc-base/cli';

export function stopSignal(endsWithInput: boolean): Promise<void> {
  return new Promise((resolve) => {
    // An input that is still read would keep the process from ending.
    const stop = (): void => {
      if (endsWithInput) process.stdin.destroy();
      resolve();
    };
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (++signals > 1) process.exit(EXIT.failed);
        stop();
      });
    }
    if (!endsWithInput) return;
    process.stdin.on('end', stop).on('close', stop).on('error', stop);
    process.stdin.resume();
  });
}
