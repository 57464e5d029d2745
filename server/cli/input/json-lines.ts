/**
 * Reads JSON lines and writes one JSON line as the response to each, in order. An invalid line is answered with an error object, and reading
 * continues.
 */
import type { Readable } from 'node:stream'
import type { Locale } from '#engine'
import { lines as english } from '../../core/i18n/messages/en-US/input.js'
import { lines as portuguese } from '../../core/i18n/messages/pt-BR/input.js'
import { type ErrorParams, type ErrorTexts, LocalizedError } from '../../core/i18n/localized-error.js'
import type { CommandContext } from '../command.js'
import { REPORT_WORDS } from '../report/words.js'
import { Progress } from '../terminal/progress.js'
import { formatNumber } from '../terminal/numbers.js'
import { bytesToRead, LINE_LIMIT, readLines } from './lines.js'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies ErrorTexts<typeof english>

type LineFault = keyof typeof english

/** An invalid line; its text goes into the response. */
export class LineError<Fault extends LineFault = LineFault> extends LocalizedError<typeof english, Fault> {
  override readonly name = 'LineError'

  constructor(fault: Fault, params: ErrorParams<typeof english, Fault>) {
    super(TEXTS, fault, params)
  }

  /** The error code in the response. */
  get code(): 'invalid_json' | 'invalid_line' | 'line_too_long' {
    const fault: LineFault = this.fault
    return fault === 'invalid_json' || fault === 'line_too_long' ? fault : 'invalid_line'
  }
}

/** Characters that are collected for one write. */
const WRITE_SIZE = 64 * 1024

/** The response to an invalid line. */
function errorAnswer(fault: LineError, line: number, locale: Locale): string {
  return JSON.stringify({ ok: false, error: { code: fault.code, message: fault.localize(locale), line } })
}

/** @param name of the command @param answer returns the JSON text for the value of a line, whose text it gets as well @returns number of answered lines, and how many of them with an error */
export async function answerJsonLines(
  context: CommandContext,
  name: string,
  files: readonly string[],
  stdin: Readable,
  answer: (value: unknown, line: string) => string,
): Promise<{ lines: number; wrong: number }> {
  const { stdout, locale } = context
  const words = REPORT_WORDS[locale]
  const progress = new Progress(context, name, 'stream')
  const total = bytesToRead(files, stdin)
  let bytes = 0
  let lines = 0
  let wrong = 0
  const done = (bytesRead: number) => ({ text: words.linesRead(lines, formatNumber(lines, locale)), count: lines, part: total === null ? null : bytesRead / total })
  for await (const batch of readLines(files, stdin)) {
    let written = ''
    for (let index = 0; index < batch.lines.length; index++) {
      const line = batch.lines[index]
      if (line !== null && line.trim() === '') continue
      lines++
      try {
        written += `${answer(parse(line), line ?? '')}\n`
      } catch (fault) {
        if (!(fault instanceof LineError)) throw fault
        wrong++
        written += `${errorAnswer(fault, batch.first + index, locale)}\n`
      }
      if (written.length < WRITE_SIZE) continue
      await stdout.write(written)
      written = ''
      if (progress.isDue()) await progress.update(done(bytes + (batch.bytes * (index + 1)) / batch.lines.length))
    }
    bytes += batch.bytes
    await stdout.write(written)
  }
  await progress.clear()
  return { lines, wrong }
}

function parse(line: string | null): unknown {
  if (line === null) throw new LineError('line_too_long', { limit: LINE_LIMIT })
  try {
    return JSON.parse(line)
  } catch (fault) {
    throw new LineError('invalid_json', { reason: fault instanceof Error ? fault.message : '' })
  }
}

/** The members of an object. Unknown members are ignored: users keep notes there. @param otherwise creates the error for a value that is not an object */
export function readMembers(value: unknown, otherwise: () => LineError): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw otherwise()
  return value as Record<string, unknown>
}

/** A member that is a text, or absent (also as null). */
export function optionalText(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = members[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new LineError('not_text', { member: name })
  return value
}

/** The members of a line. @throws LineError */
export function readLineMembers(value: unknown): Readonly<Record<string, unknown>> {
  return readMembers(value, () => new LineError('line_not_object', {}))
}
