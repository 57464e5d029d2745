/** How often property tests run: `FULL=1 npm test` runs them as often as before a release. */
const IS_FULL = process.env.FULL === '1'

/** @param usual enough to find what a change breaks @param full what is run with `FULL=1` */
export function runs<T>(usual: T, full: T): T {
  return IS_FULL ? full : usual
}
