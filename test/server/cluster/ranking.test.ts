/** Which process has a session: evenly spread, and moved only by the processes that come and go. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { Ranking, sessionWord } from '../../../server/cluster/ranking.js'

const WORDS = Array.from({ length: 20_000 }, (_, index) => sessionWord({ organization: 'a', caller: 'b', id: String(index) }))
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `10.0.0.${index}:8081`)

test('sessions are spread evenly', () => {
  for (const count of [2, 3, 16, 100]) {
    const found = new Map<string, number>()
    const ranking = new Ranking(names(count))
    for (const word of WORDS) found.set(ranking.firstOf(word)!, (found.get(ranking.firstOf(word)!) ?? 0) + 1)
    const expected = WORDS.length / count
    assert.equal(found.size, count)
    // Five standard deviations.
    for (const [name, sessions] of found) assert.ok(Math.abs(sessions - expected) < 5 * Math.sqrt(expected), `${name} of ${count} has ${sessions}`)
  }
})

test('every process computes the same, in whatever order it has met the others', () => {
  const one = new Ranking(names(5))
  const other = new Ranking([...names(5), names(1)[0]].reverse())
  assert.deepEqual(one.names, other.names)
  for (const word of WORDS.slice(0, 100)) assert.equal(one.firstOf(word), other.firstOf(word))
})

test('a process that joins gets sessions of others, and moves no other one; it had been passed over before', () => {
  const before = new Ranking(names(4))
  const after = before.with('10.0.0.9:8081')
  let moved = 0
  for (const word of WORDS) {
    const [from, to] = [before.firstOf(word), after.firstOf(word)]
    if (from !== to) {
      assert.equal(to, '10.0.0.9:8081')
      moved++
    }
    assert.equal(after.firstOf(word, new Set(['10.0.0.9:8081'])), from)
    assert.equal(after.without('10.0.0.9:8081').firstOf(word), from)
  }
  assert.ok(Math.abs(moved - WORDS.length / 5) < 5 * Math.sqrt(WORDS.length / 5), String(moved))
})

test('without processes there is no home', () => {
  assert.equal(new Ranking([]).firstOf(1), null)
  assert.equal(new Ranking(['a']).firstOf(1, new Set(['a'])), null)
})

test('a session is that of its organization and its caller', () => {
  const words = [
    ['a', 'b', 'c'],
    ['a', 'c', 'b'],
    ['a', 'b', 'd'],
    ['ab', '', 'c'],
  ].map(([organization, caller, id]) => sessionWord({ organization, caller, id }))
  assert.equal(new Set(words).size, words.length)
})
