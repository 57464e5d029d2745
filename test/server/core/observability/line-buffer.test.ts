/** The log of another process: all lines are written when it has ended, however it ended. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'

const LOG = new URL('../../../../server/core/observability/log.js', import.meta.url).href

/**
 * The lines of a process that runs a script with a log.
 * @param waits milliseconds before they are read @param endsAt number of lines after which the process is killed
 */
async function linesOf(script: string, { waits = 0, endsAt = Number.POSITIVE_INFINITY } = {}): Promise<{ lines: string[]; code: number | null }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `import { createLog } from '${LOG}'\nconst log = createLog({ logLevel: 'info' })\n${script}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await new Promise((resolve) => setTimeout(resolve, waits))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.split('\n').length > endsAt) child.kill('SIGKILL')
  })
  const code = await ended
  return { lines: text.split('\n').filter((line) => line !== ''), code }
}

const WRITE = (count: number): string => `for (let i = 0; i < ${count}; i++) log.info({ i, padding: 'x'.repeat(200) }, 'a line')\n`

describe('the log on standard output', () => {
  it('is complete after a flush, with few or many lines', async () => {
    for (const count of [1, 20, 2000]) {
      const { lines, code } = await linesOf(`${WRITE(count)}await log.flush()\nprocess.exit(0)`)
      assert.equal(code, 0)
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as { i: number }).i),
        Array.from({ length: count }, (_, i) => i),
      )
    }
  })

  it('is complete with a slow reader', async () => {
    const { lines } = await linesOf(`${WRITE(1000)}await log.flush()\nprocess.exit(0)`, { waits: 300 })
    assert.equal(lines.length, 1000)
  })

  it('contains the lines before a crash', async () => {
    const { lines, code } = await linesOf(`${WRITE(3)}setImmediate(() => { throw new Error('crash') })`)
    assert.notEqual(code, 0)
    assert.equal(lines.length, 3)
  })

  it('shows the lines of a running process', { timeout: 60_000 }, async () => {
    const { lines } = await linesOf(`${WRITE(3)}setInterval(() => {}, 1000)`, { endsAt: 3 })
    assert.equal(lines.length, 3)
  })
})
