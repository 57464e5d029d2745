/** A folder that `detection-content validate` and `detection-content test` take, as a zip. */
import { EVENTS_FILE } from './import.js'
import type { Work } from './state.js'
import { writeCases } from './written-work.js'
import { writeZip, type ZipFile } from './zip.js'

export async function exportZip({ files, events, cases }: Work): Promise<Uint8Array<ArrayBuffer>> {
  const encode = (path: string, text: string): ZipFile => ({ path, bytes: new TextEncoder().encode(text) })
  return writeZip([
    ...files.map(({ kind, filename, content }) => encode(`content/${kind}/${nameInFolder(kind, filename)}`, content)),
    ...writeCases(cases).map(({ name, text }) => encode(`tests/${name}`, text)),
    // `logtest` reads one event a line.
    ...(events.length === 0 ? [] : [encode(EVENTS_FILE, `${events.map(({ text }) => text.replace(/\s*\n\s*/g, ' ')).join('\n')}\n`)]),
  ])
}

/** Names cannot lead out of the folder. */
function nameInFolder(kind: string, filename: string): string {
  const steps = filename.split(/[\\/]/).filter((step) => step !== '' && step !== '.' && step !== '..')
  return (kind === 'lists' && steps[0] === 'etc' && steps[1] === 'lists' ? steps.slice(2) : steps.slice(-1)).join('/')
}
