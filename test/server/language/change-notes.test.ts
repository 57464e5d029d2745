/** What lenses and hovers say about a comparison with the last commit. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { ComparedItem } from '../../../server/language/content/content-folder.js'
import { ContentDocument } from '../../../server/language/content/document.js'
import { DetectionChanges } from '../../../server/language/features/detection-changes.js'

const TEXT = `<group name="own,">\n${[1, 2, 3, 4].map((id) => `<rule id="${id}" level="5"><description>x</description></rule>`).join('\n')}\n</group>\n`
const DOCUMENT = new ContentDocument('file:///own.xml', { kind: 'rules', scope: 'custom', filename: 'own.xml', content: TEXT })

const record = (id: string, fields: Partial<ComparedItem>): ComparedItem => ({
  item: { rule_id: id },
  result: 'equal',
  proven: false,
  witness: null,
  old: null,
  new: null,
  alert: null,
  lost_fields: [],
  more: [],
  reason: null,
  how: 'changed',
  changes: [],
  cause: [{ rule_id: id, link: 'changed' }],
  effect: null,
  ...fields,
})
const answer = (rule_id: string) => ({ rule_id, level: 5, decoder: null, fields: {} })
const differs = (event: string): Partial<ComparedItem> => ({ result: 'differs', proven: true, witness: { events: [{ event, log_format: 'syslog' }] } })
const lost = (event: string): Partial<ComparedItem> => ({ ...differs(event), effect: 'lost', old: answer('1'), alert: { old: true, new: false } })
const gained = (event: string, id: string): Partial<ComparedItem> => ({ ...differs(event), effect: 'gained', new: answer(id), alert: { old: false, new: true } })

const changes = new DetectionChanges([
  record('1', lost('left')),
  record('8', {
    ...lost('left again'),
    how: 'touched',
    cause: [
      { rule_id: '1', link: 'changed' },
      { rule_id: '8', link: 'below' },
    ],
  }),
  record('9', {
    ...gained('came', '9'),
    how: 'touched',
    cause: [
      { rule_id: '1', link: 'changed' },
      { rule_id: '9', link: 'below' },
    ],
  }),
  record('2', { proven: true }),
  record('3', {}),
  record('4', { result: 'unknown' }),
])

test('a lens counts rules, each once, with those that are touched through the change', () => {
  assert.deepEqual(
    changes.lenses(DOCUMENT, 'en-US').map(({ range, command }) => [range.start.line, command?.title]),
    [
      [1, 'changes detection: 1 gained, 1 lost'],
      [2, 'does not change detection (proven)'],
      [3, 'no change of detection found'],
      [4, 'effect on detection unknown'],
    ],
  )
  assert.equal(changes.lenses(DOCUMENT, 'pt-BR')[0].command?.title, 'muda a detecção: 1 ganho, 1 perdido')
})

test('a hover has the events, and no text of an event ends its block', () => {
  const text = changes.describe('1', 'en-US') ?? ''
  assert.match(text, /^\*\*Since the last commit\*\*: changes detection: 1 gained, 1 lost\n\n\*alert lost\*: rule 1 \(level 5\) → no rule\n\n```text\nleft\n```\n/)
  const hostile = new DetectionChanges([record('1', lost('a ```` b\n# c'))]).describe('1', 'en-US') ?? ''
  assert.ok(hostile.endsWith('`````text\na ```` b\n# c\n`````'))
  assert.equal(changes.describe('8', 'en-US'), null)
})
