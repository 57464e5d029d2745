/** Runs commands of the documents, and compares what they print with the answers that the documents show. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startTestApp } from '../support/app.js'

/** Address of the service in the documents. */
const ORIGIN = 'http://127.0.0.1:8080'

/** Runs shell commands and returns their output. */
export async function shell(commands: string, cwd: string): Promise<string> {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, LANG: 'en_US.UTF-8', HOME: cwd }
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands], { cwd, env, maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** Runs commands against a service that starts with an empty data folder. */
export async function withService(commands: string, look: (stdout: string, folder: string) => void, env: Readonly<Record<string, string>> = {}): Promise<void> {
  assert.ok(commands.includes(ORIGIN))
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  try {
    const { client, close } = await startTestApp({ env: { NATIVE_SERVICE_DATA_DIR: join(folder, 'data'), ...env } })
    try {
      look(await shell(commands.replaceAll(ORIGIN, client.origin), folder), folder)
    } finally {
      await close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Parses JSON texts that were printed one after another. */
export function answers<T>(stdout: string): T[] {
  return stdout
    .split(/(?<=[}\]])\n?(?=[{[])/)
    .filter((text) => text.trim() !== '')
    .map((text) => JSON.parse(text) as T)
}

/** The beginning of a commit's id, which is another one in each run. */
const COMMIT = /^[0-9a-f]{8}…$/

/** Asserts that everything in `shown` is in `answer`. In texts, `…` stands for any text. */
export function assertContains(answer: unknown, shown: unknown, path: string): void {
  if (typeof shown === 'string' && COMMIT.test(shown)) return assert.match(String(answer), /^[0-9a-f]{40}$/, path)
  if (typeof shown === 'string' && shown.includes('…')) return assert.match(String(answer), new RegExp(`^${shown.split('…').map(escaped).join('[\\s\\S]*')}$`), path)
  if (shown === null || typeof shown !== 'object') return assert.deepEqual(answer, shown, path)
  if (Array.isArray(shown)) assert.equal((answer as unknown[]).length, shown.length, path)
  for (const [name, value] of Object.entries(shown)) assertContains((answer as Record<string, unknown>)[name], value, `${path}.${name}`)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
