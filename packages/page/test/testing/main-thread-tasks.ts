/**
 * The tasks of a page's main thread by the processor time each took, and what they took together from one frame to the next, from
 * Chromium's own trace: a task that waited for its turn on a busy machine is as short as it is on an idle one. The page loses
 * a frame by itself only if its tasks take longer than a frame.
 */
import type { Browser, CDPSession } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** When it began, in microseconds. */
  readonly ts: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const TASK = 'ThreadControllerImpl::RunTask';
const MAIN_THREAD = 'CrRendererMain';
/** The mark that a page sets in the user timing at the beginning of each of its frames. */
export const FRAME_MARK = 'svc frame';
const NAMES: readonly string[] = [TASK, FRAME_MARK, 'thread_name'];

/** In milliseconds of processor time. */
export interface MainThreadTimes {
  readonly tasks: readonly number[];
  /** All tasks from one frame to the next, for each frame. */
  readonly frames: readonly number[];
}

export class MainThreadTasks {
  readonly #session: CDPSession;
  readonly #events: TraceEvent[] = [];

  /** From now on; of all tabs of the browser. */
  static async start(browser: Browser): Promise<MainThreadTasks> {
    const session = await browser.newBrowserCDPSession();
    const tasks = new MainThreadTasks(session);
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: {
        recordMode: 'recordAsMuchAsPossible',
        includedCategories: ['toplevel', 'blink.user_timing'],
      },
    });
    return tasks;
  }

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Tracing.dataCollected', ({ value }) => {
      for (const event of value as unknown as TraceEvent[])
        if (NAMES.includes(event.name)) this.#events.push(event);
    });
  }

  /** Since the start, of the main thread that did most. */
  async end(): Promise<MainThreadTimes> {
    const complete = new Promise((resolve) =>
      this.#session.once('Tracing.tracingComplete', resolve),
    );
    await this.#session.send('Tracing.end');
    await complete;
    await this.#session.detach();
    const threads = new Map<string, TraceEvent[]>();
    for (const { name, pid, tid, args } of this.#events)
      if (name === 'thread_name' && args?.name === MAIN_THREAD) threads.set(`${pid} ${tid}`, []);
    for (const event of this.#events)
      if (event.name !== 'thread_name') threads.get(`${event.pid} ${event.tid}`)?.push(event);
    const times = [...threads.values()].map(timesOf);
    const sumOf = ({ tasks }: MainThreadTimes) => tasks.reduce((sum, time) => sum + time, 0);
    return times.sort((a, b) => sumOf(b) - sumOf(a))[0] ?? { tasks: [], frames: [] };
  }
}

function timesOf(events: readonly TraceEvent[]): MainThreadTimes {
  const tasks: number[] = [];
  const frames: number[] = [];
  let sinceFrame = 0;
  for (const { name, tdur = 0 } of events.toSorted((a, b) => a.ts - b.ts)) {
    if (name === FRAME_MARK) {
      frames.push(sinceFrame);
      sinceFrame = 0;
    } else {
      tasks.push(tdur / 1_000);
      sinceFrame += tdur / 1_000;
    }
  }
  return { tasks, frames };
}
