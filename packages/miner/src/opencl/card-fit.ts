/**
 * Which cards can mine, as reported by their drivers: work groups large enough for the kernel, room for a dataset
 * in one buffer, and each card once. It asks no driver itself.
 */
import type { OpenClDevice } from './list-devices.ts';

/** Work items of a group of the kernel. */
export const GROUP_ITEMS = 128;
const GIBIBYTE = 2 ** 30;

/** Why a card cannot search a dataset of this size; undefined if it can. */
export function cardFault(
  { groupItemsMax, bufferBytesMax }: Pick<OpenClDevice, 'bufferBytesMax' | 'groupItemsMax'>,
  datasetBytes: number,
): string | undefined {
  if (groupItemsMax < GROUP_ITEMS)
    return `its work groups have at most ${groupItemsMax} items, and ${GROUP_ITEMS} are needed`;
  if (bufferBytesMax >= datasetBytes) return undefined;
  const [largest, needed] = [bufferBytesMax, datasetBytes].map((bytes) =>
    (bytes / GIBIBYTE).toFixed(2),
  );
  return `its largest buffer has ${largest} GiB, and the dataset has ${needed} GiB`;
}

/** Without the cards that a later driver lists again. Cards that a driver does not identify all count. */
export function eachOnce<Device extends Pick<OpenClDevice, 'uuid'>>(
  devices: readonly Device[],
): readonly Device[] {
  const seen = new Set<string>();
  return devices.filter(({ uuid }) => {
    if (uuid === undefined) return true;
    const isNew = !seen.has(uuid);
    seen.add(uuid);
    return isNew;
  });
}
