/** Finds the folder in which npm was called. */
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessIo } from './command.js'

/** package.json of this program, two folders above the compiled file's. */
const PACKAGE_JSON = fileURLToPath(new URL('../../../package.json', import.meta.url))

/**
 * npm runs a script in the folder of the package (`npm --prefix`) and sets INIT_CWD to the folder of the call, to which paths are
 * relative. Null: npm did not run a script of this package, or the working directory was changed.
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
