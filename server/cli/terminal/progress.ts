/**
 * Progress of long work, on standard error alone: at a terminal one line that is rewritten, elsewhere a line every few seconds, so that the log of a pipeline shows
 * that something happens.
 */
import type { Locale } from '#engine'
import type { CommandContext } from '../command.js'
import { REPORT_WORDS } from '../report/words.js'
import type { ContentSize } from '../ruleset-source.js'
import { formatDuration, formatNumber } from './numbers.js'
import type { Output } from './output.js'

/** Milliseconds between two updates of the line at a terminal. */
const REDRAW_MS = 200
/** Milliseconds between two lines of a log. */
const LINE_MS = 5000
/** Milliseconds of work, and share of it, after which the remaining time can be estimated. */
const ESTIMATE_AFTER_MS = 2000
const ESTIMATE_AFTER = 0.01
/** Characters of content that take some seconds to compile and check: Wazuh's ruleset has two thirds of them. */
const LARGE_CONTENT = 4_000_000
const CLEAR_LINE = '\r\x1b[2K'

/** `line`: one that is rewritten; `log`: lines; `none`: nothing is shown. */
type ProgressMode = 'line' | 'log' | 'none'

/** How far the work is. */
export interface Done {
  /** What was done, such as `12,000 events`. */
  readonly text: string
  /** Its number, for the rate. */
  readonly count: number
  /** Share of all work, from 0 to 1; null: the total is not known. */
  readonly part: number | null
}

/** What a command writes to standard output: lines all the time, a document for programs at the end, or text for people. */
export type OutputMeanwhile = 'stream' | 'document' | 'text'

export class Progress {
  readonly #output: Output
  #mode: ProgressMode
  readonly #clock: () => number
  readonly #locale: Locale
  readonly #prefix: string
  readonly #started: number
  #last: number
  /** Whether a line is on the terminal. */
  #dirty = false

  /** @param name of the command, before each line of a log */
  constructor(context: Pick<CommandContext, 'args' | 'stderr' | 'locale' | 'clock' | 'isTTY' | 'isOneOutput' | 'env'>, name: string, meanwhile: OutputMeanwhile) {
    this.#output = context.stderr
    this.#mode = modeOf(context, meanwhile)
    this.#clock = context.clock
    this.#locale = context.locale
    this.#prefix = `${name}: `
    this.#started = context.clock()
    this.#last = this.#started
  }

  /** Whether it is time for an update. Cheap, for loops over events. */
  isDue(): boolean {
    return this.#mode !== 'none' && this.#clock() - this.#last >= (this.#mode === 'line' ? REDRAW_MS : LINE_MS)
  }

  /** Shows how far the work is. Call it when it is due. */
  async update(done: Done): Promise<void> {
    await this.#write(this.#describe(done))
  }

  /** Shows a step that begins. @param isLong whether a log shows it at once, because the step cannot say how far it is */
  async step(text: string, isLong = false): Promise<void> {
    if (this.#mode === 'line' || (this.#mode === 'log' && (isLong || this.isDue()))) await this.#write(text)
  }

  /** Shows that content is compiled, which does not say how far it is. @returns whether it takes long */
  async compiling({ files, characters }: ContentSize): Promise<boolean> {
    const isLong = characters >= LARGE_CONTENT
    await this.step(REPORT_WORDS[this.#locale].compiling(files, formatNumber(characters / 1e6, this.#locale, 1)), isLong)
    return isLong
  }

  /** Shows how far work is that does not wait for anything, if it is time: the streams of a process write at once. */
  tick(text: string, part: number): void {
    if (!this.isDue()) return
    void this.#write([text, ...this.#shareOf(part, null)].join(' · '))
  }

  /** Clears the line, before something else is written to the terminal or when the work is done. */
  async clear(): Promise<void> {
    const isDirty = this.#dirty
    this.#dirty = false
    if (isDirty) await this.#send(CLEAR_LINE)
  }

  async #write(text: string): Promise<void> {
    this.#last = this.#clock()
    this.#dirty = this.#mode === 'line'
    await this.#send(this.#dirty ? `${CLEAR_LINE}${text}` : `${this.#prefix}${text}\n`)
  }

  /** Work continues when its progress cannot be written: the reader is gone, or the disk of the log is full. */
  async #send(text: string): Promise<void> {
    try {
      await this.#output.write(text)
    } catch {
      this.#mode = 'none'
    }
  }

  #describe({ text, count, part }: Done): string {
    const elapsed = this.#clock() - this.#started
    const perSecond = elapsed <= 0 ? 0 : (count * 1000) / elapsed
    return [text, REPORT_WORDS[this.#locale].perSecond(formatNumber(perSecond, this.#locale, perSecond < 10 ? 1 : 0)), ...this.#shareOf(part, elapsed)].join(' · ')
  }

  /** @param elapsed null: the remaining time is not estimated */
  #shareOf(part: number | null, elapsed: number | null): string[] {
    if (part === null) return []
    const share = `${formatNumber(100 * Math.min(1, part), this.#locale)} %`
    if (elapsed === null || elapsed < ESTIMATE_AFTER_MS || part < ESTIMATE_AFTER || part >= 1) return [share]
    return [share, REPORT_WORDS[this.#locale].timeLeft(formatDuration((elapsed * (1 - part)) / part))]
  }
}

function modeOf({ args, isTTY, isOneOutput, env }: Pick<CommandContext, 'args' | 'isTTY' | 'isOneOutput' | 'env'>, meanwhile: OutputMeanwhile): ProgressMode {
  if (args.flag('quiet')) return 'none'
  const isBothTerminal = isTTY.stdout && isTTY.stderr
  // Lines of progress in what a program reads would break it.
  if (meanwhile !== 'text' && isOneOutput && !isBothTerminal) return 'none'
  if (meanwhile === 'stream' && isBothTerminal) return 'none'
  return isTTY.stderr && env.TERM !== 'dumb' ? 'line' : 'log'
}
