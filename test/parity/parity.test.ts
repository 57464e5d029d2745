import assert from 'node:assert/strict'
import test from 'node:test'
import { haveConformance, rulesetOf } from './conformance.js'
import { SUITES } from './suites.js'

const skip = haveConformance() ? false : 'the recordings of the reference engine (../shared/conformance) are not here'

for (const suite of SUITES) {
  test('results equal those of the reference engine', { skip }, (context) => {
    const { name, total, agreed, required, differences } = suite()
    context.diagnostic(`${name}: ${agreed} of ${total}`)
    assert.ok((100 * agreed) / total >= required, `${name}: ${agreed} of ${total} agree\n${differences.slice(0, 5).join('\n')}`)
  })
}

test('the tree of the default ruleset equals that of the reference engine', { skip }, async () => {
  const { createHash } = await import('node:crypto')
  const { rules } = rulesetOf('default')
  const lines: string[] = []
  const counts: number[] = []
  const list = (nodes: typeof rules.top, depth: number): void => {
    for (const node of nodes) {
      const before = lines.length
      lines.push(`${depth}:${node.rule.id}\n`)
      list(node.children, depth + 1)
      if (depth === 0) counts.push(lines.length - before)
    }
  }
  list(rules.top, 0)
  // Recorded from the real engine with its default configuration; the manager's local_rules.xml adds one rule under sshd.
  const own = lines.filter((line) => line.endsWith(':100001\n')).length
  assert.equal(lines.length - own, 8450)
  const digest = createHash('sha256')
    .update(lines.filter((line) => !line.endsWith(':100001\n')).join(''))
    .digest('hex')
  assert.equal(digest, '308e6229c47cf8cfcf01ed94918421adc4a97b530749eb04a55cd828532d9c38')
})

test('the stock ruleset has no diagnostic of severity error', { skip }, () => {
  const errors = rulesetOf('default').diagnostics.filter(({ severity }) => severity === 'error')
  assert.deepEqual(
    errors.map(({ code, filename }) => `${code} ${filename}`),
    [],
  )
})
