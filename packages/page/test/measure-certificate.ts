/**
 * What a certificate of 64 signatures costs the worker of a tab, in a real browser: the page proves an evidence file whose head
 * the largest committee signed. Times are those of the page's own step, and the processor time that the worker's thread used
 * for the whole proof, which does not depend on what else the machine does. A tab proves it several times: first with a
 * module that was just compiled and keys never met, then with both warm. Beside it the certificate alone, signatures and hash
 * of the set, in a worker that does nothing else. Linux only.
 *
 * Usage: node tools/bootstrap.mjs packages/page/test/measure-certificate.ts [tabs, 5] [proofs in each, 8]
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import type { Evidence, VerifiedEvidence } from 'svc-client/evidence';
import { init } from 'svc-wasm';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { quantile } from '../../bench/src/full-cuts-meter.ts';
import { Caller } from '../../node/test/dev/kit.ts';
import { fullCutEvidence } from './testing/full-cut-evidence.ts';
import { argumentAt, rounded, say } from './testing/measuring.ts';

const TABS_MAX = 100;
const PROOFS_MAX = 100;
/** Enough to make the start of the worker negligible. */
const ALONE_TIMES = 500;

/** Keeps what the worker reports to the page. */
function keepReports(): void {
  const reports: unknown[] = [];
  Object.assign(globalThis, { reports });
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(address: string | URL, options?: WorkerOptions) {
      super(address, options);
      this.addEventListener('message', ({ data }: MessageEvent) => {
        const { message } = data as { message: { type: string; verified?: unknown } };
        if (message.type === 'verified') reports.push(message.verified);
      });
    }
  };
}

/** Processor time of all workers of all pages so far, in milliseconds. */
async function workerMillis(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  let nanoseconds = 0;
  for (const { id } of processInfo.filter(({ type }) => type === 'renderer')) {
    const tasks = `/proc/${id}/task`;
    for (const task of readdirSync(tasks)) {
      const name = readFileSync(`${tasks}/${task}/comm`, 'utf8');
      if (!name.startsWith('DedicatedWorker')) continue;
      nanoseconds += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return nanoseconds / 1e6;
}

interface ProofTimes {
  /** Milliseconds of the step that checks the signatures. */
  readonly step: number;
  /** Processor time of the worker for the whole proof. */
  readonly processor: number;
}

/** In the order of the proofs of one tab. */
async function measureTab(browser: Browser, url: string, proofs: number): Promise<ProofTimes[]> {
  const context = await browser.newContext();
  context.setDefaultTimeout(BROWSER_MILLIS_MAX);
  const page = await context.newPage();
  await page.addInitScript(keepReports);
  await page.goto(`${url}/ui/verify`);
  const buffer = Buffer.from(JSON.stringify(fullCutEvidence().evidence));
  const processor: number[] = [];
  for (let count = 1; count <= proofs; count++) {
    const before = await workerMillis(browser);
    const file = { name: `${count}.json`, mimeType: 'application/json', buffer };
    await page.locator('[data-file="evidence"]').setInputFiles(file);
    await page.waitForFunction(
      (wanted) => (globalThis as unknown as { reports: unknown[] }).reports.length === wanted,
      count,
    );
    processor.push((await workerMillis(browser)) - before);
  }
  const reports = await page.evaluate(
    () => (globalThis as unknown as { reports: VerifiedEvidence[] }).reports,
  );
  await context.close();
  return reports.map(({ result, steps }, place) => {
    assert.equal(result.verdict, 'checked', JSON.stringify(result));
    const step = steps.find(({ detail }) => detail.startsWith('64 ML-DSA-65 signatures'));
    const { millis } = step ?? assert.fail('no step checked 64 signatures');
    return { step: millis, processor: processor[place] as number };
  });
}

/** Certifies the same cut so often in a worker of its own; the time of each, and the processor time of one of them. */
async function measureAlone(
  browser: Browser,
  times: number,
): Promise<{ readonly millis: readonly number[]; readonly processor: number }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('testing/certificate-worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  });
  const page = await browser.newPage();
  const before = await workerMillis(browser);
  const hexOrder = {
    ...proofOf(fullCutEvidence().evidence),
    source: outputFiles[0]?.text ?? '',
    times,
  };
  const millis = await page.evaluate(({ source, times, ...hex }) => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const bytes = Object.fromEntries(
      Object.entries(hex).map(([name, text]) => [
        name,
        Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)),
      ]),
    );
    return new Promise<readonly number[]>((resolve, reject) => {
      worker.onerror = ({ message }) => reject(new Error(`the worker cannot run: ${message}`));
      worker.onmessage = ({ data }) => resolve(data as readonly number[]);
      worker.postMessage({ ...bytes, times });
    });
  }, hexOrder);
  const processor = ((await workerMillis(browser)) - before) / times;
  await page.close();
  return { millis, processor };
}

/** The parts of the evidence that a certificate is checked with, in hexadecimal. */
function proofOf({ head }: Evidence) {
  const { header, certificate, validatorSet, chainId } = head ?? assert.fail('no head');
  return { header, certificate, validatorSet, chainId };
}

const tabs = argumentAt(0, 5, TABS_MAX);
const proofs = argumentAt(1, 8, PROOFS_MAX);
await init();
const caller = await Caller.start({ cutTime: 'manual', validators: 1, memory: true });
const browser = await launchChromium(findChromium() ?? assert.fail('no Chromium on this machine'));
try {
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  const times: ProofTimes[][] = [];
  for (let tab = 0; tab < tabs; tab++) {
    times.push(await measureTab(browser, caller.base, proofs));
  }
  const tell = (name: string, values: readonly number[]): void => {
    const [half, least] = [quantile(values, 0.5), Math.min(...values)].map(rounded);
    say(`${name}: median ${half} ms, least ${least} ms of ${values.length}`);
  };
  const tellBoth = (name: string, proven: readonly ProofTimes[]): void => {
    tell(
      `${name}, processor of the worker`,
      proven.map(({ processor }) => processor),
    );
    tell(
      `${name}, step on the wall`,
      proven.map(({ step }) => step),
    );
  };
  const alone = await measureAlone(browser, ALONE_TIMES);
  tell('certificate alone, on the wall', alone.millis);
  say(
    `certificate alone, processor of the worker: ${rounded(alone.processor)} ms each, start included`,
  );
  tellBoth(
    'first proof of a tab, the module included',
    times.flatMap((each) => each.slice(0, 1)),
  );
  if (proofs > 1)
    tellBoth(
      'later proofs',
      times.flatMap((each) => each.slice(1)),
    );
} finally {
  await browser.close();
  await caller.close();
}
