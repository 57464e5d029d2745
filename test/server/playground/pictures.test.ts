import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RuleLevel } from '../../../server/playground/page/pictures/way-model.js'
import { attackMatrix } from '../../../engine/index.js'
import { answer, EVENTS, GRAPH, inspection, inspectionAfter, misses, RULES_BY_ID, sequence } from './picture-fixtures.js'
import { loadPictures, textOf } from './static-pictures.js'

const pictures = await loadPictures()
const { capturesOf, characterNumber, excerptAround, jsonSpans, RuleIndex, ruleAt, rulesetMapOf, squareOf, surroundingsOf, timeLineOf, treesOf, wayOf } = pictures

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
  assert.match(textOf(pictures.way(answer(EVENTS.nothing), RULES_BY_ID, 'en-US')), /No decoder matches this log\.[\s\S]*none matched/)
})

test('the drawn way names each stage, in both languages', () => {
  const refused = answer(EVENTS.refused)
  const english = textOf(pictures.way(refused, RULES_BY_ID, 'en-US'))
  assert.match(
    english,
    /Header\s*syslog[\s\S]*harborlock-refused[\s\S]*captured id, gate, dstuser[\s\S]*captured srcip[\s\S]*120002level 5[\s\S]*harborlock: mira was refused at gate north/,
  )
  assert.match(english, /120004level 12field gate \^vault\$/)
  assert.match(textOf(pictures.way(refused, RULES_BY_ID, 'pt-BR')), /capturou srcip[\s\S]*nível 5/)
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

test('the parts of the event have the numbers of their fields', () => {
  const { fields, segments } = capturesOf(answer(EVENTS.refused))
  const numbered = segments.map(({ text, ending }) => text + ending.map(({ number }) => `[${number}]`).join('')).join('')
  assert.match(numbered, /badge 4711\[4\] refused at gate north\[5\] for mira\[6\] from 192\.0\.2\.44\[7\]/)
  assert.match(textOf(pictures.capturedFields(answer(EVENTS.refused), 'en-US')), /5gatenorthharborlock-refused/)
  assert.equal(new Set(fields.map(pictures.classOfField)).size, 5)
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

const REFUSALS = [0, 12, 30, 41, 70].map((at) => [at, EVENTS.refused] as const)

test('a rule that counts waits for the events that it lacks, until its window ends', () => {
  const events = sequence(REFUSALS.slice(0, 3))
  const { correlations } = timeLineOf(events, RULES_BY_ID)
  assert.deepEqual(
    correlations.map(({ rule, fired, counted, missing, from, to }) => ({ rule, fired, counted, missing, from, to })),
    [{ rule: '120003', fired: null, counted: [0, 1, 2], missing: 1, from: 0, to: 120 }],
  )
  assert.match(textOf(pictures.timeLine(events, RULES_BY_ID, 'en-US')), /120003level 10needs 1 morewindow of 2 min, ends at 2:00/)
  assert.match(textOf(pictures.timeLine(events, RULES_BY_ID, 'pt-BR')), /falta 1janela de 2 min, termina em 2:00/)
})

test('a rule that fired shows the events that it counted, and its silence', () => {
  const [, , , fired] = sequence(REFUSALS)
  assert.equal(fired.answer.rule?.id, '120003')
  const { correlations, silences } = timeLineOf(sequence(REFUSALS), RULES_BY_ID)
  assert.deepEqual([correlations[0].fired, correlations[0].counted], [3, [0, 1, 2]])
  assert.deepEqual(silences, [{ rule: '120003', from: 41, to: 101 }])
})

test('what is silenced is marked', () => {
  const { silenced, correlations } = timeLineOf(sequence([0, 1, 2, 3, 4, 5, 6, 7].map((at) => [at, EVENTS.refused] as const)), RULES_BY_ID)
  assert.deepEqual([...silenced], [7])
  assert.deepEqual(
    correlations.map(({ fired }) => fired),
    [3, 7],
  )
})

test('the costs are those of the stages, with what was tried', () => {
  const text = textOf(pictures.costs({ predecode_ms: 0.02, decode_ms: 0.1, rule_ms: 1.26 }, answer(EVENTS.sshd), 'en-US'))
  assert.match(text, /Header\s*0\.02 ms\s*Decoders\s*0\.1 ms 8 decoders\s*Rules\s*1\.3 ms \d+ rules/)
})

test('the graph around a rule has its parents, its children and what counts it', () => {
  const index = new RuleIndex(GRAPH)
  const found = surroundingsOf(index, '120002', 2)
  assert.ok(found !== null)
  assert.deepEqual(
    found.above.children.map(({ rule, kind, children }) => [rule.id, kind, children.map((child) => [child.rule.id, child.kind])]),
    [['120001', 'if_sid', [['1', 'category']]]],
  )
  assert.deepEqual(
    found.below.children.map(({ rule, kind }) => [rule.id, kind]),
    [
      ['120004', 'if_sid'],
      ['120005', 'if_sid'],
      ['120003', 'if_matched_sid'],
    ],
  )
  assert.equal(surroundingsOf(index, '99998', 2), null)
  const html = pictures.ruleGraph(GRAPH, { kind: 'rule', id: '120002' }, 'en-US')
  assert.match(html, /role="button"[^>]*>[\s\S]*?harborlock: many refusals from[\s\S]*?>120003</)
  assert.match(textOf(html), /if_matched_sid/)
})

test('the graph of a file has its rules below those of other files', () => {
  const { trees, more } = treesOf(new RuleIndex(GRAPH), { kind: 'file', filename: 'harborlock-rules.xml' })
  assert.equal(more, 0)
  const written = (node: (typeof trees)[number]): string => `${node.rule.id}${node.children.length === 0 ? '' : `(${node.children.map(written).join(' ')})`}`
  assert.deepEqual(trees.map(written), ['1(120001(120002(120003 120004 120005) 120006))'])
  assert.deepEqual(treesOf(new RuleIndex(GRAPH), { kind: 'group', name: 'harborlock' }).trees.map(written), trees.map(written))
  assert.match(textOf(pictures.ruleGraph(GRAPH, { kind: 'file', filename: 'nothing.xml' }, 'en-US')), /no rules/)
})

test('the map has each rule once, and finds it where it is drawn', () => {
  const map = rulesetMapOf(GRAPH, 390)
  assert.equal(
    map.tiles.reduce((sum, { rules }) => sum + rules.length, 0),
    GRAPH.length,
  )
  for (const tile of map.tiles) {
    for (const index of [0, tile.rules.length - 1]) {
      const { x, y } = squareOf(tile, index)
      assert.ok(x >= tile.x && x + tile.side <= tile.x + tile.width + 1 && y + tile.side <= tile.y + tile.height + 1, `${tile.filename} ${index}`)
      assert.equal(ruleAt(map.tiles, x + 1, y + 1)?.index, index)
    }
  }
  assert.match(textOf(pictures.rulesetMap(GRAPH, 'pt-BR')), /regras em \d+ arquivos/)
})

test('the matrix of ATT&CK counts the techniques with rules', () => {
  assert.match(textOf(pictures.attackMatrixOf(attackMatrix(), GRAPH, null, 'en-US')), /Credential Access\s*\d+ of \d+/)
})
