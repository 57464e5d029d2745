/** How `summary.json` writes numbers and times. */

/** To three decimal places. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** @param seconds since the epoch */
export function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}
