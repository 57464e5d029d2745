/**
 * A record for each file of the shipped reference ruleset, which holds one family of rules or decoders: what it is for, its groups, and what its rules
 * report. The folder is that of the package, not that of the settings: a ruleset of the operator is not described here.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REFERENCE_RULESET_DIR } from '#workers'
import { fillEntities } from '../entities.js'
import type { KnowledgeRecord } from '../knowledge.js'
import { lines, listed, recordsOf } from '../record.js'
import type { Source } from './source.js'

/** The comment at the beginning of a file says what the family is. */
const FIRST_COMMENT = /^\s*<!--([\s\S]*?)-->/
const RULE = /<rule id="(\d+)"[^>]*>[\s\S]*?<description>([\s\S]*?)<\/description>/g
const GROUP = /<group name="([^"]*)"/g
const DECODER = /<decoder name="([^"]*)"/g
const FAMILY = /^(.*)\.xml$/

export const reference: Source = async function* () {
  for (const [folder, recordsOfFile] of [
    ['rules', ruleRecords],
    ['decoders', decoderRecords],
  ] as const) {
    for (const filename of (await readdir(join(REFERENCE_RULESET_DIR, folder))).sort()) {
      const family = FAMILY.exec(filename)?.[1]
      if (family !== undefined) yield* recordsOfFile(family, await readFile(join(REFERENCE_RULESET_DIR, folder, filename), 'utf8'))
    }
  }
}

function ruleRecords(family: string, content: string): KnowledgeRecord[] {
  const groups = uniqueOf(content, GROUP).flatMap((names) => names.split(',').filter((name) => name !== ''))
  const rules = [...content.matchAll(RULE)].map(([, id, description]) => `${id}: ${fillEntities(description)}`)
  return recordsOf(
    { uid: `reference:rules.${family}`, kind: 'reference', title: `Rules of the reference ruleset: ${family}.xml`, locale: null, contextTypes: ['rule'] },
    lines(aboutOf(content), listed('Groups', [...new Set(groups)], ', '), `Rules (${rules.length}):`, rules),
  )
}

function decoderRecords(family: string, content: string): KnowledgeRecord[] {
  return recordsOf(
    {
      uid: `reference:decoders.${family}`,
      kind: 'reference',
      title: `Decoders of the reference ruleset: ${family}.xml`,
      locale: null,
      contextTypes: ['decoder'],
    },
    lines(aboutOf(content), listed('Decoders', uniqueOf(content, DECODER), ', ')),
  )
}

function aboutOf(content: string): string {
  return (FIRST_COMMENT.exec(content)?.[1] ?? '').replace(/\s+/g, ' ').trim()
}

function uniqueOf(content: string, pattern: RegExp): string[] {
  return [...new Set([...content.matchAll(pattern)].map(([, found]) => found))]
}
