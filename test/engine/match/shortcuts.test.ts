/**
 * With a recorder every decoder and rule is tried in turn, as in the reference engine; without one, most are skipped by index, prefilter and first byte. Both
 * must return the same result.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileRuleset, EventRunner, readLocation } from '../../../engine/index.js'
import { TraceRecorder } from '../../../engine/trace/trace-recorder.js'

const WORDS = ['alpha', 'bravo one', 'charlie=', 'delta: x', 'echo', 'f', '12', 'golf-golf', '\\d+ hotel']
const word = fc.constantFrom(...WORDS)
const MOMENT = { seconds: 0, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }
const ROOTS = ['app', 'prog', 'free', 'groups']

/** `^`, escapes and everything else that decides first bytes, prefilters and leading literals. */
const osregex = fc
  .record({ anchored: fc.boolean(), words: fc.array(word, { minLength: 1, maxLength: 2 }), either: fc.boolean(), group: fc.boolean() })
  .map(({ anchored, words, either, group }) => {
    const texts = words.map((text) => `${anchored ? '^' : ''}${text}`)
    return `${texts.join(either ? '|' : '')}${group && !either ? '(\\S*)' : ''}`
  })

const child = fc.record({
  name: fc.constantFrom('c1', 'c2', 'c3'),
  parent: fc.constantFrom(...ROOTS),
  prematch: fc.option(osregex),
  after: fc.boolean(),
  regex: osregex,
  field: fc.constantFrom('srcip', 'extra', 'own'),
})

function decoderXml({ name, parent, prematch, after, regex, field }: typeof child extends fc.Arbitrary<infer T> ? T : never, seen: Set<string>): string {
  // Only the first of a family may have a prematch.
  const first = !seen.has(`${parent} ${name}`)
  seen.add(`${parent} ${name}`)
  const entry = prematch === null || !first ? '' : `<prematch${after ? ' offset="after_parent"' : ''}>${prematch}</prematch>`
  return `<decoder name="${name}"><parent>${parent}</parent>${entry}<regex>${regex.includes('(') ? regex : `(${regex.split('|')[0].replace('^', '')})`}</regex><order>${field}</order></decoder>`
}

const rule = fc.record({
  match: fc.option(fc.array(word, { minLength: 1, maxLength: 3 })),
  regex: fc.option(osregex),
  field: fc.option(fc.constantFrom('extra', 'own')),
  decoder: fc.option(fc.constantFrom(...ROOTS)),
  level: fc.nat(5),
  below: fc.boolean(),
})

test('the result is the same with and without a recorder, the first time and the second', () => {
  fc.assert(
    fc.property(
      fc.array(child, { minLength: 4, maxLength: 14 }),
      fc.array(rule, { minLength: 5, maxLength: 20 }),
      fc.array(fc.record({ program: fc.constantFrom('', 'h app[1]: ', 'h other: '), words: fc.array(word, { maxLength: 6 }), gap: fc.constantFrom(' ', '', ' '.repeat(200)) }), {
        minLength: 3,
        maxLength: 8,
      }),
      (children, rules, logs) => {
        const seen = new Set<string>()
        const decoders = `<decoder name="app"><program_name>^app</program_name></decoder><decoder name="prog"><program_name>^other</program_name><prematch>a</prematch></decoder>
<decoder name="free"><prematch>^alpha|bravo</prematch></decoder><decoder name="groups"><prematch type="pcre2">^(12|f)</prematch></decoder>${children.map((one) => decoderXml(one, seen)).join('')}`
        const written = rules.map(({ match, regex, field, decoder, level, below }, index) => {
          const inside = [
            below && index > 0 ? `<if_sid>${99 + index}</if_sid>` : '',
            decoder === null ? '' : `<decoded_as>${decoder}</decoded_as>`,
            match === null ? '' : `<match>${match.join('|').replaceAll('\\d+', '')}</match>`,
            regex === null ? '' : `<regex>${regex.replace(/[()]/g, '')}</regex>`,
            field === null ? '' : `<field name="${field}">\\.</field>`,
          ].join('')
          return `<rule id="${100 + index}" level="${level}">${inside}<description>d</description></rule>`
        })
        const ruleset = compileRuleset([
          { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: decoders },
          {
            filename: 'r.xml',
            kind: 'rules',
            scope: 'adhoc',
            content: `<group name="g"><rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule>${written.join('')}</group>`,
          },
        ])
        if (!ruleset.loads) return
        const runner = new EventRunner(ruleset)
        const origin = readLocation('x')
        assert.ok(origin !== null)
        const answer = (text: string, recorder: TraceRecorder | null): unknown => {
          const { event, rule: final, path } = runner.run(text, origin, MOMENT, null, recorder)
          return [event.decoder?.name, event.type, event.statics, event.names, event.values, final?.id, path.map(({ id }) => id)]
        }
        for (const { program, words, gap } of logs) {
          const text = `${program === '' ? '' : `Nov 17 08:15:30 ${program}`}${words.join(gap)}`.replaceAll('\\d+', '7')
          const expected = answer(text, new TraceRecorder())
          assert.deepEqual(answer(text, null), expected, text)
          assert.deepEqual(answer(text, null), expected, text)
        }
      },
    ),
    { numRuns: 1000 },
  )
})
