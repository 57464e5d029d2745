/**
 * The option `--output FORMAT=FILE`: machine-readable reports of the same run, beside what `--format` prints, so that a pipeline compiles the content once for
 * all of its reports.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Arguments } from './arguments.js'
import { UsageError } from './usage-error.js'

/** The option, for the tables of the commands. */
export const OUTPUT_OPTION = { type: 'string', value: 'output', multiple: true } as const

export interface OutputFile<Format extends string> {
  readonly format: Format
  readonly path: string
}

/** The files of a call. Call it before the work begins. @throws UsageError when a value is not FORMAT=FILE */
export function readOutputFiles<Format extends string>(args: Arguments, formats: readonly Format[]): OutputFile<Format>[] {
  return args.texts('output').map((value) => {
    const [written] = value.split('=', 1)
    const format = formats.find((candidate) => candidate === written)
    if (format === undefined) throw new UsageError('value_not_choice', { option: 'output', value: written, choices: formats.join(', ') })
    const path = value.slice(format.length + 1)
    if (path === '') throw new UsageError('output_without_file', { format })
    return { format, path }
  })
}

/** Writes a report. Folders that do not exist are created. */
export function writeOutputFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
