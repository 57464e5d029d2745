/** Where a call through npm was made. */
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessIo } from './command.js'

/** Of this program, two folders above the built file's. */
const PACKAGE_JSON = fileURLToPath(new URL('../../../package.json', import.meta.url))

/**
 * npm runs a script of a package in the package's folder, wherever it was called (`npm --prefix`), and leaves in INIT_CWD where that was: the folder that
 * the paths of a call are relative to. Null: npm did not run a script of this package, or whoever it ran calls from a folder of its own choice.
 */
export function callerFolder(env: ProcessIo['env'], workingFolder: string, packageJson: string = PACKAGE_JSON): string | null {
  const { INIT_CWD: folder, npm_package_json: ran } = env
  if (folder === undefined || folder === '' || ran === undefined) return null
  return isSame(ran, packageJson) && isSame(workingFolder, dirname(packageJson)) ? folder : null
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false
  }
}
