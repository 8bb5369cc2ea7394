import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { temporaryDirectory } from 'svc-base/testing';
import { bundleForBrowser } from '../../../../tools/testing/bundle.ts';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../../tools/testing/chromium.ts';
import type { Answer } from '../../../../tools/testing/static-server.ts';
import { serveFolder } from '../../../../tools/testing/static-server.ts';
import * as svc from '../../src/entry/node.ts';
import { init } from '../../src/entry/node.ts';
import * as kernel from '../../src/kernel/index.ts';
import type { CheckResult } from '../public-functions/index.ts';
import { runPublicChecks } from '../public-functions/index.ts';
import { newProject, releaseUnderTest } from '../release-under-test.ts';

const executable = findChromium();
const PASSED_OVER = 'passed over: no Chromium on this machine';
const KERNEL = '/svc-wasm/svc.wasm';
let browser: Browser | undefined;
let site = '';
let inNode: Promise<CheckResult[]> | undefined;

function page(entry: string, options: string, kernel = '/svc-wasm/kernel.js'): Answer {
  return {
    body: `<!doctype html><meta charset="utf-8"><title>svc-wasm</title><script type="module">
      import * as svc from '${entry}';
      import * as kernel from '${kernel}';
      import { runPublicChecks } from '/checks.js';
      globalThis.done = svc.init(${options}).then(
        () => ({ results: runPublicChecks(svc, kernel) }),
        (error) => ({ code: error.code, message: error.message }),
      );
    </script>`,
  };
}

interface Outcome {
  readonly results?: readonly CheckResult[];
  readonly code?: string;
  readonly message?: string;
  readonly requests: readonly string[];
}

/** Opens a page of the site and waits for what it has found. */
async function visit(start: Answer, overrides: Record<string, Answer> = {}): Promise<Outcome> {
  assert.ok(browser);
  const server = await serveFolder(site, { '/': start, ...overrides });
  const tab = await browser.newPage();
  tab.setDefaultTimeout(BROWSER_MILLIS_MAX);
  try {
    await tab.goto(server.url);
    await tab.waitForFunction('globalThis.done !== undefined');
    const outcome = await tab.evaluate<Omit<Outcome, 'requests'>>('globalThis.done');
    return { ...outcome, requests: [...server.requests] };
  } finally {
    await tab.close();
    await server.close();
  }
}

async function expectSameAsNode({ results, message }: Outcome): Promise<void> {
  assert.equal(message, undefined);
  assert.deepEqual(
    (results ?? []).filter(({ error }) => error !== undefined),
    [],
  );
  inNode ??= init().then(() => runPublicChecks(svc, kernel));
  assert.deepEqual(results, await inNode);
}

