/**
 * The thread of `template-reader.ts`: asks nodes for templates and answers with what a job is made from.
 */
import { Agent } from 'node:http';
import { serveOrders } from 'svc-mining/pow/serve-orders';
import { askJson, type JsonAnswer } from './http-json.ts';
import type { JobTemplate, TemplateOrder } from './template-reader.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

async function read(order: TemplateOrder): Promise<JsonAnswer> {
  const { status, document } = await askJson({ ...order, agent });
  return { status, document: status === 200 ? jobTemplateOf(document as JobTemplate) : document };
}

function jobTemplateOf(template: JobTemplate): JobTemplate {
  const { anchor, body_hex, header_hex, registration_window_end, target } = template;
  return { anchor, body_hex, header_hex, registration_window_end, target };
}

serveOrders(read);
