/**
 * Reads templates in a thread of its own. A server of miners asks for one for each payout address with every cut, and
 * each may carry a full body: requests and JSON of all of them would take the time in which jobs are to go out.
 */
import type { TemplateDocument } from 'svc-api';
import { Thread } from 'svc-mining/pow';
import type { JsonAnswer, JsonRequest } from './http-json.ts';

/** What a job is made from; the rest of a template stays in the thread. */
export type JobTemplate = Pick<
  TemplateDocument,
  'anchor' | 'body_hex' | 'header_hex' | 'registration_window_end' | 'target'
>;

export type TemplateOrder = Omit<JsonRequest, 'agent'>;

const SCRIPT = new URL('./template-thread.ts', import.meta.url);

export class TemplateReader {
  #thread: Thread<TemplateOrder> | undefined;
  #isClosed = false;

  /** The node's answer, whose document is a `JobTemplate` if the status is 200. */
  async read(order: TemplateOrder): Promise<JsonAnswer> {
    return this.#running().ask<JsonAnswer>(order);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.close();
  }

  /** The thread, started at the first need and again after a failure. */
  #running(): Thread<TemplateOrder> {
    if (this.#isClosed) throw new Error('the reader of templates is closed');
    if (this.#thread?.isAlive !== true) this.#thread = new Thread<TemplateOrder>(SCRIPT, undefined);
    return this.#thread;
  }
}
