/** The clock of `svc-base`, for the imports that still come by here. */
export type { Clock } from 'svc-base/pure';
export { SYSTEM_CLOCK } from 'svc-base/system-clock';
