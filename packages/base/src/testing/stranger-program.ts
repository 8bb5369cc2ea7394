/**
 * A process of another user of the machine, for tests: tries to read a file itself, and then through any inspector of
 * Node at one of the ports. Arguments: the file, then ports. Prints one JSON document.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';

/** The unprivileged user, which owns nothing and is in no group of the owner. */
const STRANGER = 65_534;
/** For listeners of other protocols, which answer nothing. */
const ANSWER_MILLIS_MAX = 3_000;

/** The address of the inspector at a port, or null for a listener of another kind. */
function inspectorAt(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const timeout = ANSWER_MILLIS_MAX;
    const call = get({ host: '127.0.0.1', port, path: '/json/list', timeout }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve(/ws:\/\/[^"]+/.exec(text)?.[0] ?? null));
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(null));
  });
}

/** What the inspected process reads when it is asked to. */
function readThrough(address: string, file: string): Promise<unknown> {
  const expression = `process.getBuiltinModule('fs').readFileSync(${JSON.stringify(file)}, 'utf8')`;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    socket.onerror = () => reject(new Error('the inspector was there and is gone'));
    socket.onopen = () =>
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    socket.onmessage = ({ data }) => {
      socket.close();
      const answer = JSON.parse(String(data)) as { result: { result: { value: unknown } } };
      resolve(answer.result.result.value);
    };
  });
}

function readDirectly(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(STRANGER);
  process.setuid?.(STRANGER);
}
const [, , file = '', ...ports] = process.argv;
const inspectors = await Promise.all(ports.map((port) => inspectorAt(Number(port))));
const found = inspectors.find((address) => address !== null);
const through = found === undefined ? null : await readThrough(found, file);
process.stdout.write(JSON.stringify({ direct: readDirectly(file), through }));
