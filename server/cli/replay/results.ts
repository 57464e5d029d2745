/** Writes what a replay found: the alerts in the form that the call wants, the summary and the page. */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Locale } from '#engine'
import { replayPage } from '../report/replay-page.js'
import { AlertFile } from './alert-file.js'
import { linesOf, type Samples } from './alert-sink.js'
import { replaceFile } from './checkpoint.js'
import type { ReplayOptions } from './options.js'
import type { Summary } from './summary.js'

export const ALERTS = { ndjson: 'alerts.ndjson', parquet: 'alerts.parquet' } as const
/** All alerts, or those that were of the sample at some time, from which the file of alerts is made at the end. */
const COLLECTED = 'alerts.part'
const SUMMARY = 'summary.json'
const REPORT = 'report.html'

type Wanted = Pick<ReplayOptions, 'folder' | 'format' | 'sample' | 'select'>

/** Names of the files of alerts that a replay can have left. */
export const ALERT_FILES: readonly string[] = [...Object.values(ALERTS), COLLECTED]

/** The file to which alerts are written during the run. */
export function runningFile({ folder, format, sample }: Wanted): string {
  return join(folder, format === 'ndjson' && sample === null ? ALERTS.ndjson : COLLECTED)
}

/** Makes the file of alerts. @param size bytes of the one that was written during the run, which stays */
export async function finishAlerts(wanted: Wanted, size: number, samples: Samples): Promise<void> {
  const { folder, format, sample } = wanted
  const running = runningFile(wanted)
  const path = join(folder, ALERTS[format])
  if (running === path) return
  const lines = linesOf(running, size, sample === null ? null : samples)
  const temporary = `${path}.new`
  if (format === 'parquet') {
    // The library is loaded where a call needs it.
    const { writeParquet } = await import('./parquet.js')
    await writeParquet(temporary, wanted.select, lines)
  } else {
    const file = new AlertFile(temporary, 0)
    try {
      for await (const line of lines) file.add(line, 0, line.length)
      file.sync()
    } finally {
      file.close()
    }
  }
  renameSync(temporary, path)
}

/** Removes the running file of a replay that has ended. */
export function dropRunningFile(wanted: Wanted): void {
  const running = runningFile(wanted)
  if (running !== join(wanted.folder, ALERTS[wanted.format])) rmSync(running, { force: true })
}

export function writeSummary(folder: string, summary: Summary, locale: Locale): void {
  replaceFile(join(folder, SUMMARY), `${JSON.stringify(summary, null, 2)}\n`)
  replaceFile(join(folder, REPORT), replayPage(summary, locale))
}
