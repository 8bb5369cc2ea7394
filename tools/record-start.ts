/**
 * Records `npm start` in a terminal and writes the recording as a picture that plays by itself: every line appears when it
 * was printed, pauses are shortened, and what names this machine is replaced. Needs `script` of util-linux.
 *
 * Usage: node tools/bootstrap.mjs tools/record-start.ts docs/images/npm-start.svg
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawRecording, type RecordedLine } from './recording/draw-recording.ts';
import { ROOT } from './release/paths.ts';

const COLUMNS = 112;
const MILLIS_MAX = 120_000;
/** The network runs on for this long after its first final cut, then it is told to quit. */
const SHOWN_MILLIS = 4_000;
const READY = /is final/;

async function record(state: string): Promise<RecordedLine[]> {
  const command = `stty cols ${COLUMNS} rows 40; npm start --loglevel error -- --state ${state}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const begun = performance.now();
  const lines: RecordedLine[] = [];
  let rest = '';
  let isQuitting = false;
  const timer = setTimeout(() => child.kill(), MILLIS_MAX);
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const [last = '', ...whole] = (rest + part).split('\r\n').reverse();
    rest = last;
    const atMillis = performance.now() - begun;
    for (const text of whole.reverse()) lines.push({ atMillis, text });
    if (isQuitting || !READY.test(part)) return;
    isQuitting = true;
    setTimeout(() => child.stdin.write('q'), SHOWN_MILLIS);
  });
  await once(child, 'exit');
  clearTimeout(timer);
  if (!isQuitting)
    throw new Error(`the network was not ready: ${lines.map(({ text }) => text).join('\n')}`);
  return lines;
}

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('expected the file to write');
const scratch = mkdtempSync(join(tmpdir(), 'svc-recording-'));
try {
  const state = join(scratch, 'state');
  const lines = await record(state);
  const shown = lines.map(({ atMillis, text }) => ({
    atMillis,
    text: text.replaceAll(state, '~/svc/.svc-dev').replaceAll(ROOT, '~/svc'),
  }));
  writeFileSync(out, drawRecording('npm start', shown, COLUMNS));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
