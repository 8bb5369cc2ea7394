/**
 * The explorer as a node serves it. Programs are bundled with the file that this module names, and with no other page.
 */
import { type PageFiles, readBuiltFiles } from './built-files.ts';

export { formOf, type PageFile, type PageFiles } from './built-files.ts';

/** Compiling the module is the one thing allowed beyond scripts and workers of the node. */
const SCRIPTS = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";

let known: PageFiles | undefined;

/** Undefined if the page was not built. The files are read once in a process, however many nodes it starts. */
export function readPageFiles(): PageFiles | undefined {
  known ??= readBuiltFiles(new URL('../../build/page.json', import.meta.url), SCRIPTS);
  return known;
}
