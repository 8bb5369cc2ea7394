/**
 * The release of the node.
 */
import { releaseOf } from 'svc-base/node';

export const VERSION: string = releaseOf(new URL('../package.json', import.meta.url));
