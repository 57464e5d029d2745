/** Which decision about a content counts, on stored documents. test/api/approvals.test.ts makes the decisions by calls. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { approvalOf } from '../../../../server/content/shared/approval.js'
import { REFUSALS, REVIEWS } from '../../../../server/content/shared/review.js'
import { Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

let opened: TestStorage

before(async () => {
  opened = await openTestStorage([REVIEWS, REFUSALS])
})
after(() => opened?.close())

/** @param approved sequence of the approval @param refused sequence of the refusal; undefined: the document has none */
async function isApproved(approved: number | undefined, refused: number | undefined | 'none'): Promise<boolean> {
  const scope = new Tenancy(opened.storage).of(crypto.randomUUID())
  const review = { _id: crypto.randomUUID(), project_id: 'p', status: 'approved', decided_content_hash: 'h', decision_sequence: approved }
  await scope.collection(REVIEWS).insert(review as never)
  if (refused !== 'none') await scope.collection(REFUSALS).insert({ _id: crypto.randomUUID(), project_id: 'p', content_hash: 'h', decision_sequence: refused } as never)
  return (await approvalOf(scope, 'p', 'h')) !== null
}

test('an approval counts if no refusal of the content is later, or has the same sequence', async () => {
  assert.equal(await isApproved(2, 'none'), true)
  assert.equal(await isApproved(2, 1), true)
  assert.equal(await isApproved(2, 2), false)
  assert.equal(await isApproved(2, 3), false)
})

test('a refusal without a sequence, from an instance of a former version, counts against every approval', async () => {
  assert.equal(await isApproved(2, undefined), false)
})

test('an approval without a sequence counts if the content was not refused since there are sequences', async () => {
  assert.equal(await isApproved(undefined, 'none'), true)
  assert.equal(await isApproved(undefined, 1), false)
})
