/** The table of limits in README is the one that is enforced. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { type Limit, limitTable } from '../../../../server/core/limits/table.js'

const README = readFileSync(new URL('../../../../../server/README.md', import.meta.url), 'utf8')
const MB = 1024 * 1024

/** With two threads and the default size of bodies, as README says. */
function rows(): string[] {
  return Object.entries<Limit>(limitTable({ workers: 2, maxRequestBytes: 8 * MB })).map(([resource, limit]) => {
    const { help, unit, organization, user, address, instance, waiting } = limit
    const of = (most: number | undefined): string => (most === undefined ? '' : unit === 'bytes' ? `${most / MB} MB` : most.toLocaleString('en-US'))
    return `| \`${resource}\` | ${help} | ${[organization, user, address, instance].map(of).join(' | ')} | ${waiting === undefined ? 'refused' : 'waits'} |`
  })
}

test('README shows the table of limits as it is enforced', () => {
  for (const row of rows()) assert.ok(README.includes(`${row}\n`), `README lacks the row\n${rows().join('\n')}`)
  const shown = README.slice(README.indexOf('## Limits\n')).split('\n\n## ')[0].match(/^\| `/gm)
  assert.equal(shown?.length, rows().length)
})
