import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RuleLevel } from '../../../server/playground/page/pictures/way-model.js'
import { answer, EVENTS, inspection, inspectionAfter, misses, RULES_BY_ID } from './picture-fixtures.js'
import { loadPictures, textOf } from './static-pictures.js'

const pictures = await loadPictures()
const { capturesOf, characterNumber, excerptAround, jsonSpans, wayOf } = pictures

/** The rules that matched, as a tree: `*` the answer, `-` given back. */
function branch(levels: readonly RuleLevel[]): string {
  return levels
    .map(({ rejected, taken }) =>
      taken === null
        ? `(${rejected.length})`
        : `(${rejected.length}) ${taken.step.name}${taken.isFinal ? '*' : taken.isLeft ? '-' : ''}${taken.below.length === 0 ? '' : ` > ${branch(taken.below)}`}`,
    )
    .join(' | ')
}

test('the way has the branch that was taken, and what was tried beside it', () => {
  const { decoders, rules, header } = wayOf(answer(EVENTS.sshd), RULES_BY_ID)
  assert.equal(header.form, 'syslog')
  assert.deepEqual([decoders.root?.name, decoders.child?.name], ['sshd', 'sshd-invalid-user'])
  assert.deepEqual(
    decoders.rejectedChildren.map(({ name }) => name),
    ['sshd-accepted', 'sshd-failed-invalid', 'sshd-failed'],
  )
  assert.deepEqual(
    decoders.extractions.flatMap(({ captures }) => captures.map(({ name }) => name)),
    ['srcuser', 'srcip', 'srcport'],
  )
  assert.match(branch(rules), /^\(0\) 1 > \(4\) 5700 > \(\d+\) 5710\* > \(\d+\)$/)
})

test('a container that gave the event back is a branch of its own', () => {
  const opened = answer(EVENTS.opened)
  assert.match(branch(wayOf(opened, RULES_BY_ID).rules), /^\(0\) 1- > \(\d+\) 120001- > \(2\) \| \(\d+\)$/)
  // Without the rules the siblings after a container cannot be told from its children.
  assert.match(branch(wayOf(opened).rules), /^\(0\) 1- > \(\d+\) 120001- > \(\d+\)$/)
})

test('an answer without a trace, or without a decoder, has a way', () => {
  assert.equal(wayOf({ ...answer(EVENTS.sshd), trace: [] }).rules.length, 0)
  assert.match(textOf(pictures.way(answer(EVENTS.nothing), RULES_BY_ID, 'en-US')), /No decoder matches this log\.[\s\S]*No alert/)
})

test('the drawn way names each stage, in both languages', () => {
  const refused = answer(EVENTS.refused)
  const english = textOf(pictures.way(refused, RULES_BY_ID, 'en-US'))
  assert.match(english, /program\s+harborlock[\s\S]*harborlock-refused[\s\S]*gate\s+north[\s\S]*120002level 5[\s\S]*harborlock: mira was refused at gate north[\s\S]*An alert/)
  assert.match(english, /120004level 12field gate \^vault\$/)
  assert.match(textOf(pictures.way(refused, RULES_BY_ID, 'pt-BR')), /programa\s+harborlock[\s\S]*nível 5[\s\S]*Um alerta/)
})

test('captures are where the expressions found them, not where their value first occurs', () => {
  const { fields, segments } = capturesOf(answer(EVENTS.refusedMany))
  const event = EVENTS.refusedMany
  const places = Object.fromEntries(fields.map(({ name, span }) => [name, span?.from]))
  assert.deepEqual(places, {
    timestamp: 0,
    hostname: event.indexOf('pier1'),
    program_name: event.indexOf('harborlock'),
    id: event.indexOf(' 11 ') + 1,
    gate: event.indexOf('gate e') + 5,
    dstuser: event.indexOf('for e') + 4,
    srcip: event.indexOf('192.0.2.44'),
  })
  assert.equal(segments.map(({ text }) => text).join(''), event)
})

test('captures after characters of several units are where a reader sees them', () => {
  const { fields } = capturesOf(answer(EVENTS.emoji))
  const cut = ({ span }: (typeof fields)[number]): string => EVENTS.emoji.slice(span?.from, span?.to)
  assert.deepEqual(Object.fromEntries(fields.filter(({ source }) => source === 'decoder').map((field) => [field.name, cut(field)])), {
    id: '4711',
    gate: 'nörd🚪',
    dstuser: 'mira',
    srcip: '192.0.2.44',
  })
})

