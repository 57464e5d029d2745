/** A small page in the form of the built one, for tests of how it is served. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const PAGE =
  '<!doctype html>\n<html lang="en"><head>\n<title>Playground</title>\n<script type="module" src="page-ABCD2345.js"></script></head><body><p>…</p></body></html>\n'
/** Long enough to be smaller when it is compressed. */
export const SCRIPT = `document.querySelector('p').textContent = 'ready'\n${'// filler\n'.repeat(200)}`

/** The folder is removed by `remove`. */
export function writePage(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'playground-page-'))
  const files = { 'index.html': PAGE, 'page-ABCD2345.js': SCRIPT, 'icon-ABCD2345.png': 'no picture', 'LICENSES.txt': 'MIT\n' }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
