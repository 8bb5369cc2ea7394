/**
 * The tasks of a page's main thread by the processor time each took, from Chromium's own trace: a task that waited for its turn
 * on a busy machine is as short as it is on an idle one. A frame is lost to the page only by a task longer than a frame.
 */
import type { Browser, CDPSession } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const TASK = 'ThreadControllerImpl::RunTask';
const MAIN_THREAD = 'CrRendererMain';

export class MainThreadTasks {
  readonly #session: CDPSession;
  readonly #events: TraceEvent[] = [];

  /** From now on; of all tabs of the browser. */
  static async start(browser: Browser): Promise<MainThreadTasks> {
    const session = await browser.newBrowserCDPSession();
    const tasks = new MainThreadTasks(session);
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: ['toplevel'] },
    });
    return tasks;
  }

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Tracing.dataCollected', ({ value }) => {
      for (const event of value as unknown as TraceEvent[])
        if (event.name === TASK || event.name === 'thread_name') this.#events.push(event);
    });
  }

  /** Milliseconds of each task since the start, of the main thread that did most. */
  async end(): Promise<readonly number[]> {
    const complete = new Promise((resolve) =>
      this.#session.once('Tracing.tracingComplete', resolve),
    );
    await this.#session.send('Tracing.end');
    await complete;
    await this.#session.detach();
    const threads = new Map<string, number[]>();
    for (const { name, pid, tid, args } of this.#events)
      if (name === 'thread_name' && args?.name === MAIN_THREAD) threads.set(`${pid} ${tid}`, []);
    for (const { pid, tid, tdur } of this.#events)
      if (tdur !== undefined) threads.get(`${pid} ${tid}`)?.push(tdur / 1_000);
    const sumOf = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0);
    const [busiest = []] = [...threads.values()].sort((a, b) => sumOf(b) - sumOf(a));
    return busiest;
  }
}
