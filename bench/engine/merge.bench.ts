/** Measures merges of a whole ruleset: without a change, with one changed rule, and with every rule changed. */
import { composeFiles, mergeFiles, type MergeRequest, type RepositoryFile } from '#engine'
import { haveRecordings, referenceData, stockData } from './data.js'
import { median } from '../median.js'
import { report } from '../report.js'

const ROUNDS = 8

export function benchMerge(): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const files = data.files.map(({ kind, filename, content }): RepositoryFile => ({ kind, path: `${kind}/${filename}`, content }))
  const composed = composeFiles(files, null)
  const time = (edit: (text: string) => string, parts: Partial<MergeRequest> = {}): number => {
    const request: MergeRequest = {
      base: files,
      ours: { rules_xml: edit(composed.rules_xml), decoders_xml: composed.decoders_xml, lists: [] },
      theirs: files,
      newItems: { rules: 'rules/local_rules.xml', decoders: 'decoders/local_decoder.xml', listsFolder: null },
      lists: null,
      resolutions: [],
      ...parts,
    }
    const rounds = Array.from({ length: ROUNDS }, () => {
      const started = performance.now()
      mergeFiles(request)
      return performance.now() - started
    })
    return median(rounds)
  }
  const megabytes = (composed.rules_xml.length + composed.decoders_xml.length) / 1024 / 1024
  report('merge', {
    title: `Merges of the ruleset ${data.name} (${files.length} files, ${megabytes.toFixed(1)} MB), milliseconds`,
    columns: ['ours', 'ms'],
    rows: [
      ['unchanged', time((text) => text)],
      ['one rule changed', time((text) => text.replace('level="3"', 'level="4"'))],
      ['every level changed', time((text) => text.replaceAll(/level="(\d)"/g, 'level="1$1"'))],
      ['without comments and indentation', time((text) => text.replaceAll(/<!--.*?-->/gs, '').replaceAll(/\n\s+/g, '\n'))],
      ['one rule not closed', time((text) => text.replace('</rule>', ''))],
      ['without a base', time((text) => text, { base: [] })],
    ],
  })
}
