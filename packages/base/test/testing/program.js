/**
 * A program for the tests of the starter. `exit N` ends with the code N, `abort SIGNAL` ends by a signal, `wait` listens to no
 * signal. `serve N MILLIS` stops that long after its Nth signal and prints which signals it got. Those that stay print their
 * process id.
 */
import { startProgram } from 'svc-base/start';

async function main([command, value, millis]) {
  if (command === 'exit') return Number(value);
  if (command === 'abort') process.kill(process.pid, value);
  if (command === 'wait') process.stdout.write(`${JSON.stringify({ pid: process.pid })}\n`);
  if (command === 'serve') await serve(Number(value), Number(millis));
  else await new Promise((resolve) => setTimeout(resolve, 600_000));
  return 0;
}

async function serve(count, stopMillis) {
  const signals = [];
  const enough = Promise.withResolvers();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      signals.push(signal);
      if (signals.length === count) enough.resolve();
    });
  }
  const life = setTimeout(() => enough.resolve(), 600_000);
  process.stdout.write(`${JSON.stringify({ pid: process.pid })}\n`);
  await enough.promise;
  clearTimeout(life);
  await new Promise((resolve) => setTimeout(resolve, stopMillis));
  process.stdout.write(`${JSON.stringify({ signals })}\n`);
}

await startProgram({ name: 'program', url: import.meta.url, load: async () => ({ main }) });
