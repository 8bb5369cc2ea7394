/**
 * The entry for browsers and bundlers: fetches the kernel that is stored beside the code. A misconfigured web server
 * answers with a page instead; the errors here name that and the remedy.
 */
import { SvcError } from '../base/svc-error.ts';
import type { LoadOptions } from '../kernel/load.ts';
import { loadKernel } from '../kernel/load.ts';
import { installPasswordHash } from '../wallet-file/installed-hash.ts';
import { kernelUrl } from './kernel-url.ts';
import { hashInWorker } from './worker-password-hash.ts';

export * from '../index.ts';

export interface InitOptions extends LoadOptions {
  /** Where the kernel is served, if it is not beside the code. */
  readonly url?: string | URL;
}

const WAYS_OUT =
  "serve the file at that address, name another one with init({ url }), or import 'svc-wasm/inline'";

/**
 * Loads the kernel once. Later calls wait for the first, and are refused if they ask for other options; after a
 * failure it can be tried again.
 */
export function init(options?: InitOptions): Promise<void> {
  installPasswordHash({ meanwhile: hashInWorker });
  const from = (simd: boolean) => () => fetchKernel(options?.url ?? kernelUrl(simd));
  return loadKernel({ simd: from(true), scalar: from(false) }, { ...options });
}

async function fetchKernel(url: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await answerFor(url);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (looksLikeHtml(bytes)) {
    throw unavailable(`the server answered HTML for ${url}, not the kernel; ${WAYS_OUT}`);
  }
  return bytes;
}

async function answerFor(url: string | URL): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw unavailable(`${url} could not be fetched (${String(error)}); ${WAYS_OUT}`, error);
  }
  if (response.ok) return response;
  throw unavailable(`the server answered ${response.status} for ${url}; ${WAYS_OUT}`);
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

function unavailable(message: string, cause?: unknown): SvcError {
  return new SvcError('kernel_unavailable', message, cause === undefined ? {} : { cause });
}
