/**
 * What a tab keeps in memory after garbage collection: heaps of its scripts and of its worker, nodes and listeners
 * through the protocol of Chromium's developer tools, and the whole process as the system reports it.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';

export interface TabMemory {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
  /** Memory of all workers of the tab; 0 before it has one. */
  readonly workerHeapBytes: number;
}

interface WorkerAnswer {
  readonly id: number;
  readonly result?: { readonly usedSize?: number };
}

/** Speaks with one page and the workers it starts. */
export class MemoryMeter {
  readonly #session: CDPSession;
  readonly #workers = new Set<string>();
  readonly #waiting = new Map<number, (answer: WorkerAnswer) => void>();
  #number = 0;

  static async start(page: Page): Promise<MemoryMeter> {
    const session = await page.context().newCDPSession(page);
    const meter = new MemoryMeter(session);
    const options = { autoAttach: true, waitForDebuggerOnStart: false, flatten: false };
    await session.send('Target.setAutoAttach', options);
    return meter;
  }

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') this.#workers.add(sessionId);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => this.#workers.delete(sessionId));
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const answer = JSON.parse(message) as WorkerAnswer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async take(): Promise<TabMemory> {
    await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners } = await this.#session.send('Memory.getDOMCounters');
    let workerHeapBytes = 0;
    for (const worker of this.#workers) {
      await this.#askWorker(worker, 'HeapProfiler.collectGarbage');
      const { result } = await this.#askWorker(worker, 'Runtime.getHeapUsage');
      workerHeapBytes += result?.usedSize ?? 0;
    }
    return { heapBytes: usedSize, nodes, listeners: jsEventListeners, workerHeapBytes };
  }

  async #askWorker(sessionId: string, method: string): Promise<WorkerAnswer> {
    const id = ++this.#number;
    const answered = new Promise<WorkerAnswer>((resolve) => this.#waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params: {} });
    await this.#session.send('Target.sendMessageToTarget', { sessionId, message });
    return answered;
  }
}

/** The processes of pages, with their workers, and what each has in memory; 0 where the system does not report it. */
export async function residentBytes(browser: Browser): Promise<ReadonlyMap<number, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return new Map(renderers.map(({ id }) => [id, residentOf(id)]));
}

function residentOf(process: number): number {
  const place = `/proc/${process}/status`;
  const text = existsSync(place) ? readFileSync(place, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
}

/**
 * Opens a tab without a debugger attached, in a window of its own. Tabs that playwright drives keep what they received for
 * the developer tools, tens of megabytes in an hour; the memory of this one's process is the page's.
 */
export async function openUnwatched(browser: Browser, url: string): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { browserContextId } = await session.send('Target.createBrowserContext');
  await session.send('Target.createTarget', { url, browserContextId, newWindow: true });
}
