/** Deletes files of `dist` whose source is gone: `npm pack` would take them, and imports of them would still work. `npm run build` ends with it. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('../', import.meta.url))
const ROOT = join(DIST, '..')
const OUTPUT = /(\.d)?\.([cm]?)[jt]s(\.map)?$/

for (const path of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  const source = join(ROOT, path.replace(OUTPUT, '.$2ts'))
  // `run.ts` writes its processes there.
  if (OUTPUT.test(path) && !path.startsWith(join('test', 'processes')) && !existsSync(source)) rmSync(join(DIST, path))
}
