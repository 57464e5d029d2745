/**
 * JSON lines in, JSON lines out: each line is answered in its place. One that can't be read is answered with an error object, and the others
 * go on.
 */
import type { Readable } from 'node:stream'
import type { CommandContext } from '../command.js'
import { Progress } from '../terminal/progress.js'
import { formatNumber } from '../terminal/numbers.js'
import { LINE_LIMIT, readLines } from './lines.js'

/** A line that can't be answered; its message goes into the answer. */
export class LineError extends Error {
  override readonly name = 'LineError'

  constructor(
    readonly code: 'invalid_json' | 'invalid_line' | 'line_too_long',
    message: string,
  ) {
    super(message)
  }
}

/** Characters that are collected before they are written. */
const WRITE_SIZE = 64 * 1024

/** The members that every answer to a wrong line has. */
function errorAnswer({ code, message }: LineError, line: number): string {
  return JSON.stringify({ ok: false, error: { code, message, line } })
}

/** @param answer gives the JSON text for the value of a line. @returns lines answered, and how many of them with an error */
export async function answerJsonLines(
  context: CommandContext,
  files: readonly string[],
  stdin: Readable,
  answer: (value: unknown) => string,
): Promise<{ lines: number; wrong: number }> {
  const { stdout, stderr, isTTY, locale } = context
  const progress = new Progress(stderr, isTTY.stderr && !isTTY.stdout)
  const started = performance.now()
  let lines = 0
  let wrong = 0
  for await (const batch of readLines(files, stdin)) {
    let written = ''
    for (let index = 0; index < batch.lines.length; index++) {
      const line = batch.lines[index]
      if (line !== null && line.trim() === '') continue
      lines++
      try {
        written += `${answer(parse(line))}\n`
      } catch (fault) {
        if (!(fault instanceof LineError)) throw fault
        wrong++
        written += `${errorAnswer(fault, batch.first + index)}\n`
      }
      if (written.length < WRITE_SIZE) continue
      await stdout.write(written)
      written = ''
      await progress.update(() => `${formatNumber(lines, locale)} lines, ${formatNumber(lines / ((performance.now() - started) / 1000), locale)}/s`)
    }
    await stdout.write(written)
  }
  await progress.end()
  return { lines, wrong }
}

function parse(line: string | null): unknown {
  if (line === null) throw new LineError('line_too_long', `the line is longer than ${LINE_LIMIT} bytes`)
  try {
    return JSON.parse(line)
  } catch (fault) {
    throw new LineError('invalid_json', fault instanceof Error ? fault.message : 'not JSON')
  }
}

/** The members of an object, or an error that says what the line should be. Members that nobody asks for are left alone: people keep notes there. */
export function readMembers(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new LineError('invalid_line', `${what} is not an object`)
  return value as Record<string, unknown>
}

/** A member that is a text, or absent (also as null). */
export function optionalText(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = members[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new LineError('invalid_line', `"${name}" is not a text`)
  return value
}
