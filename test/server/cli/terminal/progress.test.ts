/** Progress with a clock of its own: when it is shown, what it says, and where it never appears. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { Arguments } from '../../../../server/cli/arguments.js'
import { Output } from '../../../../server/cli/terminal/output.js'
import { type OutputMeanwhile, Progress } from '../../../../server/cli/terminal/progress.js'

const CLEAR = '\r\x1b[2K'

interface Setting {
  readonly meanwhile?: OutputMeanwhile
  readonly locale?: 'en-US' | 'pt-BR'
  readonly isTTY?: { readonly stdout: boolean; readonly stderr: boolean }
  readonly isOneOutput?: boolean
  readonly quiet?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** A progress whose time is set by the test, and what it has written. */
class Watched {
  now = 0
  #written = ''
  readonly progress: Progress
  readonly #stream: Writable

  constructor({ meanwhile = 'text', locale = 'en-US', isTTY = { stdout: false, stderr: false }, isOneOutput = false, quiet = false, env = {} }: Setting) {
    this.#stream = new Writable({
      decodeStrings: false,
      write: (chunk: string, _, done) => {
        this.#written += chunk
        done()
      },
    })
    const args = new Arguments({ quiet: { type: 'boolean' } }, { quiet }, [])
    const context = { args, stderr: new Output(this.#stream), locale, clock: () => this.now, isTTY: { stdin: false, ...isTTY }, isOneOutput, env }
    this.progress = new Progress(context, 'test', meanwhile)
  }

  /** Work of 100 ms steps until the time, of the given total. */
  async workUntil(ms: number, total: number | null): Promise<void> {
    while (this.now < ms) {
      this.now += 100
      const count = this.now * 2
      if (this.progress.isDue()) await this.progress.update({ text: `${count} cases`, count, part: total === null ? null : count / total })
    }
  }

  shown(): string {
    return this.#written
  }

  close(): void {
    this.#stream.destroy()
  }
}

const TERMINAL = { stdout: true, stderr: true }

describe('progress', () => {
  it('is a line every five seconds in a log, with rate, share and remaining time', async () => {
    const watched = new Watched({})
    await watched.workUntil(4900, 40_000)
    assert.equal(watched.shown(), '')
    await watched.workUntil(12_000, 40_000)
    assert.equal(watched.shown(), 'test: 10000 cases · 2,000/s · 25 % · 15 s left\ntest: 20000 cases · 2,000/s · 50 % · 10 s left\n')
    await watched.progress.clear()
    assert.doesNotMatch(watched.shown(), /\r/)
  })

  it('names no share where the total is not known, and no time before it can be estimated', async () => {
    const unknown = new Watched({ locale: 'pt-BR' })
    await unknown.workUntil(5000, null)
    assert.equal(unknown.shown(), 'test: 10000 cases · 2.000/s\n')
    const early = new Watched({ locale: 'pt-BR' })
    await early.workUntil(5000, 10_000_000)
    assert.equal(early.shown(), 'test: 10000 cases · 2.000/s · 0 %\n')
    await early.workUntil(100_000, 10_000_000)
    assert.match(early.shown(), /200000 cases · 2\.000\/s · 2 % · faltam 1 h 21 min\n$/)
  })

  it('rewrites one line at a terminal, and clears it', async () => {
    const watched = new Watched({ isTTY: TERMINAL })
    await watched.progress.compiling({ files: 2, characters: 1_500_000 })
    assert.equal(watched.shown(), `${CLEAR}compiling 2 files, 1.5 MB`)
    await watched.workUntil(500, 40_000)
    assert.equal(watched.shown(), `${CLEAR}compiling 2 files, 1.5 MB${CLEAR}400 cases · 2,000/s · 1 %${CLEAR}800 cases · 2,000/s · 2 %`)
    await watched.progress.clear()
    await watched.progress.clear()
    assert.equal(watched.shown().split(CLEAR).length, 5)
  })

  it('names a step without a share in a log only if it is long', async () => {
    const short = new Watched({})
    assert.equal(await short.progress.compiling({ files: 10, characters: 100_000 }), false)
    assert.equal(short.shown(), '')
    const long = new Watched({})
    assert.equal(await long.progress.compiling({ files: 1, characters: 12_345_678 }), true)
    assert.equal(long.shown(), 'test: compiling 1 file, 12.3 MB\n')
    long.now = 6000
    long.progress.tick('stages', 0.4)
    long.progress.tick('stages', 0.5)
    assert.equal(long.shown(), 'test: compiling 1 file, 12.3 MB\ntest: stages · 40 %\n')
  })

  it('appears neither in what programs read nor with --quiet', async () => {
    const silent: readonly Setting[] = [
      { quiet: true },
      { quiet: true, isTTY: TERMINAL },
      { meanwhile: 'stream', isOneOutput: true },
      { meanwhile: 'stream', isTTY: TERMINAL, isOneOutput: true },
      { meanwhile: 'document', isOneOutput: true },
    ]
    for (const setting of silent) {
      const watched = new Watched(setting)
      await watched.progress.step('compiling', true)
      await watched.workUntil(20_000, 40_000)
      watched.progress.tick('stages', 0.5)
      await watched.progress.clear()
      assert.equal(watched.shown(), '', JSON.stringify(setting))
    }
    const shown: readonly Setting[] = [
      { meanwhile: 'stream' },
      { meanwhile: 'stream', isTTY: { stdout: false, stderr: true } },
      { meanwhile: 'document', isTTY: TERMINAL, isOneOutput: true },
      { isOneOutput: true },
    ]
    for (const setting of shown) {
      const watched = new Watched(setting)
      await watched.workUntil(20_000, 40_000)
      assert.match(watched.shown(), /10000 cases/, JSON.stringify(setting))
    }
  })

  it('is a log at a terminal that cannot rewrite a line', async () => {
    const watched = new Watched({ isTTY: TERMINAL, env: { TERM: 'dumb' } })
    await watched.workUntil(5000, null)
    assert.equal(watched.shown(), 'test: 10000 cases · 2,000/s\n')
  })

  it('ends where nobody reads it, and the work goes on', async () => {
    const watched = new Watched({})
    watched.close()
    await watched.workUntil(20_000, 40_000)
    assert.equal(watched.shown(), '')
  })
})