test('members of a JSON event are linked to their values', () => {
  const { fields } = capturesOf(answer(EVENTS.json))
  const found = Object.fromEntries(fields.map(({ name, span }) => [name, span === null ? null : EVENTS.json.slice(span.from, span.to)]))
  assert.deepEqual([found['alert.signature'], found['alert.severity'], found['flow.bytes']], ['Tüv 🚪 opened', '2', '[10,20]'])
  assert.deepEqual(
    [...jsonSpans('{"a":{"b":"x\\"y"},"c":[{"d":1}],"e":tru')],
    [
      ['a.b', { from: 11, to: 15 }],
      ['c', { from: 22, to: 31 }],
      ['e', { from: 36, to: 39 }],
    ],
  )
  assert.equal(jsonSpans('{'.repeat(500)).size, 0)
})

test('the drawn captures number the parts of the event like the fields', () => {
  const text = textOf(pictures.captures(answer(EVENTS.refused), 'en-US'))
  assert.match(text, /badge 47114 refused at gate north5 for mira6 from 192\.0\.2\.447/)
  assert.match(text, /5gatenorthharborlock-refused/)
})

test('a rule that fails shows the character where its pattern stopped', () => {
  const text = textOf(pictures.whyNot(inspection(EVENTS.sshdTypo, { kind: 'rule', id: '5710' }), null, 'en-US'))
  assert.match(text, /Rule 5710 does not match\./)
  assert.match(text, /Stopped at character 11: expected er␣, found r\./)
  assert.match(textOf(pictures.whyNot(inspection(EVENTS.sshdTypo, { kind: 'rule', id: '5710' }), null, 'pt-BR')), /Parou no caractere 11: esperado er␣, encontrado r\./)
})

test('a decoder that fails shows the character where its pattern stopped', () => {
  const found = inspection(EVENTS.sshdTypo, { kind: 'decoder', name: 'sshd-invalid-user' })
  assert.deepEqual(
    found.path.map(({ name, state }) => [name, state]),
    [
      ['sshd', 'met'],
      ['sshd-invalid-user', 'failed'],
      ['sshd-invalid-user', 'skipped'],
    ],
  )
  assert.match(textOf(pictures.whyNot(found, null, 'en-US')), /Decoder sshd-invalid-user does not match\.[\s\S]*character 11: expected er␣, found r\./)
})

test('each kind of condition says what it found', () => {
  const why = (event: string, id: string): string => textOf(pictures.whyNot(inspection(event, { kind: 'rule', id }), null, 'en-US'))
  assert.match(why(EVENTS.refused, '120004'), /field gate\^vault\$fails[\s\S]*No part of the pattern[\s\S]*srcip198\.51\.100\.0\/24not reached, would fail/)
  assert.match(why(EVENTS.refused, '120005'), /not user\^mira\$fails[\s\S]*the condition is negated/)
  assert.match(
    why(EVENTS.sshd, '120002'),
    /Rule 120002 is not reached\. The event does not get there: it already fails at 120001\.[\s\S]*decoded_asharborlockfails[\s\S]*It is sshd\./,
  )
  assert.match(why(EVENTS.sshd, '99998'), /not loaded/)
  const counting = inspectionAfter([[0, EVENTS.refused]], 20, EVENTS.refused, { kind: 'rule', id: '120003' })
  assert.match(textOf(pictures.whyNot(counting, null, 'en-US')), /if_matched_sid120002fails[\s\S]*1 of 3 earlier events in 2 min/)
})

test('near misses are ranked by how much of them holds', () => {
  const [first] = misses(EVENTS.sshdTypo)
  assert.deepEqual([first.kind, first.name, first.matched_part], ['rule', '5710', 'Invalid us'])
  const text = textOf(pictures.whyNot(null, misses(EVENTS.sshdTypo), 'en-US'))
  assert.match(text, /5710level 5its one condition fails, matches up to “Invalid us”[\s\S]*sshd-invalid-usermatches up to “Invalid us”/)
})

test('an excerpt never cuts a character', () => {
  const text = `${'🚪'.repeat(60)}x${'🚪'.repeat(60)}`
  const { before, at, after, isCutBefore, isCutAfter } = excerptAround(text, 120, 11, 11)
  assert.deepEqual([before, at, after, isCutBefore, isCutAfter], ['🚪'.repeat(5), 'x', '🚪'.repeat(6), true, true])
  assert.equal(excerptAround('ab', 2).at, '')
  assert.equal(characterNumber(text, 120), 61)
})
