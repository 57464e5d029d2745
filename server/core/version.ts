/** The version of the package. */
import { readFileSync } from 'node:fs'

/** Reads package.json, which is two folders above the built file. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
  return version
}
