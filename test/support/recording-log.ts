/** A log that keeps warnings and errors, for parts that are tested without a service. */
import type { Log } from '../../server/core/observability/log.js'

/** @param entries gets what each entry was called with */
export function recordingLog(entries: unknown[]): Pick<Log, 'debug' | 'info' | 'warn' | 'error'> {
  const keep = (...entry: unknown[]): void => void entries.push(entry)
  const leave = (): void => {}
  return { debug: leave, info: leave, warn: keep, error: keep } as Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
}
