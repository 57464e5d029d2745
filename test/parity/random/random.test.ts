/** Random contents in every mode of the engine; the command line runs many more (`run.ts`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLayer } from '#engine'
import { checkAgreement, emptyStatistics } from './agree.js'
import { makeContent } from './ruleset.js'
import { describe, runRandom } from './run.js'
import { shrink } from './shrink.js'

const FIRST_SEED = 1
const CONTENTS = 200

test('random contents have the same results in every mode, and cover enough', () => {
  const statistics = emptyStatistics()
  const said: string[] = []
  assert.equal(
    runRandom(FIRST_SEED, CONTENTS, (line) => said.push(line), { statistics }),
    0,
    said.join('\n'),
  )
  const { rulesets, loaded, events, decoded, withFields, answered, composites, alerts, crashes, codes } = statistics
  assert.ok(loaded > rulesets / 2 && loaded < rulesets, `${loaded} of ${rulesets} load`)
  for (const count of [decoded, withFields, answered, alerts]) assert.ok(count > events / 20, `${count} of ${events}`)
  assert.ok(composites > 0 && crashes > 0)
  assert.ok(codes.size > 80, `${codes.size} kinds of diagnostics`)
})

test('a seed always creates the same content', () => {
  assert.deepEqual(makeContent(7), makeContent(7))
  assert.notDeepEqual(makeContent(7), makeContent(8))
})

test('failing content is shrunk as far as it still fails', () => {
  const fails = (content: ReturnType<typeof makeContent>): boolean => /<options>/.test(describe(content)) && content.sessions.some(({ events }) => events.length > 1)
  const content = Array.from({ length: 50 }, (_, seed) => makeContent(seed)).find(fails)
  assert.ok(content !== undefined)
  const least = shrink(content, fails)
  assert.deepEqual(
    least.sessions.map(({ events }) => events.length),
    [2],
  )
  assert.deepEqual(
    least.files.flatMap(({ blocks }) => blocks.flatMap(({ items }) => items.map(({ lines }) => lines.length))),
    [1],
  )
})

test('a disagreement is reported with its seed and the smallest content that has it', () => {
  const said: string[] = []
  const losesRules: typeof compileLayer = (base, files) =>
    compileLayer(
      base,
      files.filter(({ content }) => !content.includes('<if_sid>')),
    )
  const check: typeof checkAgreement = (content, statistics) => checkAgreement(content, statistics, losesRules)
  assert.equal(
    runRandom(FIRST_SEED, CONTENTS, (line) => said.push(line), { check }),
    1,
  )
  const [first, , least] = said
  assert.match(first, /^seed \d+: Error: layered:/)
  assert.deepEqual([least.match(/<rule /g)?.length, least.match(/<if_sid>/g)?.length], [1, 1])
})
