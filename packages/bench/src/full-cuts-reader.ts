/**
 * A thread that reads balances over HTTP at an even rate while the network is under load, and reports how
 * long each answer took.
 */
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

export interface ReaderTask {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly everyMillis: number;
}

export interface ReadTimes {
  readonly asked: number;
  readonly failed: number;
  /** Milliseconds from when a request was due to its whole answer. */
  readonly millis: readonly number[];
  readonly processorMicros: number;
}

const CONNECTIONS = 16;
const { port, addresses, everyMillis } = workerData as ReaderTask;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const millis: number[] = [];
const started = performance.now();
let [asked, failed] = [0, 0];

function read(due: number): void {
  const path = `/v1/address/${addresses[asked++ % addresses.length]}/balance`;
  const request = get({ host: '127.0.0.1', port, path, agent }, (answer) => {
    if (answer.statusCode !== 200) failed++;
    answer.resume().on('end', () => millis.push(performance.now() - due));
  });
  request.on('error', () => failed++);
}

const timer = setInterval(() => {
  for (;;) {
    const due = started + asked * everyMillis;
    if (due > performance.now()) return;
    read(due);
  }
}, everyMillis);

parentPort?.once('message', () => {
  clearInterval(timer);
  agent.destroy();
  const { user, system } = process.threadCpuUsage();
  const times: ReadTimes = { asked, failed, millis, processorMicros: user + system };
  parentPort?.postMessage(times);
});
