/**
 * A built page as a node or a pool serves it: every file in memory, with its compressed forms. The modules of this folder are
 * those of the package that run in Node.
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
 * Scripts and requests of a page come from the server of the page, the style from the shell, and nothing else is loaded, embedded or
 * sent anywhere.
 */
function policyOf(scripts: string, styleHash: string): string {
  return `default-src 'none'; ${scripts}; style-src 'sha256-${styleHash}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/**
 * Reads what `tools/build-page.ts` wrote; undefined if the page was not built. `scripts` are the parts of the policy that say
 * what scripts may be and begin.
 */
export function readBuiltFiles(place: URL, scripts: string): PageFiles | undefined {
  if (!existsSync(place)) return undefined;
  const built = JSON.parse(readFileSync(place, 'utf8')) as {
    readonly style_hash: string;
    readonly shell: PackedFile;
    readonly assets: readonly PackedFile[];
  };
  return {
    policy: policyOf(scripts, built.style_hash),
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

/** The shortest form of a file that a client says it can read, and the name of its coding. */
export function formOf(
  { plain, gzip, brotli }: PageFile,
  accepted: string,
): readonly [Uint8Array, string | undefined] {
  const accepts = (name: string) =>
    accepted.split(',').some((part) => {
      const [coding, quality] = part.split(';').map((text) => text.trim());
      return coding === name && quality !== 'q=0';
    });
  if (brotli !== undefined && accepts('br')) return [brotli, 'br'];
  if (gzip !== undefined && accepts('gzip')) return [gzip, 'gzip'];
  return [plain, undefined];
}
