/**
 * The page of a pool as it serves it. Programs are bundled with the file that this module names, and with no other page.
 */
import { type PageFiles, readBuiltFiles } from './built-files.ts';

export { formOf, type PageFile, type PageFiles } from './built-files.ts';

/** Undefined if the page was not built. */
export function readPoolFiles(): PageFiles | undefined {
  return readBuiltFiles(new URL('../../build/pool.json', import.meta.url), "script-src 'self'");
}
