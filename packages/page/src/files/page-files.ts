/**
 * The built page as a node serves it: every file in memory, with its compressed forms. This is the one file of the
 * package that runs in Node.
 */
import { existsSync, readFileSync } from 'node:fs';

export interface PageFile {
  readonly media: string;
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array | undefined;
  readonly brotli: Uint8Array | undefined;
}

export interface PageFiles {
  /** The content security policy that the shell is served with. */
  readonly policy: string;
  /** The document that every screen begins with. */
  readonly shell: PageFile;
  /** By name; a name has the hash of the file in it. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** A file as `tools/build-page.ts` writes it: its forms in base64. */
interface PackedFile {
  readonly name: string;
  readonly ending: string;
  readonly plain: string;
  readonly gzip?: string;
  readonly brotli?: string;
}

const MEDIA: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};

/**
 * Scripts, the module and the requests of the page come from the node that served it, the style from the shell, and
 * nothing else is loaded, embedded or sent anywhere. Compiling the module is the one thing allowed beyond.
 */
function policyOf(styleHash: string): string {
  return `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'sha256-${styleHash}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

let known: PageFiles | undefined;

/** Undefined if the page was not built. The files are read once in a process, however many nodes it starts. */
export function readPageFiles(): PageFiles | undefined {
  known ??= readBuilt();
  return known;
}

function readBuilt(): PageFiles | undefined {
  const place = new URL('../../build/page.json', import.meta.url);
  if (!existsSync(place)) return undefined;
  const built = JSON.parse(readFileSync(place, 'utf8')) as {
    readonly style_hash: string;
    readonly shell: PackedFile;
    readonly assets: readonly PackedFile[];
  };
  return {
    policy: policyOf(built.style_hash),
    shell: unpacked(built.shell),
    assets: new Map(built.assets.map((each) => [each.name, unpacked(each)])),
  };
}

function unpacked({ ending, plain, gzip, brotli }: PackedFile): PageFile {
  const bytesOf = (text: string | undefined) =>
    text === undefined ? undefined : Buffer.from(text, 'base64');
  return {
    media: MEDIA[ending] ?? 'application/octet-stream',
    plain: Buffer.from(plain, 'base64'),
    gzip: bytesOf(gzip),
    brotli: bytesOf(brotli),
  };
}
