/** How rankings are joined, and how records are chosen from them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnowledgeKind } from '../../../../../server/features/assistant/knowledge/knowledge.js'
import { type Candidate, chooseRecords, fuseRankings } from '../../../../../server/features/assistant/knowledge/ranking.js'

const candidate = (uid: string, score: number, kind: KnowledgeKind = 'diagnostic'): Candidate => ({
  record: { uid, kind, title: uid, text: uid, locale: null, contextTypes: ['rule'], trust: 'built_in' },
  score,
})
const uids = (found: readonly Candidate[]): string[] => found.map(({ record }) => record.uid)

test('a text of several records is chosen once, by its best part', () => {
  assert.deepEqual(uids(chooseRecords([candidate('a#2', 0.9), candidate('a', 0.8), candidate('b', 0.7), candidate('a#3', 0.6)], 4)), ['a#2', 'b'])
})

test('a record of another kind comes before a slightly better one of the same kind', () => {
  const found = chooseRecords([candidate('a', 1), candidate('b', 0.95), candidate('c', 0.9, 'rule_option')], 2)
  assert.deepEqual(uids(found), ['a', 'c'])
  assert.deepEqual(uids(chooseRecords([candidate('a', 1), candidate('b', 0.95), candidate('c', 0.5, 'rule_option')], 2)), ['a', 'b'])
})

test('no more records are chosen than the limit or the candidates', () => {
  assert.deepEqual(chooseRecords([candidate('a', 1)], 0), [])
  assert.deepEqual(uids(chooseRecords([candidate('a', 1)], 4)), ['a'])
  assert.deepEqual(chooseRecords([], 4), [])
})

test('a record that both rankings have comes before one that a single ranking prefers', () => {
  const fused = fuseRankings([candidate('words', 0.9), candidate('both', 0.8)], [candidate('meaning', 0.7), candidate('both', 0.6)])
  assert.equal(uids(fused)[0], 'both')
  assert.equal(fused[0].score, 0.9)
  for (const [index, { score }] of fused.entries()) assert.ok(index === 0 || score <= fused[index - 1].score)
})

test('a record that one ranking has twice counts once', () => {
  const fused = fuseRankings([candidate('a', 0.9), candidate('b', 0.8), candidate('b', 0.7)], [])
  assert.deepEqual(uids(fused), ['a', 'b'])
})

test('without candidates nothing is fused', () => {
  assert.deepEqual(fuseRankings([], []), [])
  assert.deepEqual(uids(fuseRankings([], [candidate('a', 0.5)])), ['a'])
})