const faults: readonly { name: string; answer: Answer; message: RegExp }[] = [
  {
    name: 'a page instead of the kernel',
    answer: { body: '<!doctype html><title>app</title>' },
    message: /answered HTML for http:.*svc\.wasm.*svc-wasm\/inline/,
  },
  {
    name: 'a page under the media type of the kernel',
    answer: { type: 'application/wasm', body: '\n<html></html>' },
    message: /answered HTML/,
  },
  { name: '404', answer: { status: 404, body: 'no' }, message: /answered 404 for .*init\(\{ url/ },
  {
    name: 'text',
    answer: { type: 'text/plain', body: 'gone' },
    message: /expected a WebAssembly module, found 4 bytes that begin with "gone"/,
  },
];

describe('in Chromium', () => {
  before(async () => {
    if (executable === undefined) return;
    site = temporaryDirectory();
    const { folder } = await releaseUnderTest();
    cpSync(folder, join(site, 'svc-wasm'), { recursive: true });
    const checks = fileURLToPath(new URL('../public-functions/index.ts', import.meta.url));
    await bundleForBrowser(checks, join(site, 'checks.js'));
    browser = await launchChromium(executable);
  });

  after(async () => {
    await browser?.close();
  });

  test('every public function answers as in Node', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const outcome = await visit(page('/svc-wasm/browser.js', '{}'));
    await expectSameAsNode(outcome);
    assert.ok(outcome.requests.includes(KERNEL));
  });

  test('the kernel without vector instructions answers the same', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const outcome = await visit(page('/svc-wasm/browser.js', '{ simd: false }'));
    await expectSameAsNode(outcome);
    assert.ok(outcome.requests.includes('/svc-wasm/svc.scalar.wasm'));
    assert.ok(!outcome.requests.includes(KERNEL));
  });

  for (const options of ['{}', '{ simd: false }']) {
    test(`svc-wasm/inline with ${options} fetches no kernel`, async (t) => {
      if (executable === undefined) return t.skip(PASSED_OVER);
      const outcome = await visit(page('/svc-wasm/inline.js', options));
      await expectSameAsNode(outcome);
      assert.deepEqual(
        outcome.requests.filter((path) => path.endsWith('.wasm')),
        [],
      );
    });
  }

  test('a bundled application works', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const project = await newProject();
    writeFileSync(
      join(project, 'main.js'),
      "export * from 'svc-wasm';\nexport * from 'svc-wasm/kernel';\n",
    );
    await bundleForBrowser(join(project, 'main.js'), join(site, 'app', 'main.js'));
    cpSync(join(site, 'svc-wasm', 'svc.wasm'), join(site, 'app', 'svc.wasm'));
    await expectSameAsNode(await visit(page('/app/main.js', '{}', '/app/main.js')));
  });

  test('passwords are hashed in a worker, and in turns where its file is missing', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const cost = '{"memory_kib":"7168","passes":"5"}';
    const start = `<!doctype html><title>password</title><script type="module">
      import * as svc from '/svc-wasm/browser.js';
      globalThis.done = (async () => {
        await svc.init();
        const file = await svc.sealWalletFileAsync('{"a":1}', 'p', '${cost}');
        const refused = await svc.openWalletFileAsync(file, 'q').catch(({ code }) => code);
        return { message: (await svc.openWalletFileAsync(file, 'p')) + refused };
      })();
    </script>`;
    const path = '/svc-wasm/password-worker.js';
    const missing = { [path]: { status: 404, body: 'no' } };
    for (const answers of [{}, missing]) {
      const { message, requests } = await visit({ body: start }, answers);
      assert.equal(message, '{"a":1}wrong_password');
      assert.ok(requests.includes(path));
    }
  });

  for (const { name, answer, message } of faults) {
    test(`init says so when the server answers ${name}`, async (t) => {
      if (executable === undefined) return t.skip(PASSED_OVER);
      const outcome = await visit(page('/svc-wasm/browser.js', '{}'), { [KERNEL]: answer });
      assert.equal(outcome.code, 'kernel_unavailable');
      assert.match(outcome.message ?? '', message);
    });
  }

  test('init refuses the kernel of another release', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const outcome = await visit(page('/svc-wasm/browser.js', "{ url: '/svc-wasm/svc.pow.wasm' }"));
    assert.equal(outcome.code, 'kernel_unavailable');
    assert.match(outcome.message ?? '', /expected the kernel of this release/);
  });

  test('a page with a content security policy needs wasm-unsafe-eval, as the guide says', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const { body } = page('/svc-wasm/inline.js', '{}');
    const under = (policy: string) => ({
      body: `<meta http-equiv="content-security-policy" content="script-src ${policy}">${body}`,
    });
    const base = "'self' 'unsafe-inline'";
    assert.equal((await visit(under(base))).code, 'kernel_unavailable');
    assert.equal((await visit(under(`${base} 'wasm-unsafe-eval'`))).code, undefined);
  });

  test('svc-wasm/inline works in a service worker', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const worker = `import { burnAddress, init } from '/svc-wasm/inline.js';
      self.addEventListener('message', (event) => {
        event.waitUntil(init().then(() => event.source.postMessage(burnAddress('mainnet'))));
      });`;
    const start = `<!doctype html><title>worker</title><script type="module">
      await navigator.serviceWorker.register('/worker.js', { type: 'module' });
      const { active } = await navigator.serviceWorker.ready;
      globalThis.done = new Promise((resolve) => {
        navigator.serviceWorker.onmessage = ({ data }) => resolve({ message: data });
        active.postMessage('start');
      });
    </script>`;
    const answers = { '/worker.js': { type: 'text/javascript', body: worker } };
    const { message } = await visit({ body: start }, answers);
    assert.equal(message, svc.burnAddress('mainnet'));
  });
});
