/** Fingerprints identify a diagnostic across runs, so that a tool neither closes nor reopens it. */
import { createHash } from 'node:crypto'
import type { LocatedDiagnostic } from './located-diagnostic.js'
import { toUri } from './source-root.js'

/** Fingerprints of the diagnostics, in order. They do not depend on lines or languages; equal diagnostics are numbered. */
export function fingerprintsOf(diagnostics: readonly LocatedDiagnostic[], root: string): string[] {
  return numbered(
    diagnostics.map(({ path, diagnostic: { code, params, evidence } }) => {
      const { line: _, ...stable } = params
      return [toUri(path, root), code, JSON.stringify(stable), evidence ?? '']
    }),
  )
}

/** Fingerprints of these keys; a number distinguishes equal keys. */
export function numbered(keys: readonly (readonly string[])[]): string[] {
  const seen = new Map<string, number>()
  return keys.map((key) => {
    const hash = createHash('sha256').update(key.join('\n')).digest('hex').slice(0, 32)
    const count = (seen.get(hash) ?? 0) + 1
    seen.set(hash, count)
    return `${hash}:${count}`
  })
}
