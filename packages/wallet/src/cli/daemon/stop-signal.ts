/**
 * When a daemon is to end: the first signal asks it to close, the second ends it at once. As a child process it also
 * closes when its standard input ends.
 */
import { EXIT, stopSignal as signalled } from 'svc-base/cli';

export function stopSignal(endsWithInput: boolean): Promise<void> {
  return new Promise((resolve) => {
    // An input that is still read would keep the process from ending.
    const stop = (): void => {
      if (endsWithInput) process.stdin.destroy();
      resolve();
    };
    void signalled({ onSecond: () => process.exit(EXIT.failed) }).then(stop);
    if (!endsWithInput) return;
    process.stdin.on('end', stop).on('close', stop).on('error', stop);
    process.stdin.resume();
  });
}
