/** The signal of `svc-base`, for the imports that still come by here. */
export { Signal } from 'svc-base/pure';
