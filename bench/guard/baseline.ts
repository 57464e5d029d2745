/** The build to which a build is compared: that of the commit in `bench/baseline`, built once in a temporary folder. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** @returns the folder of the build; null: its commit is not in this clone @throws Error if it cannot be built */
export function baselineBuild(): string | null {
  const commit = readFileSync(join(ROOT, 'bench/baseline'), 'utf8').trim()
  const folder = join(tmpdir(), `detection-content-baseline-${commit}`)
  if (existsSync(folder)) return folder
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status !== 0) return null
  const partial = mkdtempSync(`${folder}-`)
  try {
    const archive = run('git', ['archive', commit], ROOT)
    run('tar', ['-x'], partial, archive)
    if (lockOf(partial) === lockOf(ROOT)) cpSync(join(ROOT, 'node_modules'), join(partial, 'node_modules'), { recursive: true, verbatimSymlinks: true })
    else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], partial)
    run(process.execPath, ['.build/compile.mjs', 'package'], partial)
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw error
  }
  return folder
}

function lockOf(folder: string): string {
  return readFileSync(join(folder, 'package-lock.json'), 'utf8')
}

/** Runs a command and returns its output. */
function run(command: string, args: readonly string[], cwd: string, input?: Buffer): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, input, maxBuffer: 1024 ** 3 })
  if (status !== 0) throw new Error(error?.message ?? `${command} ${args[0]}: ${stderr.toString()}${stdout.toString()}`)
  return stdout
}
