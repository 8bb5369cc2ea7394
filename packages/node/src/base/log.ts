/** The log of `svc-base`, for the imports that still come by here. */
export { type Log, type LogFields, SILENT_LOG as SILENT } from 'svc-base/pure';
